"""Values of rows as answers show them: as ksqlDB's JSON has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec

from riacho.pipelines.sql.types import (
    DATE,
    TIME,
    TIMESTAMP,
    Array,
    Decimal,
    Map,
    SqlType,
    Struct,
)

Show = Callable[[Any], Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = date(1970, 1, 1)
_DAY_MS = 24 * 60 * 60 * 1000
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def shown_by(kind: SqlType) -> Show | None:
    """None where the value is shown as it is kept."""
    match kind:
        case Decimal():
            return _decimal
        case Array(item):
            inner = shown_by(item)
            return None if inner is None else lambda value: [_shown(inner, each) for each in value]
        case Map(key, value) if str(key) == "STRING":
            inner = shown_by(value)
            if inner is None:
                return None
            return lambda found: {name: _shown(inner, each) for name, each in found.items()}
        case Map(_, value):
            inner = shown_by(value)
            return lambda found: {str(each["key"]): _shown(inner, each["value"]) for each in found}
        case Struct(fields):
            inners = {field.name: shown_by(field.type) for field in fields}
            if not any(inners.values()):
                return None
            return lambda found: {name: _shown(inners.get(name), each) for name, each in found.items()}
        case _ if kind == TIMESTAMP:
            return _timestamp
        case _ if kind == DATE:
            return _date
        case _ if kind == TIME:
            return _time
        case _:
            return None


def _shown(show: Show | None, value: Any) -> Any:
    return value if show is None or value is None else show(value)


def shown(shows: list[Show | None], values: list[Any]) -> list[Any]:
    return [_shown(show, value) for show, value in zip(shows, values, strict=True)]


def _decimal(text: str) -> Any:
    """A JSON number with all its digits: 1.50, however many there are."""
    return msgspec.Raw(text.encode()) if _NUMBER.fullmatch(text) else text


def _timestamp(millis: int) -> Any:
    try:
        moment = _EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return millis
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}"


def _date(days: int) -> Any:
    try:
        return (_DAY + timedelta(days=days)).isoformat()
    except OverflowError:
        return days


def _time(millis: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=millis % _DAY_MS)
    text = f"{moment:%H:%M}"
    if moment.second or moment.microsecond:
        text += f":{moment:%S}"
    return text + (f".{moment.microsecond // 1000:03d}" if moment.microsecond else "")
