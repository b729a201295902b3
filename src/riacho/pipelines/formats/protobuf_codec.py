"""Protobuf columns in Spark's workers: objects that are sent there, and called with Arrow columns.

Behind the schema's id stand the indexes of the message in its file; the first message is a single zero byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType

from riacho.pipelines.formats.byte_columns import join
from riacho.pipelines.formats.byte_cursor import Cursor, Numbers, gather
from riacho.pipelines.formats.column_types import FormatError, arrow_type, projected
from riacho.pipelines.formats.framed import decode_framed, encode_framed
from riacho.pipelines.formats.protobuf_reading import read_message
from riacho.pipelines.formats.protobuf_writing import ProtobufWriter
from riacho.pipelines.formats.registry_client import registry_client
from riacho.schemas.parsed import DataError, ParsedSchema
from riacho.schemas.protobuf.codec import decode_indexes, encode_indexes
from riacho.schemas.protobuf.schema import ProtobufSchema

# How many bytes hold all indexes of any message that people have.
INDEX_BYTES_MAX = 12


@dataclass(frozen=True)
class ProtobufDecoder:
    """Unknown fields are passed over and missing ones are null or zero, so any version can be read as any other."""

    settings: Mapping[str, str]
    target: DataType

    def __call__(self, values: pa.Array) -> pa.Array:
        return decode_framed(values, arrow_type(self.target), "Protobuf", self._read)

    def _read(self, schema_id: int, cursor: Cursor) -> pa.Array:
        schema = protobuf_schema_of(registry_client(self.settings).by_id(schema_id))
        target = arrow_type(self.target)
        starts = _index_starts(cursor)
        pieces, places = [], []
        for start in sorted(set(starts)):
            rows = np.flatnonzero(np.array([each == start for each in starts], bool)) if len(set(starts)) > 1 else None
            part = cursor if rows is None else cursor.select(rows)
            try:
                indexes, size = decode_indexes(start)
                part.pos = part.pos + size
                values = projected(read_message(message_at(schema, indexes), part), target)
            except (DataError, pa.ArrowException):
                part.bad[:] = True
                values = pa.nulls(len(part), target)
            if rows is None:
                return values
            cursor.put_back(rows, part)
            pieces.append(values)
            places.append(rows)
        order = np.argsort(np.concatenate(places), kind="stable")
        return pa.concat_arrays(pieces).take(pa.array(order))


def _index_starts(cursor: Cursor) -> list[bytes]:
    """The bytes of the message indexes of each row; one entry stands for all where all are the first message."""
    at = np.minimum(cursor.pos, len(cursor.data) - 1)
    first = np.where(cursor.pos < cursor.end, cursor.data[at], 0xFF)
    if (first == 0).all():
        return [b"\0"]
    lengths = np.minimum(cursor.end - cursor.pos, INDEX_BYTES_MAX)
    heads: list[bytes] = gather(cursor.data, cursor.pos, np.where(first == 0, 1, lengths)).to_pylist()
    return [_indexes_only(head) for head in heads]


def _indexes_only(head: bytes) -> bytes:
    try:
        return head[: decode_indexes(head)[1]]
    except DataError:
        return b""


@dataclass(frozen=True)
class ProtobufEncoder:
    """`ids` is the schema of each topic; `message` which of its messages, the first where it is not given."""

    settings: Mapping[str, str]
    ids: Mapping[str, int]
    message: str | None = None

    def __call__(self, values: pa.Array, topics: pa.Array) -> pa.Array:
        return encode_framed(values, topics, self.ids, self._write)

    def _write(self, schema_id: int, values: pa.Array, rows: Numbers) -> tuple[pa.Array, Numbers]:
        schema = protobuf_schema_of(registry_client(self.settings).by_id(schema_id))
        indexes = (0,) if self.message is None else indexes_of(schema, self.message)
        writer = ProtobufWriter(len(values))
        written = writer.write(message_at(schema, indexes), values, np.arange(len(values)))
        return join(pa.scalar(encode_indexes(indexes), pa.binary()), written), writer.bad


def protobuf_schema_of(parsed: ParsedSchema) -> ProtobufSchema:
    if not isinstance(parsed, ProtobufSchema):
        raise FormatError(f"it is a schema of type {parsed.schema_type}, not PROTOBUF")
    return parsed


def message_at(schema: ProtobufSchema, indexes: tuple[int, ...]) -> Any:
    """The runtime's descriptor of a message by its place. DataError where the file has none there."""
    file = schema.pool.messages
    name, level = file.package, file.message_type
    for index in indexes:
        if not 0 <= index < len(level):
            raise DataError(f"The schema has no message at index {list(indexes)}")
        name = f"{name}.{level[index].name}" if name else level[index].name
        level = level[index].nested_type
    return schema.pool.pool.FindMessageTypeByName(name)


def indexes_of(schema: ProtobufSchema, message: str) -> tuple[int, ...]:
    """The place of a message by its name, with or without the package."""
    wanted = message.removeprefix(f"{schema.pool.messages.package}.").split(".")
    level, indexes = schema.pool.messages.message_type, []
    for simple in wanted:
        index = next((place for place, each in enumerate(level) if each.name == simple), None)
        if index is None:
            raise FormatError(f"The schema has no message {message}")
        indexes.append(index)
        level = level[index].nested_type
    return tuple(indexes)
