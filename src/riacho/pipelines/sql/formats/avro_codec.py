"""AVRO: payloads behind a schema id, read with the schema they were written with and given to columns by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riacho.base.lru_cache import LruCache
from riacho.pipelines.sql.formats.avro_reading import Read, reader
from riacho.pipelines.sql.formats.avro_writing import Write, writer
from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.framing import PREFIX_BYTES, prefix_of, schema_id_of
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.sink_schema import SinkSchema
from riacho.pipelines.sql.types import Field, Struct
from riacho.schemas.avro.decoding import Cursor
from riacho.schemas.avro.misfit import Misfit
from riacho.schemas.avro.schema import AvroSchema

_SCHEMAS_KEPT = 100


class AvroCodec:
    """`sink_schema` gives the id and schema of what is written; it is asked with the first row."""

    def __init__(self, columns: Sequence[Field], wrap: bool, registry: RegistryAccess, sink_schema: SinkSchema) -> None:
        self._type = Struct(tuple(columns)) if wrap else columns[0].type
        self._single = None if wrap else columns[0].name
        self._registry = registry
        self._sink_schema = sink_schema
        self._readers: LruCache[int, Read | CodecError] = LruCache(_SCHEMAS_KEPT)
        self._prefix = b""
        self._write: Write | None = None

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        schema_id = schema_id_of(payload)
        read = self._readers.get(schema_id)
        if read is None:
            read = self._readers.put(schema_id, self._open_reader(schema_id))
        if isinstance(read, CodecError):
            raise read
        cursor = Cursor(payload)
        cursor.pos = PREFIX_BYTES
        try:
            value = read(cursor)
        except Misfit as wrong:
            raise CodecError(f"The payload cannot be read with schema {schema_id}: {wrong.error()}") from None
        except RecursionError:
            raise CodecError("The payload is nested too deeply") from None
        return value if self._single is None else {self._single: value}

    def _open_reader(self, schema_id: int) -> Read | CodecError:
        """What is wrong with a schema is so for all its records, and is remembered."""
        try:
            parsed = self._registry.by_id(schema_id)
            if not isinstance(parsed, AvroSchema):
                return CodecError(f"Schema {schema_id} is {parsed.schema_type}, not AVRO")
            return reader(parsed.root, self._type)
        except RegistryRefusal as error:
            return CodecError(f"Error retrieving Avro schema for id {schema_id}: {error}")
        except CodecError as error:
            return error

    def encode(self, row: Row | None) -> bytes | None:
        value: Any = row if row is None or self._single is None else row.get(self._single)
        if value is None:
            return None
        write = self._write or self._open_writer()
        try:
            return self._prefix + write(value)
        except Misfit as wrong:
            raise CodecError(f"The row cannot be written: {wrong.error()}") from None
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise CodecError(f"The row cannot be written: {error}") from None

    def _open_writer(self) -> Write:
        schema_id, parsed = self._sink_schema()
        if not isinstance(parsed, AvroSchema):
            raise CodecError(f"Schema {schema_id} is {parsed.schema_type}, not AVRO")
        self._prefix = prefix_of(schema_id)
        self._write = writer(self._type, parsed.root)
        return self._write
