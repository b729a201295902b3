"""Between payloads and the JSON that test cases write for them, as ksqlDB's own test tool reads and writes it.

    JSON                    the value itself
    DELIMITED               a string, the record
    KAFKA                   the value of the single column
    AVRO, PROTOBUF          an object by the schema of the topic's subject, fields in any case; what is missing is null
    JSON_SR                 the value itself, behind the schema's id
    NONE                    null

A key's window is no part of it: it stands beside, as its bounds.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from riacho.pipelines.sql.formats import avro_reading, avro_writing
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.codecs import columns_of, open_codec
from riacho.pipelines.sql.formats.framing import PREFIX_BYTES, prefix_of, schema_id_of
from riacho.pipelines.sql.formats.inferred_names import UnsupportedTypeError, as_written
from riacho.pipelines.sql.formats.json_source import jackson_text, read_exact
from riacho.pipelines.sql.formats.protobuf_codec import message_at, message_indexes, read_message, write_message
from riacho.pipelines.sql.formats.protobuf_inference import ProtobufTypes
from riacho.pipelines.sql.formats.protobuf_reading import message_reader
from riacho.pipelines.sql.formats.protobuf_writing import message_writer
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_inference import schema_sql_type
from riacho.pipelines.sql.formats.schema_properties import FULL_SCHEMA_NAME, property_of, wraps_nullables
from riacho.pipelines.sql.formats.sink_schema import sink_schema_of
from riacho.pipelines.sql.formats.spec_values import from_spec, to_spec
from riacho.pipelines.sql.formats.supported import is_wrapped
from riacho.pipelines.sql.types import SqlType, Struct
from riacho.schemas.avro.decoding import Cursor
from riacho.schemas.avro.misfit import Misfit
from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.parsed import DataError, ParsedSchema
from riacho.schemas.protobuf.codec import decode_indexes, encode_indexes
from riacho.schemas.protobuf.schema import ProtobufSchema


class Window(NamedTuple):
    start_ms: int
    end_ms: int


class RecordJson:
    """Of the keys, or of the values, of one topic; what was put together for a schema is kept."""

    def __init__(self, spec: CodecSpec, registry: RegistryAccess | None = None) -> None:
        self._spec = spec
        self._registry = registry
        self._format = spec.format.upper()
        self._codec: Codec | None = None
        self._writers: dict[int, Callable[[Any], bytes]] = {}
        self._readers: dict[tuple[int, tuple[int, ...]], Callable[[bytes], Any]] = {}

    def payload(self, value: Any, window: Window | None = None) -> bytes | None:
        """CodecError where the value does not fit."""
        inner = None if value is None else self._payload(value)
        if self._spec.window is None or (inner is None and window is None):
            return inner
        if window is None:
            raise CodecError("A windowed key needs a window")
        return (inner or b"") + self._bounds(window)

    def value(self, payload: bytes | None) -> tuple[Any, Window | None]:
        """CodecError where the payload cannot be read. Numbers with a point are `NumberText`s, with all their digits,
        where the payload is a text."""
        if payload is None:
            return None, None
        inner, window = self._without_window(payload)
        return self._value(inner), window

    def _bounds(self, window: Window) -> bytes:
        if self._spec.window == "SESSION":
            return struct.pack(">qq", window.end_ms, window.start_ms)
        return struct.pack(">q", window.start_ms)

    def _without_window(self, payload: bytes) -> tuple[bytes | None, Window | None]:
        if self._spec.window is None:
            return payload, None
        size = 16 if self._spec.window == "SESSION" else 8
        if len(payload) < size:
            raise CodecError("The key is too short to end with a window")
        if size == 16:
            end, start = struct.unpack(">qq", payload[-size:])
        else:
            (start,) = struct.unpack(">q", payload[-size:])
            end = start + (self._spec.window_size_ms or 0)
        return payload[:-size] or None, Window(start, end)

    def _payload(self, value: Any) -> bytes | None:
        match self._format:
            case "NONE":
                return None
            case "JSON":
                return jackson_text(value).encode()
            case "DELIMITED":
                return (value if type(value) is str else jackson_text(value)).encode()
            case "JSON_SR":
                return prefix_of(self._sink()[0]) + jackson_text(value).encode()
            case "AVRO" | "PROTOBUF":
                schema_id, parsed = self._sink()
                write = self._writers.get(schema_id)
                if write is None:
                    write = self._writers[schema_id] = self._writer(parsed)
                return prefix_of(schema_id) + write(value)
            case _:
                return self._by_columns(value)

    def _sink(self) -> tuple[int, ParsedSchema]:
        """The latest of the subject; else the columns' own, which is registered by that."""
        registry = self._needed()
        found = registry.latest(self._spec.subject)
        if found is not None and self._spec.schema_id is None:
            return found.id, found.parsed
        return sink_schema_of(self._spec, columns_of(self._spec), registry)()

    def _needed(self) -> RegistryAccess:
        if self._registry is None:
            raise CodecError(f"The {self._format} format needs a schema registry")
        return self._registry

    def _writer(self, parsed: ParsedSchema) -> Callable[[Any], bytes]:
        properties = self._spec.properties
        kind = _sql_type(parsed, properties)
        if isinstance(parsed, AvroSchema):
            write = avro_writing.writer(kind, parsed.root)
            return lambda value: _guarded(lambda: write(from_spec(value, kind)))
        assert isinstance(parsed, ProtobufSchema)
        indexes = message_indexes(parsed, property_of(properties, FULL_SCHEMA_NAME))
        message, head = message_at(parsed, indexes), encode_indexes(indexes)
        put = message_writer(kind, message.DESCRIPTOR)
        return lambda value: head + write_message(message, put, from_spec(value, kind))

    def _by_columns(self, value: Any) -> bytes | None:
        """KAFKA and PROTOBUF_NOSR, which have no schema but the columns."""
        columns = columns_of(self._spec)
        if not columns:
            return None
        if self._is_wrapped():
            return self._own_codec().encode(from_spec(value, Struct(tuple(columns))))
        return self._own_codec().encode({columns[0].name: from_spec(value, columns[0].type)})

    def _is_wrapped(self) -> bool:
        return is_wrapped(self._format, len(self._spec.columns), self._spec.is_key, self._spec.wrap)

    def _own_codec(self) -> Codec:
        if self._codec is None:
            self._codec = open_codec(_without_window(self._spec), self._registry)
        return self._codec

    def _value(self, payload: bytes | None) -> Any:
        if payload is None:
            return None
        match self._format:
            case "NONE":
                return None
            case "JSON":
                return read_exact(payload)
            case "DELIMITED":
                return payload.decode("utf-8", "replace")
            case "JSON_SR":
                schema_id_of(payload)
                return read_exact(payload[PREFIX_BYTES:])
            case "AVRO" | "PROTOBUF":
                return self._framed(payload)
            case _:
                return self._column_value(payload)

    def _column_value(self, payload: bytes) -> Any:
        columns = columns_of(self._spec)
        if not columns:
            return None
        row = self._own_codec().decode(payload)
        if row is None or self._is_wrapped():
            return to_spec(row, Struct(tuple(columns)))
        return to_spec(row[columns[0].name], columns[0].type)

    def _framed(self, payload: bytes) -> Any:
        schema_id, body = schema_id_of(payload), payload[PREFIX_BYTES:]
        indexes: tuple[int, ...] = ()
        if self._format == "PROTOBUF":
            try:
                indexes, start = decode_indexes(body)
            except DataError as error:
                raise CodecError(str(error)) from None
            body = body[start:]
        read = self._readers.get((schema_id, indexes))
        if read is None:
            try:
                parsed = self._needed().by_id(schema_id)
            except RegistryRefusal as error:
                raise CodecError(str(error)) from None
            read = spec_reader(parsed, indexes, wraps_nullables(self._spec.properties))
            self._readers[schema_id, indexes] = read
        return read(body)


def spec_reader(parsed: ParsedSchema, indexes: tuple[int, ...], wrappers: bool = False) -> Callable[[bytes], Any]:
    """From what follows the schema's id (and the message's indexes) to the JSON that stands for it."""
    if isinstance(parsed, ProtobufSchema):
        message = message_at(parsed, indexes)
        own = ProtobufTypes(parsed, as_written, wrappers).message(message.DESCRIPTOR)
        read_row = message_reader(message.DESCRIPTOR, own)
        return lambda body: to_spec(read_message(message, read_row, body), own)
    if not isinstance(parsed, AvroSchema):
        raise CodecError(f"A schema of type {parsed.schema_type} says nothing of such payloads")
    kind = _sql_type(parsed, {})
    read = avro_reading.reader(parsed.root, kind)
    return lambda body: to_spec(_guarded(lambda: read(Cursor(body))), kind)


def _sql_type(parsed: ParsedSchema, properties: Mapping[str, str]) -> SqlType:
    try:
        return schema_sql_type(parsed, as_written, properties)
    except UnsupportedTypeError as error:
        raise CodecError(str(error)) from None


def _guarded(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Misfit as wrong:
        raise CodecError(str(wrong.error())) from None
    except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
        raise CodecError(f"The value does not fit: {error}") from None


def _without_window(spec: CodecSpec) -> CodecSpec:
    return CodecSpec(spec.format, spec.is_key, spec.columns, spec.wrap, spec.properties)
