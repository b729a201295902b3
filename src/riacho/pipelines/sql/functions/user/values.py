"""Values as users' Python sees them, from and to what Spark and rows of tasks have.

Spark has dates and times as numbers; rows of tasks have besides decimals as texts and bytes as base64 (`row_json.py`).
What a function gives and its type cannot hold raises ValueError: it would stop the query in Arrow's conversion.
"""

from __future__ import annotations

import base64
import datetime
import decimal
from typing import Any

from riacho.pipelines.sql.types import STRING as TEXT
from riacho.pipelines.sql.types import Array, Base, Decimal, Map, Primitive, SqlType, Struct

_EPOCH_DAY = datetime.date(1970, 1, 1)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_BOUNDS = {Base.INTEGER: 1 << 31, Base.BIGINT: 1 << 63}
_EXACT = decimal.Context(prec=100)


def to_python(value: Any, kind: SqlType) -> Any:
    """From either form: each tells by its own type what it is."""
    if value is None:
        return None
    match kind:
        case Array(item):
            return [to_python(each, item) for each in value]
        case Map(key, inner):
            entries = value.items() if isinstance(value, dict) else ((each["key"], each["value"]) for each in value)
            return {to_python(name, key): to_python(each, inner) for name, each in entries}
        case Struct(fields):
            return {field.name: to_python(value[field.name], field.type) for field in fields}
        case Decimal():
            return value if isinstance(value, decimal.Decimal) else decimal.Decimal(value)
        case Primitive(base):
            return _primitive(value, base)
        case _:
            return value


def _primitive(value: Any, base: Base) -> Any:
    match base:
        case Base.DATE:
            return _EPOCH_DAY + datetime.timedelta(days=value)
        case Base.TIME:
            return (_EPOCH + datetime.timedelta(milliseconds=value)).time()
        case Base.TIMESTAMP:
            return _EPOCH + datetime.timedelta(milliseconds=value)
        case Base.BYTES:
            return base64.b64decode(value) if isinstance(value, str) else bytes(value)
        case Base.DOUBLE:
            return float(value)
        case _:
            return value


def from_python(value: Any, kind: SqlType, *, as_json: bool) -> Any:
    """`as_json`: for a row of a task, not for Spark."""
    if value is None:
        return None
    match kind:
        case Array(item):
            return [from_python(each, item, as_json=as_json) for each in value]
        case Map():
            return _map(value, kind, as_json)
        case Struct(fields):
            return {field.name: from_python(value.get(field.name), field.type, as_json=as_json) for field in fields}
        case Decimal():
            return _decimal(value, kind, as_json)
        case Primitive(base):
            return _checked(value, base, as_json)
        case _:
            raise ValueError("a function gives no lambda")


def _map(value: dict[Any, Any], kind: Map, as_json: bool) -> Any:
    entries = [
        (from_python(name, kind.key, as_json=as_json), from_python(each, kind.value, as_json=as_json))
        for name, each in value.items()
    ]
    if as_json and kind.key != TEXT:
        return [{"key": name, "value": each} for name, each in entries]
    return dict(entries)


def _decimal(value: Any, kind: Decimal, as_json: bool) -> Any:
    number = decimal.Decimal(value) if not isinstance(value, float) else decimal.Decimal(repr(value))
    if not number.is_finite() or abs(number) >= decimal.Decimal(10) ** (kind.precision - kind.scale):
        raise ValueError(f"{value} is no {kind}")
    fitted = number.quantize(decimal.Decimal(1).scaleb(-kind.scale), decimal.ROUND_HALF_UP, _EXACT)
    return f"{fitted:f}" if as_json else fitted


def _checked(value: Any, base: Base, as_json: bool) -> Any:
    match base:
        case Base.BOOLEAN if isinstance(value, bool):
            return value
        case Base.INTEGER | Base.BIGINT if isinstance(value, int) and not isinstance(value, bool):
            if -_BOUNDS[base] <= value < _BOUNDS[base]:
                return value
        case Base.DOUBLE if isinstance(value, int | float) and not isinstance(value, bool):
            return _double(float(value), as_json)
        case Base.STRING if isinstance(value, str):
            return value
        case Base.BYTES if isinstance(value, bytes | bytearray):
            return base64.b64encode(value).decode() if as_json else bytes(value)
        case Base.DATE if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return (value - _EPOCH_DAY).days
        case Base.TIME if isinstance(value, datetime.time):
            return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000 + value.microsecond // 1_000
        case Base.TIMESTAMP if isinstance(value, datetime.datetime):
            aware = value if value.tzinfo is not None else value.replace(tzinfo=datetime.UTC)
            return (aware - _EPOCH) // datetime.timedelta(milliseconds=1)
        case _:
            pass
    raise ValueError(f"{type(value).__name__} is no {base.value}, or does not fit")


def _double(value: float, as_json: bool) -> float | str:
    if not as_json or value - value == 0:
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
