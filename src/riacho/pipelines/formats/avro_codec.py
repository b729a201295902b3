"""Avro columns in Spark's workers: objects that are sent there, and called with Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType

from riacho.pipelines.formats.avro_reading import read
from riacho.pipelines.formats.avro_resolving import resolve
from riacho.pipelines.formats.avro_writing import AvroWriter
from riacho.pipelines.formats.byte_cursor import Cursor, Numbers
from riacho.pipelines.formats.column_types import FormatError, arrow_type, projected
from riacho.pipelines.formats.framed import decode_framed, encode_framed
from riacho.pipelines.formats.registry_client import registry_client
from riacho.schemas.avro.schema import AvroSchema, parse
from riacho.schemas.avro.types import AvroType
from riacho.schemas.parsed import ParsedSchema, SchemaSource


@dataclass(frozen=True)
class AvroDecoder:
    """`readers` says which schema (id) the rows of another one are resolved to; all others to `reader_text`.

    Without either, rows of a schema are read as it says. All become `target` at last.
    """

    settings: Mapping[str, str]
    target: DataType
    readers: Mapping[int, int] = field(default_factory=dict)
    reader_text: str | None = None

    def __call__(self, values: pa.Array) -> pa.Array:
        return decode_framed(values, arrow_type(self.target), "Avro", self._read)

    def _read(self, schema_id: int, cursor: Cursor) -> pa.Array:
        writer = self._schema(schema_id)
        reader = self._reader(schema_id, writer)
        values = read(writer, cursor)
        if reader is not writer:
            values = resolve(values, writer, reader)
        try:
            return projected(values, arrow_type(self.target))
        except pa.ArrowException:
            raise FormatError("its type differs from that of the column") from None

    def _reader(self, schema_id: int, writer: AvroType) -> AvroType:
        if self.reader_text is not None:
            return parsed_text(self.reader_text)
        reader_id = self.readers.get(schema_id, schema_id)
        return writer if reader_id == schema_id else self._schema(reader_id)

    def _schema(self, schema_id: int) -> AvroType:
        return avro_root(registry_client(self.settings).by_id(schema_id))


@dataclass(frozen=True)
class AvroEncoder:
    """`ids` is the schema of each topic."""

    settings: Mapping[str, str]
    ids: Mapping[str, int]

    def __call__(self, values: pa.Array, topics: pa.Array) -> pa.Array:
        return encode_framed(values, topics, self.ids, self._write)

    def _write(self, schema_id: int, values: pa.Array, rows: Numbers) -> tuple[pa.Array, Numbers]:
        writer = AvroWriter(len(values))
        root = avro_root(registry_client(self.settings).by_id(schema_id))
        return writer.write(root, values, np.arange(len(values))), writer.bad


def avro_root(parsed: ParsedSchema) -> AvroType:
    if not isinstance(parsed, AvroSchema):
        raise FormatError(f"it is a schema of type {parsed.schema_type}, not AVRO")
    return parsed.root


@lru_cache(maxsize=100)
def parsed_text(text: str) -> AvroType:
    return parse(SchemaSource(text, is_new=False)).root
