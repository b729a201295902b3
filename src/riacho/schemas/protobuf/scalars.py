"""The scalar types by name and by the number that descriptors use, and how descriptors write default values."""

from __future__ import annotations

import math
import re
import struct

from google.protobuf import descriptor_pb2  # type: ignore[import-untyped]

from riacho.schemas.parsed import SchemaError
from riacho.schemas.protobuf.elements import Literal, Value
from riacho.schemas.protobuf.lexer import parse_integer

TYPES: dict[str, int] = {
    name.removeprefix("TYPE_").lower(): number for name, number in descriptor_pb2.FieldDescriptorProto.Type.items()
}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
LABELS = {"optional": 1, "required": 2, "repeated": 3}
LABEL_NAMES = {number: name for name, number in LABELS.items()}

_BITS = {"int32": 32, "sint32": 32, "sfixed32": 32, "int64": 64, "sint64": 64, "sfixed64": 64}
_UNSIGNED = {"uint32": 32, "fixed32": 32, "uint64": 64, "fixed64": 64}
_ESCAPED = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_SIGNS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def default_text(type_name: str, value: Value, field: str) -> str:
    """What a descriptor says for `[default = value]`; SchemaError where the value is not of the field's type."""
    text = _default(type_name, value)
    if text is None:
        raise SchemaError(f"The default of field {field} is not of type {type_name}")
    return text


def _default(type_name: str, value: Value) -> str | None:
    if type_name in ("string", "bytes"):
        if not isinstance(value, str):
            return None
        if type_name == "bytes":
            return escape_bytes(value.encode("utf-8", "surrogateescape"))
        return None if any(0xDC00 <= ord(char) <= 0xDFFF for char in value) else value
    if not isinstance(value, Literal):
        return None
    if type_name == "bool":
        return value.text if value.text in ("true", "false") else None
    if type_name in ("float", "double"):
        number = parse_number(value.text)
        return None if number is None else float_text(float(number), single=type_name == "float")
    return _integer_default(type_name, value.text)


def _integer_default(type_name: str, text: str) -> str | None:
    number = parse_integer(text.removeprefix("-"))
    if number is None:
        return None
    number = -number if text.startswith("-") else number
    if type_name in _UNSIGNED:
        return str(number) if 0 <= number < 1 << _UNSIGNED[type_name] else None
    half = 1 << (_BITS[type_name] - 1)
    return str(number) if -half <= number < half else None


def parse_number(text: str) -> int | float | None:
    """Of a literal as a .proto file writes it; None of what is no number."""
    sign, body = (-1, text[1:]) if text.startswith("-") else (1, text)
    integer = parse_integer(body)
    if integer is not None:
        return sign * integer
    if body not in ("inf", "nan") and body[:1] not in tuple("0123456789."):
        return None
    try:
        return sign * float(body.rstrip("fF") if body not in ("inf", "nan") else body)
    except ValueError:
        return None


def float_text(number: float, *, single: bool) -> str:
    """As protoc writes it: with the digits that every such number has, or else with those that tell all apart."""
    if math.isnan(number):
        return "nan"
    if single and math.isfinite(number):
        number = _rounded(number)
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    for digits in (6, 9) if single else (15, 17):
        text = f"{number:.{digits}g}"
        if (_rounded(float(text)) if single else float(text)) == number:
            return text
    return repr(number)


def _rounded(number: float) -> float:
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return rounded


def escape_bytes(data: bytes) -> str:
    table = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}
    return "".join(table.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data)


def unescape_bytes(text: str) -> bytes:
    def replaced(match: re.Match[bytes]) -> bytes:
        if match[1] or match[2]:
            return bytes([(int(match[1], 8) if match[1] else int(match[2], 16)) & 0xFF])
        return _SIGNS.get(match[3], match[3])

    return _ESCAPED.sub(replaced, text.encode("utf-8", "surrogatepass"))
