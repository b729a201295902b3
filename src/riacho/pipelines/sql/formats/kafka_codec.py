"""KAFKA: one column, written as Kafka's own serializers write it. No columns: always null, as those of Void."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Sequence
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError, Row
from riacho.pipelines.sql.formats.java_numbers import double_text
from riacho.pipelines.sql.types import Base, Field, Primitive

_int, _long, _float = struct.Struct(">i"), struct.Struct(">q"), struct.Struct(">d")


class KafkaCodec:
    def __init__(self, columns: Sequence[Field]) -> None:
        assert len(columns) == 1, "other schemas are refused before"
        (column,) = columns
        assert isinstance(column.type, Primitive)
        self._name = column.name
        self._read, self._write = _TYPES[column.type.base]

    def decode(self, payload: bytes | None) -> Row | None:
        return None if payload is None else {self._name: self._read(payload)}

    def encode(self, row: Row | None) -> bytes | None:
        value = None if row is None else row.get(self._name)
        if value is None:
            return None
        try:
            return self._write(value)
        except (struct.error, TypeError, ValueError, AttributeError) as error:
            raise CodecError(f"The value of {self._name} cannot be written: {error}") from None


def _number(form: struct.Struct, name: str) -> Callable[[bytes], Any]:
    size, unpack = form.size, form.unpack

    def read(payload: bytes) -> Any:
        if len(payload) != size:
            raise CodecError(f"Size of data received by {name} is not {size}")
        return unpack(payload)[0]

    return read


def _read_double(payload: bytes) -> Any:
    if len(payload) != _float.size:
        raise CodecError(f"Size of data received by DoubleDeserializer is not {_float.size}")
    number = _float.unpack(payload)[0]
    return number if number - number == 0 else double_text(number)


def _read_bytes(payload: bytes) -> str:
    return binascii.b2a_base64(payload, newline=False).decode()


_TYPES: dict[Base, tuple[Callable[[bytes], Any], Callable[[Any], bytes]]] = {
    Base.INTEGER: (_number(_int, "IntegerDeserializer"), _int.pack),
    Base.BIGINT: (_number(_long, "LongDeserializer"), _long.pack),
    Base.DOUBLE: (_read_double, lambda value: _float.pack(float(value))),
    Base.STRING: (lambda payload: payload.decode("utf-8", "replace"), lambda value: value.encode("utf-8", "replace")),
    Base.BYTES: (_read_bytes, lambda value: base64.b64decode(value, validate=True)),
}
