"""Coercions between the types of Connect's formats (AVRO, PROTOBUF) and columns: narrower than those of JSON.

An integer is taken for a wider one, a float for a double, and any scalar for a STRING. Whether types fit is asked of
the schema, once, not of values.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from decimal import Decimal as Number
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.java_numbers import double_text
from riacho.pipelines.sql.types import Array, Base, Decimal, Map, Primitive, SqlType, Struct

_DECIMAL_BYTES_MAX = 400

CONNECT_BASE = {
    Base.BOOLEAN: "boolean",
    Base.INTEGER: "int32",
    Base.BIGINT: "int64",
    Base.DOUBLE: "float64",
    Base.STRING: "string",
    Base.BYTES: "bytes",
    Base.TIME: "int32",
    Base.DATE: "int32",
    Base.TIMESTAMP: "int64",
}
_TAKEN = {
    "boolean": ("boolean",),
    "int32": ("int32",),
    "int64": ("int64", "int32"),
    "float64": ("float64", "float32"),
    "string": ("int32", "int64", "float32", "float64", "boolean", "string"),
    "bytes": ("bytes",),
}


def connect_type(kind: SqlType) -> str:
    match kind:
        case Primitive(base):
            return CONNECT_BASE[base]
        case Decimal():
            return "bytes"
        case Array():
            return "array"
        case Map():
            return "map"
        case Struct():
            return "struct"
        case _:
            raise AssertionError("no column is a lambda")


def check_taken(given: str, kind: SqlType, path: str) -> None:
    """CodecError where a value of the Connect type `given` cannot be one of the column's."""
    wanted = connect_type(kind)
    if given not in _TAKEN.get(wanted, (wanted,)):
        raise unfit(given, kind, path)


def unfit(given: str, kind: SqlType, path: str) -> CodecError:
    return CodecError(f"Cannot deserialize type {given} as type {connect_type(kind)} for path: {path}")


def as_text(given: str) -> Callable[[Any], str]:
    """From a scalar of a Connect type to the STRING that Java makes of it."""
    match given:
        case "boolean":
            return lambda value: "true" if value else "false"
        case "float64":
            return lambda value: value if isinstance(value, str) else double_text(value)
        case "float32":
            return lambda value: value if isinstance(value, str) else float_text(value)
        case _:
            return str


def float_text(value: float) -> str:
    """`Float.toString`: the shortest text that is this float again."""
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == value:
            return double_text(float(text))
    return double_text(value)


def plain_double(value: float) -> Any:
    """As a row has it."""
    return value if value - value == 0 else double_text(value)


def bytes_text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def decimal_text_of(raw: bytes, scale: int) -> str:
    """The plain text of an unscaled two's complement number."""
    if len(raw) > _DECIMAL_BYTES_MAX:
        raise CodecError(f"The payload has a decimal of {len(raw)} bytes")
    number = Number(int.from_bytes(raw, "big", signed=True)).as_tuple()
    return f"{Number((number.sign, number.digits, -scale)):f}"


def unscaled(text: str, scale: int) -> bytes:
    """Its bytes, as few as hold the sign: `BigInteger.toByteArray`."""
    sign, digits, exponent = Number(text).as_tuple()
    number = int(Number((sign, digits, int(exponent) + scale)))
    return number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)


def entries(value: Any) -> Any:
    """(key, value) of a map, of which rows have two forms."""
    return value.items() if isinstance(value, dict) else ((each.get("key"), each.get("value")) for each in value)
