"""io.confluent.connect.protobuf.ProtobufConverter: Protobuf with schemas in a registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType

from riacho.pipelines.formats.arrow_columns import one_column, two_columns
from riacho.pipelines.formats.column_types import FormatError, merged, named
from riacho.pipelines.formats.protobuf_codec import (
    INDEX_BYTES_MAX,
    ProtobufDecoder,
    ProtobufEncoder,
    message_at,
    protobuf_schema_of,
)
from riacho.pipelines.formats.protobuf_schemas import protobuf_schema
from riacho.pipelines.formats.protobuf_types import message_type
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.formats.registry_converter import DISTINCT_MAX, RegistryConverter, schema_id
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import SCHEMA_NAME, TOPIC
from riacho.schemas.parsed import DataError, SchemaError
from riacho.schemas.protobuf.codec import decode_indexes


class ProtobufConverter(RegistryConverter):
    CLASS = "io.confluent.connect.protobuf.ProtobufConverter"
    ALIASES = ("ProtobufConverter", "Protobuf")
    SCHEMA_TYPE = "PROTOBUF"

    def __init__(self, configs: Mapping[str, str], is_key: bool) -> None:
        super().__init__(configs, is_key)
        # The newest schema of each message that was seen so far: rows of older ones lack what it has more.
        self._newest: dict[str, tuple[int, Any]] = {}

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        batch, names = self._look(batch, column)
        kind, metadata = self._column_type(names)
        decoder = ProtobufDecoder(self.client_settings, kind)
        return self.replaced(batch, column, one_column(decoder, F.col(column), kind), metadata)

    def _look(self, batch: DataFrame, column: str) -> tuple[DataFrame, list[str]]:
        """Full names of the messages that are in the batch."""
        batch, found = self.looked_at(batch, column, _schema_and_indexes)
        names = set()
        for each in sorted(found):
            number, _, head = each.partition(":")
            name = self._message_name(int(number), bytes.fromhex(head))
            if name is not None:
                names.add(name)
        if len(self._newest) > DISTINCT_MAX:
            self._newest = {name: self._newest[name] for name in names}
        return batch, sorted(names)

    def _message_name(self, number: int, head: bytes) -> str | None:
        """None for what the workers will find fault with."""
        try:
            schema = protobuf_schema_of(self.client.by_id(number))
            descriptor = message_at(schema, decode_indexes(head)[0])
        except (FormatError, DataError, SchemaError):
            return None
        except RegistryError as error:
            if error.is_refusal:
                return None
            raise ConnectError(str(error)) from None
        name: str = descriptor.full_name
        if number >= self._newest.get(name, (0,))[0]:
            # The schema is kept as well: descriptors live no longer than their pool.
            self._newest[name] = (number, (schema, descriptor))
        return name

    def _column_type(self, names: list[str]) -> tuple[DataType, dict[str, Any]]:
        kind: DataType | None = None
        metadata: dict[str, Any] = {}
        for name in names:
            try:
                found = message_type(self._newest[name][1][1])
                kind = found if kind is None else merged(kind, found)
            except FormatError:
                continue
            metadata = named(name)
        return kind or BinaryType(), metadata

    def schema_text(self, kind: DataType, metadata: Mapping[str, Any]) -> str:
        return protobuf_schema(kind, metadata)

    def record_name(self, kind: DataType, metadata: Mapping[str, Any]) -> str | None:
        return metadata.get(SCHEMA_NAME) or "ConnectDefault1"

    def encoded(self, batch: DataFrame, column: str, ids: Mapping[str, int]) -> Column:
        encoder = ProtobufEncoder(self.client_settings, dict(ids))
        return two_columns(encoder, F.col(column), F.col(TOPIC), BinaryType())


def _schema_and_indexes(value: Column) -> Column:
    first = F.substring(value, 6, 1)
    # One byte an index: more than 63 messages beside each other are told apart in the workers only.
    size = F.least(F.lit(1) + F.conv(F.hex(first), 16, 10).cast("int") / 2, F.lit(INDEX_BYTES_MAX)).cast("int")
    return F.concat_ws(":", schema_id(value), F.hex(value.substr(F.lit(6), size)))
