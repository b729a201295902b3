"""The schema that rows are written with: the one that a statement named by its id, else the columns' own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_registration import schema_text
from riacho.pipelines.sql.formats.supported import format_of
from riacho.pipelines.sql.types import Field
from riacho.schemas.parsed import ParsedSchema

SinkSchema = Callable[[], tuple[int, ParsedSchema]]


def sink_schema_of(spec: CodecSpec, columns: Sequence[Field], registry: RegistryAccess) -> SinkSchema:
    """To be called with the first row: a codec that only reads registers nothing."""

    def find() -> tuple[int, ParsedSchema]:
        try:
            if spec.schema_id is not None:
                return spec.schema_id, registry.by_id(spec.schema_id)
            text = schema_text(spec.format, columns, spec.is_key, spec.wrap, spec.properties)
            schema_type = format_of(spec.format).schema_type
            assert schema_type is not None, "asked of formats with schemas only"
            if not spec.subject:
                raise CodecError(f"The {spec.format} format needs a subject to register its schema under")
            found = registry.register(spec.subject, schema_type, text)
        except (RegistryRefusal, KsqlError) as error:
            raise CodecError(f"Could not register schema for topic: {error}") from None
        return found.id, found.parsed

    return find
