"""JSON payloads to Python values, as Jackson reads them for ksqlDB: numbers keep the digits they were written with.

Most payloads are read by the quick decoder, for which a number with a point is a float. Where its digits matter (a
DECIMAL, a number that becomes a STRING), the payload is read again with `NumberText`s.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import msgspec

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.java_numbers import decimal_text

_UNREADABLE = (ValueError, OverflowError, RecursionError, msgspec.MsgspecError)
_NESTING_TEXT = "the JSON is nested too deeply"


class NumberText(str):
    """A number with a point or an exponent, as it was written."""

    __slots__ = ()


class InexactError(Exception):
    """The quick decoder has lost digits that matter."""


_quick = msgspec.json.Decoder().decode
_exact = msgspec.json.Decoder(float_hook=NumberText).decode


def _no_constant(word: str) -> NoReturn:
    raise ValueError(word)


# Takes one value and leaves what follows it, as Jackson does; slow, and only asked where the quick one refuses.
_first_value = json.JSONDecoder(parse_float=NumberText, parse_constant=_no_constant).raw_decode


def read_quick(payload: bytes) -> Any:
    try:
        return _quick(payload)
    except _UNREADABLE:
        return read_exact(payload)


def read_exact(payload: bytes) -> Any:
    try:
        return _exact(payload)
    except RecursionError:
        raise CodecError(f"The payload is not JSON: {_NESTING_TEXT}") from None
    except _UNREADABLE as error:
        return _read_first(payload, str(error))


def _read_first(payload: bytes, reason: str) -> Any:
    try:
        return _first_value(payload.decode().lstrip(" \t\r\n"))[0]
    except RecursionError:
        raise CodecError(f"The payload is not JSON: {_NESTING_TEXT}") from None
    except ValueError:
        raise CodecError(f"The payload is not JSON: {reason}") from None


def jackson_text(value: Any) -> str:
    """The JSON text of an exactly read value, without spaces."""
    return msgspec.json.encode(_printable(value)).decode()


def _printable(value: Any) -> Any:
    kind = type(value)
    if kind is NumberText:
        return msgspec.Raw(decimal_text(value).encode())
    if kind is dict:
        return {name: _printable(item) for name, item in value.items()}
    if kind is list:
        return [_printable(item) for item in value]
    return value
