"""Intervals that are added to dates and times: a number of a unit, as in DATEADD(DAYS, 3, d)."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Argument

_MILLIS = {
    "MILLISECOND": 1,
    "SECOND": 1_000,
    "MINUTE": 60_000,
    "HOUR": 3_600_000,
    "DAY": 86_400_000,
    "WEEK": 7 * 86_400_000,
}
_MONTHS = {"MONTH": 1, "YEAR": 12}


def months_of(unit: Argument) -> int:
    """0 for a unit that has a length in milliseconds."""
    return _MONTHS.get(_name(unit), 0)


def millis(unit: Argument, count: Argument) -> str:
    return f"({count.text} * {_MILLIS[_name(unit)]}L)"


def _name(unit: Argument) -> str:
    return unit.text.upper().removesuffix("S")
