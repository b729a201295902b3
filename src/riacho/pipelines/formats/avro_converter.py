"""io.confluent.connect.avro.AvroConverter: Avro with schemas in a registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StructType

from riacho.pipelines.formats.arrow_columns import one_column, two_columns
from riacho.pipelines.formats.avro_codec import AvroDecoder, AvroEncoder, avro_root
from riacho.pipelines.formats.avro_schemas import avro_schema
from riacho.pipelines.formats.avro_types import spark_field
from riacho.pipelines.formats.column_types import REQUIRED, FormatError, merged
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.formats.registry_converter import DISTINCT_MAX, RegistryConverter
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import TOPIC


class AvroConverter(RegistryConverter):
    CLASS = "io.confluent.connect.avro.AvroConverter"
    ALIASES = ("AvroConverter", "Avro")
    SCHEMA_TYPE = "AVRO"

    def __init__(self, configs: Mapping[str, str], is_key: bool) -> None:
        super().__init__(configs, is_key)
        # By the name of the record: the newest schema seen so far, which older rows are resolved to.
        self._newest: dict[str, int] = {}

    def decode(self, batch: DataFrame, column: str) -> DataFrame:
        batch, ids = self.schema_ids(batch, column)
        names = self._names(ids)
        for schema_id, name in sorted(names.items()):
            self._newest[name] = max(schema_id, self._newest.get(name, 0))
        if len(self._newest) > DISTINCT_MAX:
            self._newest = {name: self._newest[name] for name in set(names.values())}
        readers = {schema_id: self._newest[name] for schema_id, name in names.items()}
        kind, metadata = self._column_type(sorted(set(readers.values())))
        decoder = AvroDecoder(self.client_settings, kind, readers)
        return self.replaced(batch, column, one_column(decoder, F.col(column), kind), metadata)

    def _names(self, ids: list[int]) -> dict[int, str]:
        """Full names of the records; ids that the registry does not know, or not as Avro, fail their own rows later."""
        found = {}
        for schema_id in ids:
            try:
                found[schema_id] = avro_root(self.client.by_id(schema_id)).label
            except FormatError:
                continue
            except RegistryError as error:
                if not error.is_refusal:
                    raise ConnectError(str(error)) from None
        return found

    def _column_type(self, readers: list[int]) -> tuple[DataType, dict[str, Any]]:
        """One type for all: with several records their fields together. One that clashes fails its own rows."""
        kind: DataType | None = None
        metadata: dict[str, Any] = {}
        for schema_id in readers:
            try:
                field = spark_field("", avro_root(self.client.by_id(schema_id)))
                kind = field.dataType if kind is None else merged(kind, field.dataType)
            except FormatError:
                continue
            metadata = {key: value for key, value in field.metadata.items() if key != REQUIRED}
        return kind or BinaryType(), metadata

    def schema_text(self, kind: DataType, metadata: Mapping[str, Any]) -> str:
        return avro_schema(kind, metadata)

    def record_name(self, kind: DataType, metadata: Mapping[str, Any]) -> str | None:
        name = super().record_name(kind, metadata)
        return name or ("io.confluent.connect.avro.ConnectDefault" if isinstance(kind, StructType) else None)

    def encoded(self, batch: DataFrame, column: str, ids: Mapping[str, int]) -> Column:
        encoder = AvroEncoder(self.client_settings, dict(ids))
        return two_columns(encoder, F.col(column), F.col(TOPIC), BinaryType())
