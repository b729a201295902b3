"""PROTOBUF: messages behind a schema id and the message's place in its file. PROTOBUF_NOSR: the bare message, whose
schema is made of the columns by whoever reads and by whoever writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]

from riacho.base.lru_cache import LruCache
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec, Row
from riacho.pipelines.sql.formats.framing import PREFIX_BYTES, prefix_of, schema_id_of
from riacho.pipelines.sql.formats.protobuf_reading import Read, message_reader
from riacho.pipelines.sql.formats.protobuf_writing import Put, message_writer
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.formats.schema_registration import schema_text
from riacho.pipelines.sql.formats.sink_schema import SinkSchema
from riacho.pipelines.sql.types import Field, Struct
from riacho.schemas.parsed import DataError, ParsedSchema, SchemaError, SchemaSource
from riacho.schemas.protobuf.codec import decode_indexes, encode_indexes
from riacho.schemas.protobuf.schema import ProtobufSchema, parse

_SCHEMAS_KEPT = 100
_FIRST_MESSAGE = b"\0"
_UNWRITABLE = (ValueError, TypeError, AttributeError, ArithmeticError, EncodeError)


class ProtobufCodec:
    """`message_name` is the message of a file of several that rows are written as; its first where none is named."""

    def __init__(
        self,
        columns: Sequence[Field],
        registry: RegistryAccess,
        sink_schema: SinkSchema,
        message_name: str | None = None,
    ) -> None:
        self._type = Struct(tuple(columns))
        self._registry = registry
        self._sink_schema = sink_schema
        self._message_name = message_name
        self._readers: LruCache[tuple[int, tuple[int, ...]], tuple[Any, Read] | CodecError] = LruCache(_SCHEMAS_KEPT)
        self._writer: tuple[bytes, Any, Put] | None = None

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        schema_id = schema_id_of(payload)
        if payload[PREFIX_BYTES : PREFIX_BYTES + 1] == _FIRST_MESSAGE:
            indexes: tuple[int, ...] = (0,)
            start = 1
        else:
            try:
                indexes, start = decode_indexes(payload[PREFIX_BYTES:])
            except DataError as error:
                raise CodecError(str(error)) from None
        found = self._readers.get((schema_id, indexes))
        if found is None:
            found = self._readers.put((schema_id, indexes), self._open_reader(schema_id, indexes))
        if isinstance(found, CodecError):
            raise found
        return read_message(*found, payload[PREFIX_BYTES + start :])

    def _open_reader(self, schema_id: int, indexes: tuple[int, ...]) -> tuple[Any, Read] | CodecError:
        """What is wrong with a schema is so for all its records, and is remembered."""
        try:
            parsed = _protobuf(schema_id, self._registry.by_id(schema_id))
            message = message_at(parsed, indexes)
            return message, message_reader(message.DESCRIPTOR, self._type)
        except (RegistryRefusal, SchemaError) as error:
            return CodecError(f"Error retrieving Protobuf schema for id {schema_id}: {error}")
        except CodecError as error:
            return error

    def encode(self, row: Row | None) -> bytes | None:
        if row is None:
            return None
        prefix, message, put = self._writer or self._open_writer()
        return prefix + write_message(message, put, row)

    def _open_writer(self) -> tuple[bytes, Any, Put]:
        schema_id, found = self._sink_schema()
        parsed = _protobuf(schema_id, found)
        indexes = message_indexes(parsed, self._message_name)
        message = message_at(parsed, indexes)
        prefix = prefix_of(schema_id) + encode_indexes(indexes)
        self._writer = prefix, message, message_writer(self._type, message.DESCRIPTOR)
        return self._writer


class BareProtobufCodec:
    """`single`: the column that is the whole payload. Of a scalar that is a message of one field, null being null."""

    def __init__(self, columns: Sequence[Field], schema: ProtobufSchema, single: str | None) -> None:
        kind = columns[0].type
        self._struct = single if isinstance(kind, Struct) else None
        self._single = single
        rows = kind if self._struct is not None else Struct(tuple(columns))
        self._message = message_at(schema, (0,))
        self._read = message_reader(self._message.DESCRIPTOR, rows)
        self._put = message_writer(rows, self._message.DESCRIPTOR)

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        row = read_message(self._message, self._read, payload)
        return row if self._struct is None else {self._struct: row}

    def encode(self, row: Row | None) -> bytes | None:
        value: Any = row
        if row is not None and self._single is not None and row.get(self._single) is None:
            value = None
        elif row is not None and self._struct is not None:
            value = row[self._struct]
        return None if value is None else write_message(self._message, self._put, value)


def read_message(message: Any, read: Read, payload: bytes) -> Row:
    try:
        row: Row = read(message.FromString(payload))
    except DecodeError as error:
        raise CodecError(f"The payload is no {message.DESCRIPTOR.full_name}: {error}") from None
    except RecursionError:
        raise CodecError("The payload is nested too deeply") from None
    return row


def write_message(message: Any, put: Put, row: Row) -> bytes:
    target = message()
    try:
        put(target, row)
        written: bytes = target.SerializeToString(deterministic=True)
    except _UNWRITABLE as error:
        raise CodecError(f"The row cannot be written: {error}") from None
    return written


def message_at(parsed: ProtobufSchema, indexes: Sequence[int]) -> Any:
    """The class of the message at that place."""
    file = parsed.pool.messages
    names, found = [], file.message_type
    for index in indexes:
        if not 0 <= index < len(found):
            raise CodecError(f"The schema has no message at index {list(indexes)}")
        names.append(found[index].name)
        found = found[index].nested_type
    return parsed.pool.message_class(".".join([file.package, *names] if file.package else names))


def message_indexes(parsed: ProtobufSchema, name: str | None) -> tuple[int, ...]:
    file = parsed.pool.messages
    if name is None:
        return (0,)
    simple = name.removeprefix(f"{file.package}.") if file.package else name
    for at, message in enumerate(file.message_type):
        if message.name == simple:
            return (at,)
    raise CodecError(f"The schema has no message {name}")


def _protobuf(schema_id: int, parsed: ParsedSchema) -> ProtobufSchema:
    if not isinstance(parsed, ProtobufSchema):
        raise CodecError(f"Schema {schema_id} is {parsed.schema_type}, not PROTOBUF")
    return parsed


def own_protobuf_schema(spec: CodecSpec, columns: Sequence[Field]) -> ProtobufSchema:
    """The schema of messages that no registry knows: whoever reads and whoever writes make it of the columns."""
    try:
        return parse(SchemaSource(schema_text(spec.format, columns, spec.is_key, True, spec.properties)))
    except (SchemaError, KsqlError) as error:
        raise CodecError(f"The columns have no Protobuf schema: {error}") from None
