"""Bytes as text, by the Java class names of Kafka's deserializers."""

from __future__ import annotations

import struct
from collections.abc import Callable

from riacho.cli.kafka.launch import ToolError

Deserializer = Callable[[bytes], bytes]


class Undecodable(Exception):
    """Bytes that are not what the deserializer takes them for."""


def deserializer(class_name: str) -> Deserializer:
    name = class_name.rpartition(".")[2]
    found = _BY_NAME.get(name)
    if found is None:
        known = ", ".join(sorted(_BY_NAME))
        raise ToolError(f"Error: there is no deserializer '{class_name}'; there are {known}.")
    return found


def java_float(value: float, digits: str) -> str:
    """`Double.toString`: plain digits between 1e-3 and 1e7, otherwise `d.dddE±n`."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(value)]
    if value == 0:
        return "-0.0" if str(value).startswith("-") else "0.0"
    sign, mantissa, exponent = _decompose(digits)
    if -3 <= exponent < 7:
        whole, fraction = _place_point(mantissa, exponent)
        return f"{sign}{whole}.{fraction}"
    return f"{sign}{mantissa[0]}.{mantissa[1:] or '0'}E{exponent}"


def _decompose(digits: str) -> tuple[str, str, int]:
    """Shortest decimal digits as (sign, digits without point, exponent of the first digit)."""
    sign = "-" if digits.startswith("-") else ""
    body, _, exponent = digits.lstrip("-").lower().partition("e")
    whole, _, fraction = body.partition(".")
    together = whole + fraction
    leading = len(together) - len(together.lstrip("0"))
    mantissa = together.strip("0") or "0"
    return sign, mantissa, len(whole) - 1 - leading + int(exponent or 0)


def _place_point(mantissa: str, exponent: int) -> tuple[str, str]:
    if exponent < 0:
        return "0", "0" * (-exponent - 1) + mantissa
    padded = mantissa.ljust(exponent + 2, "0")
    return padded[: exponent + 1], padded[exponent + 1 :]


def _fixed(name: str, form: str) -> Deserializer:
    packed = struct.Struct(form)

    def decode(data: bytes) -> bytes:
        if len(data) != packed.size:
            raise Undecodable(f"Size of data received by {name} is not {packed.size}")
        (value,) = packed.unpack(data)
        if isinstance(value, float):
            return java_float(value, _shortest(value, form)).encode()
        return str(value).encode()

    return decode


def _shortest(value: float, form: str) -> str:
    """The fewest digits that read back as the same number, of its own width."""
    if form != ">f":
        return repr(value)
    return next((t for n in range(1, 10) if _float32(float(t := f"{value:.{n}g}")) == value), repr(value))


def _float32(value: float) -> float:
    try:
        return float(struct.unpack(">f", struct.pack(">f", value))[0])
    except OverflowError:
        return float("inf")


def _string(data: bytes) -> bytes:
    return data.decode(errors="replace").encode()


def _raw(data: bytes) -> bytes:
    return data


def _boolean(data: bytes) -> bytes:
    if data not in (b"\x00", b"\x01"):
        raise Undecodable("Size of data received by BooleanDeserializer is not 1, or it is neither 0 nor 1")
    return b"true" if data == b"\x01" else b"false"


def _uuid(data: bytes) -> bytes:
    from uuid import UUID

    try:
        return str(UUID(data.decode())).encode()
    except ValueError:
        raise Undecodable("Error parsing data into UUID") from None


def _escaped(data: bytes) -> bytes:
    """`Bytes.toString`: printable ASCII but the backslash as it is, everything else as \\xNN."""
    return "".join(chr(b) if 32 <= b <= 126 and b != 92 else f"\\x{b:02X}" for b in data).encode()


def _void(_: bytes) -> bytes:
    return b"null"


_BY_NAME: dict[str, Deserializer] = {
    "StringDeserializer": _string,
    "ByteArrayDeserializer": _raw,
    "ByteBufferDeserializer": _raw,
    "BytesDeserializer": _escaped,
    "ShortDeserializer": _fixed("ShortDeserializer", ">h"),
    "IntegerDeserializer": _fixed("IntegerDeserializer", ">i"),
    "LongDeserializer": _fixed("LongDeserializer", ">q"),
    "FloatDeserializer": _fixed("FloatDeserializer", ">f"),
    "DoubleDeserializer": _fixed("DoubleDeserializer", ">d"),
    "BooleanDeserializer": _boolean,
    "UUIDDeserializer": _uuid,
    "VoidDeserializer": _void,
}
