"""Values of one type as values of another, in plain Python: what INSERT VALUES does to literals."""

from __future__ import annotations

import base64
import binascii
import datetime
import decimal
import math
from typing import Any

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Map,
    SqlType,
    Struct,
    is_number,
)

_EPOCH = datetime.date(1970, 1, 1).toordinal()


class NoConversion(Exception):
    """A value that does not become one of the wanted type."""


def converted(value: Any, kind: SqlType | None, target: SqlType, is_cast: bool = False) -> Any:
    """KsqlError where there is no way. A cast may do more than what happens by itself: narrow, and read text."""
    try:
        return _converted(value, kind, target, is_cast)
    except (NoConversion, decimal.InvalidOperation, ValueError, OverflowError, binascii.Error):
        raise KsqlError(f"Cannot convert {value!r} of type {kind} to {target}.") from None


def _converted(value: Any, kind: SqlType | None, target: SqlType, is_cast: bool) -> Any:
    if value is None or kind is None:
        return None
    match target:
        case Array(item) if isinstance(kind, Array):
            return [_converted(each, kind.item, item, is_cast) for each in value]
        case Map() if isinstance(kind, Map):
            return _map(value, kind, target, is_cast)
        case Struct() if isinstance(kind, Struct):
            return _struct(value, kind, target, is_cast)
        case _ if kind == target:
            return value
        case Decimal() if is_number(kind) or (kind == STRING):
            return decimal_text(number_of(value), target)
        case _ if target in (INTEGER, BIGINT):
            return _integer(value, kind, target, is_cast)
        case _ if target == DOUBLE and (is_number(kind) or (kind == STRING and is_cast)):
            return double(float(value))
        case _ if kind == STRING and target in (TIMESTAMP, DATE, TIME):
            return time_value(value, target)
        case _ if kind == STRING and target == BYTES:
            return base64.b64encode(base64.b64decode(value, validate=True)).decode()
        case _ if target == STRING and is_cast:
            return _text(value, kind)
        case _ if target == BOOLEAN and kind == STRING and is_cast:
            return value.strip().lower() in ("true", "t", "yes", "y")
        case _ if kind == TIMESTAMP and is_cast and target == DATE:
            return value // 86_400_000
        case _ if kind == TIMESTAMP and is_cast and target == TIME:
            return value % 86_400_000
        case _ if kind == DATE and target == TIMESTAMP and is_cast:
            return value * 86_400_000
        case _:
            raise NoConversion


def number_of(value: Any) -> decimal.Decimal:
    return decimal.Decimal(repr(value) if isinstance(value, float) else str(value).strip())


def decimal_text(number: decimal.Decimal, kind: Decimal) -> str:
    with decimal.localcontext(decimal.Context(prec=100)):
        scaled = number.quantize(decimal.Decimal(1).scaleb(-kind.scale), decimal.ROUND_HALF_UP)
    if not scaled.is_finite() or (len(scaled.as_tuple().digits) > max(kind.precision, 1) and scaled != 0):
        raise NoConversion
    return f"{scaled:f}"


def _integer(value: Any, kind: SqlType, target: SqlType, is_cast: bool) -> int:
    if not (kind == INTEGER or (is_cast and (is_number(kind) or kind == STRING))):
        raise NoConversion
    number = int(number_of(value))
    bits = 31 if target == INTEGER else 63
    if not -(2**bits) <= number < 2**bits:
        raise NoConversion
    return number


def double(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _map(value: Any, kind: Map, target: Map, is_cast: bool) -> Any:
    entries = list(value.items()) if isinstance(value, dict) else [(each["key"], each["value"]) for each in value]
    done = [
        (_converted(key, kind.key, target.key, is_cast), _converted(each, kind.value, target.value, is_cast))
        for key, each in entries
    ]
    return dict(done) if target.key == STRING else [{"key": key, "value": each} for key, each in done]


def _struct(value: Any, kind: Struct, target: Struct, is_cast: bool) -> dict[str, Any]:
    """Fields by their names; those that are not given are null. A field that the target lacks has no place."""
    if any(target.field(each.name) is None for each in kind.fields):
        raise NoConversion
    done: dict[str, Any] = {}
    for each in target.fields:
        given = kind.field(each.name)
        done[each.name] = None if given is None else _converted(value.get(each.name), given.type, each.type, is_cast)
    return done


def time_value(text: str, target: SqlType) -> int:
    text = text.strip()
    if target == DATE:
        return datetime.date.fromisoformat(text).toordinal() - _EPOCH
    if target == TIME:
        time = datetime.time.fromisoformat(text)
        return ((time.hour * 60 + time.minute) * 60 + time.second) * 1_000 + time.microsecond // 1_000
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return math.floor(
        (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) / datetime.timedelta(milliseconds=1)
    )


def _text(value: Any, kind: SqlType) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == DATE:
        return datetime.date.fromordinal(value + _EPOCH).isoformat()
    if kind in (TIME, TIMESTAMP):
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=value)
        if kind == TIME:
            return moment.time().isoformat("milliseconds" if value % 1_000 else "auto")
        return moment.isoformat(timespec="milliseconds")
    if isinstance(value, str | int | float):
        return str(value)
    raise NoConversion
