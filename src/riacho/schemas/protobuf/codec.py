"""Between JSON and payloads: the message's place in the file, then the message in protobuf's own encoding.

The place is a list of indexes, outermost message first: how many there are and each of them as zig-zag numbers. As most
payloads hold the first message, its list is a single zero byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf import json_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]

from riacho.schemas.parsed import Codec, DataError, Json
from riacho.schemas.protobuf.body_parser import NESTING_MAX
from riacho.schemas.protobuf.pool import SchemaPool
from riacho.wire.varint import decode_varint, encode_zigzag

# What the runtime raises for values and bytes that do not fit; the last three for values that are no JSON at all.
_UNFIT = (json_format.ParseError, EncodeError, DecodeError, ValueError, TypeError, AttributeError, RecursionError)

# Some of these are written as JSON strings, lists or numbers.
_WELL_KNOWN = "google.protobuf."

# The count and each index take five bytes at most.
_INDEXES_BYTES_MAX = 5 * (1 + NESTING_MAX)


class MessageCodec(Codec):
    """Writes one of a schema's messages and reads any of them."""

    def __init__(self, pool: SchemaPool, message: str | None) -> None:
        self._pool = pool
        self._descriptors = pool.pool
        self._indexes: dict[str, tuple[int, ...]] = {}
        package = pool.messages.package
        for index, descriptor in enumerate(pool.messages.message_type):
            self._collect(descriptor, f"{package}." if package else "", (index,))
        self._names = {indexes: name for name, indexes in self._indexes.items()}
        self._message = self._full_name(message, package)
        self._prefix = b"" if self._message is None else encode_indexes(self._indexes[self._message])

    def _collect(self, descriptor: Any, prefix: str, indexes: tuple[int, ...]) -> None:
        name = prefix + descriptor.name
        self._indexes[name] = indexes
        for index, nested in enumerate(descriptor.nested_type):
            self._collect(nested, f"{name}.", (*indexes, index))

    def _full_name(self, message: str | None, package: str) -> str | None:
        if message is None:
            return next(iter(self._indexes), None)
        for name in (message.removeprefix("."), f"{package}.{message}"):
            if name in self._indexes:
                return name
        raise DataError(f"The schema has no message {message}")

    def encode(self, value: Json) -> bytes:
        if self._message is None:
            raise DataError("The schema has no message")
        if not isinstance(value, dict) and not self._message.startswith(_WELL_KNOWN):
            # The runtime would take an empty list for an empty message.
            raise DataError(f"The value is no {self._message}: it is no JSON object")
        message = self._pool.message_class(self._message)()
        try:
            json_format.ParseDict(value, message, descriptor_pool=self._descriptors)
            # Maps in the order of their keys: equal values have equal payloads, which compaction and tests rely on.
            serialized: bytes = message.SerializeToString(deterministic=True)
        except _UNFIT as error:
            raise DataError(f"The value is no {self._message}: {error}") from None
        return self._prefix + serialized

    def decode(self, payload: bytes | memoryview) -> Json:
        indexes, position = decode_indexes(payload)
        name = self._names.get(indexes)
        if name is None:
            raise DataError(f"The schema has no message at index {list(indexes)}")
        try:
            message = self._pool.message_class(name).FromString(bytes(payload[position:]))
            value: Json = json_format.MessageToDict(
                message,
                preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True,
                descriptor_pool=self._descriptors,
            )
        except (*_UNFIT, json_format.SerializeToJsonError) as error:
            raise DataError(f"The payload is no {name}: {error}") from None
        return value


def encode_indexes(indexes: Sequence[int]) -> bytes:
    if list(indexes) == [0]:
        return b"\x00"
    return b"".join(encode_zigzag(number) for number in (len(indexes), *indexes))


def decode_indexes(payload: bytes | memoryview) -> tuple[tuple[int, ...], int]:
    """The indexes, and where the message starts."""
    head = bytes(payload[:_INDEXES_BYTES_MAX])
    count, position = _read(head, 0)
    if count == 0:
        return (0,), position
    if not 0 < count <= NESTING_MAX:
        raise DataError(f"The payload starts with {count} message indexes")
    indexes = []
    for _ in range(count):
        index, position = _read(head, position)
        indexes.append(index)
    return tuple(indexes), position


def _read(head: bytes, position: int) -> tuple[int, int]:
    try:
        return decode_varint(head, position)
    except (IndexError, ValueError):
        raise DataError("The payload does not start with message indexes") from None
