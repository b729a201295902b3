"""Whether a payload's JSON is what a test case expects: by ksqlDB's test tool's measure.

Numbers are equal by their value, doubles within a millionth; a field is found by its name or its upper-case form; there
are as many fields as are expected, null ones counted.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.csv_record import read_record
from riacho.pipelines.sql.formats.json_source import NumberText

_TOLERANCE = 0.000_001
# As many digits as a double has: numbers of no more are compared as such too, since both may be texts of one double.
_DOUBLE_DIGITS = 17


def same(expected: Any, actual: Any) -> bool:
    if expected is None or actual is None:
        return expected is actual
    if isinstance(expected, dict):
        return isinstance(actual, dict) and _same_fields(expected, actual)
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(same(one, other) for one, other in zip(expected, actual, strict=True))
        )
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if _is_number(expected):
        return _is_number(actual) and _same_number(expected, actual)
    return _same_text(expected, actual)


def same_delimited(expected: Any, actual: Any, delimiter: str = ",") -> bool:
    """Also where fields are quoted that need not be."""
    if not isinstance(expected, str) or not isinstance(actual, str) or expected == actual:
        return bool(expected == actual)
    try:
        return read_record(expected, delimiter) == read_record(actual, delimiter)
    except CodecError:
        return False


def _same_fields(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    if len(expected) != len(actual):
        return False
    for name, value in expected.items():
        found = actual.get(name)
        if not same(value, actual.get(name.upper()) if found is None else found):
            return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | NumberText)


def _same_number(expected: Any, actual: Any) -> bool:
    try:
        one, other = _decimal(expected), _decimal(actual)
    except InvalidOperation:
        return False
    if one == other:
        return True
    if type(actual) is float:
        return abs(float(one) - actual) < _TOLERANCE
    if max(len(one.as_tuple().digits), len(other.as_tuple().digits)) > _DOUBLE_DIGITS:
        return False
    return type(actual) is not int and float(one) == float(other)


def _decimal(value: Any) -> Decimal:
    return Decimal(repr(value)) if type(value) is float else Decimal(value)


def _same_text(expected: Any, actual: Any) -> bool:
    if type(actual) is not NumberText:
        return bool(expected == actual)
    try:
        return Decimal(expected) == Decimal(actual)
    except InvalidOperation:
        return False
