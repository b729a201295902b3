"""The schema of messages that no registry knows: whoever reads and whoever writes make it of the columns."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.schema_registration import schema_text
from riacho.pipelines.sql.types import Field
from riacho.schemas.parsed import SchemaError, SchemaSource
from riacho.schemas.protobuf.schema import ProtobufSchema, parse


def own_protobuf_schema(spec: CodecSpec, columns: Sequence[Field]) -> ProtobufSchema:
    try:
        return parse(SchemaSource(schema_text(spec.format, columns, spec.is_key, True, spec.properties)))
    except (SchemaError, KsqlError) as error:
        raise CodecError(f"The columns have no Protobuf schema: {error}") from None
