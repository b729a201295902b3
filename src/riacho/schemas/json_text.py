"""JSON as Java's Jackson reads and writes it, since a schema's text is compared byte for byte with what that wrote.

Read: NaN is no value, numbers and nesting are bounded. Avro's reader allows comments and makes doubles of numbers; that
of JSON Schema keeps the digits that they were given with, so `1.0`, `1.00` and `1E+2` stay three texts: an
`ExactNumber` is the double that all who calculate see, with its text beside it. Written: no space, doubles as
`Double.toString` prints them, control characters as upper-case escapes, all else as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring

from riacho.base.config import java_double_text
from riacho.schemas.parsed import Json, SchemaError

NUMBER_LENGTH_MAX = 1_000  # Jackson's own bound
NESTING_MAX = 300  # brackets inside brackets; Jackson's bound is 1000, this one leaves room on Python's stack
EXPONENT_MAX = 400  # beyond what a double holds; a larger one would cost memory by its value, not by its length

# Strings and comments that do not end match up to the end of the text: to try again from each quote takes for ever.
_STRING = r'"(?>(?:[^"\\]++|\\.)*)(?:"|\\?\Z)'
_COMMENT_OR_STRING = re.compile(rf"({_STRING})|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_STRING_OR_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_LOWER_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u00(1[a-f]|0[a-f])")
_WORDS = {None: "null", True: "true", False: "false"}


class ExactNumber(float):
    """A number with a point or an exponent, and how it is written."""

    __slots__ = ("text",)
    text: str


def read_json(text: str) -> Json:
    """As Avro reads it. SchemaError, with where, when it is not one JSON value, or one too large to handle."""
    if "/" in text:
        text = _COMMENT_OR_STRING.sub(lambda found: found.group(1) or " ", text)
    return _read(text, _DOUBLES)


def read_exact_json(text: str) -> Json:
    """As JSON Schema reads it; SchemaError likewise."""
    return _read(text, _EXACT)


def write_json(value: Json, *, is_sorted: bool = False) -> str:
    """Keys as they came, or in Java's order of strings."""
    parts: list[str] = []
    _write(value, is_sorted, parts.append)
    return "".join(parts)


def write_string(text: str) -> str:
    written = encode_basestring(text)
    return (
        _LOWER_ESCAPE.sub(lambda found: f"{found[1]}\\u00{found[2].upper()}", written) if "\\u" in written else written
    )


def java_special(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _read(text: str, decoder: json.JSONDecoder) -> Json:
    _check_characters(text)
    _check_nesting(text)
    try:
        value: Json = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise SchemaError(f"Invalid JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise SchemaError("Invalid JSON: nested too deeply") from None
    if "\\ud" in text or "\\uD" in text:
        _check_characters(json.dumps(value, ensure_ascii=False))
    return value


def _check_characters(text: str) -> None:
    """Half a pair could be stored by nobody, and an error text that quotes it could not be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SchemaError("Invalid JSON: half a surrogate pair is no character") from None


def _check_nesting(text: str) -> None:
    if text.count("[") + text.count("{") <= NESTING_MAX:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            if depth > NESTING_MAX:
                raise SchemaError(f"Invalid JSON: nested more than {NESTING_MAX} deep")
        elif found[0] in "]}":
            depth -= 1


def _write(value: Json, is_sorted: bool, put: Callable[[str], None]) -> None:
    if isinstance(value, str):
        put(write_string(value))
    elif value is None or isinstance(value, bool):
        put(_WORDS[value])
    elif isinstance(value, float):
        put(_float_text(value))
    elif isinstance(value, Mapping):
        opening = "{"
        for key, item in _members(value, is_sorted):
            put(opening)
            put(write_string(key))
            put(":")
            _write(item, is_sorted, put)
            opening = ","
        put("}" if value else "{}")
    elif isinstance(value, list):
        opening = "["
        for item in value:
            put(opening)
            _write(item, is_sorted, put)
            opening = ","
        put("]" if value else "[]")
    else:
        assert isinstance(value, int), value
        put(str(value))


def _float_text(value: float) -> str:
    if isinstance(value, ExactNumber):
        return value.text
    # Jackson quotes what JSON has no number for.
    return java_double_text(value) if math.isfinite(value) else f'"{java_special(value)}"'


def _members(value: Mapping[str, Json], is_sorted: bool) -> Iterable[tuple[str, Json]]:
    # Java compares strings by UTF-16 units, which puts what is beyond the basic plane before its last characters.
    return sorted(value.items(), key=lambda item: item[0].encode("utf-16-be")) if is_sorted else value.items()


def _whole(text: str) -> int:
    return int(_bounded(text))


def _double(text: str) -> float:
    return float(_bounded(text))


def _exact(text: str) -> ExactNumber:
    number = Decimal(_bounded(text))
    value = ExactNumber(text)
    if abs(number.adjusted()) > EXPONENT_MAX or not math.isfinite(value):
        raise SchemaError(f"Invalid JSON: the number {text[:40]} is out of range")
    # Decimal and Java's BigDecimal print alike, but for the sign of zero, which the latter has not.
    value.text = str(number if number else abs(number))
    return value


def _bounded(text: str) -> str:
    if len(text) > NUMBER_LENGTH_MAX:
        raise SchemaError(f"Invalid JSON: a number of {len(text)} digits, of {NUMBER_LENGTH_MAX} allowed")
    return text


def _no_constant(text: str) -> Json:
    raise SchemaError(f"Invalid JSON: {text} is no value")


_DOUBLES = json.JSONDecoder(parse_int=_whole, parse_float=_double, parse_constant=_no_constant)
_EXACT = json.JSONDecoder(parse_int=_whole, parse_float=_exact, parse_constant=_no_constant)
