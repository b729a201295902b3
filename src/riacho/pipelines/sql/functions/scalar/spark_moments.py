"""Milliseconds and days as Spark's own timestamps and dates, null where Spark cannot hold them: it would end the query
for one record's sake."""

from __future__ import annotations

from riacho.pipelines.sql.expressions.binding import let

# Some 190,000 years to either side, and 80,000 more for what is added: Spark ends at 292,000.
_MILLIS_MAX = "6000000000000000L"
_DAYS_MAX = "60000000"
_MONTHS_MAX = 1_000_000


def moment(millis: str) -> str:
    return let(millis, lambda x: f"timestamp_millis({_within(x, _MILLIS_MAX, x)})")


def day(days: str) -> str:
    return let(days, lambda x: f"date_from_unix_date({_within(x, _DAYS_MAX, x)})")


def months(count: str, each: int) -> str:
    """So many units of `each` months."""
    return let(count, lambda x: _within(x, str(_MONTHS_MAX // each), f"{x} * {each}"))


def _within(text: str, limit: str, value: str) -> str:
    return f"IF({text} BETWEEN -{limit} AND {limit}, {value}, NULL)"
