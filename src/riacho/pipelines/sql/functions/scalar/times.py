"""Functions of times of day, which are milliseconds since midnight; those of timestamps are in `timestamps.py`."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import Argument, Example, Function, MakeSql
from riacho.pipelines.sql.functions.scalar import date_calls, timestamps
from riacho.pipelines.sql.functions.scalar.intervals import millis, months_of
from riacho.pipelines.sql.functions.scalar.moment_signatures import CATEGORY, by_interval, by_pattern
from riacho.pipelines.sql.types import STRING, TIME


def _moved(sign: str) -> MakeSql:
    def make(arguments: Sequence[Argument]) -> str:
        unit, count, time = arguments
        if months_of(unit):
            return "CAST(NULL AS INT)"
        return f"CAST(pmod({time.text} {sign} {millis(unit, count)}, 86400000L) AS INT)"

    return make


_TIMES: tuple[Function, ...] = (
    Function(
        "TIMEADD",
        CATEGORY,
        "Adds an interval to a time of day; after midnight comes the morning.",
        by_interval("time", TIME, _moved("+")),
        (
            Example("TIMEADD(SECONDS, 5, PARSE_TIME('00:00:10', 'HH:mm:ss'))", 15_000),
            Example("TIMEADD(HOURS, 2, PARSE_TIME('23:00', 'HH:mm'))", 3_600_000),
            Example("TIMEADD(HOURS, 2, CAST(NULL AS TIME))", None),
        ),
    ),
    Function(
        "TIMESUB",
        CATEGORY,
        "Takes an interval from a time of day; before midnight comes the evening.",
        by_interval("time", TIME, _moved("-")),
        (
            Example("TIMESUB(MILLISECONDS, 5, PARSE_TIME('00:00:01', 'HH:mm:ss'))", 995),
            Example("TIMESUB(HOURS, 2, PARSE_TIME('01:00', 'HH:mm'))", 82_800_000),
        ),
    ),
    Function(
        "FORMAT_TIME",
        CATEGORY,
        "The text of a time of day by a pattern.",
        by_pattern("time", TIME, STRING, date_calls.format_time),
        (
            Example("FORMAT_TIME(PARSE_TIME('13:25:10', 'HH:mm:ss'), 'HH:mm:ss.SSS')", "13:25:10.000"),
            Example("FORMAT_TIME(PARSE_TIME('13:25', 'HH:mm'), 'hh:mm a')", "01:25 PM"),
            Example("FORMAT_TIME(PARSE_TIME('13:25', 'HH:mm'), 'yyyy')", None),
        ),
    ),
    Function(
        "PARSE_TIME",
        CATEGORY,
        "The time of day of a text by a pattern.",
        by_pattern("formattedTime", STRING, TIME, date_calls.parse_time),
        (
            Example("PARSE_TIME('000105.000', 'HHmmss.SSS')", 65_000),
            Example("PARSE_TIME('01:25 pm', 'hh:mm a')", 48_300_000),
            Example("PARSE_TIME('24:00', 'HH:mm')", 0),
            Example("PARSE_TIME('2021 10:00', 'yyyy HH:mm')", None),
            Example("PARSE_TIME('10:60', 'HH:mm')", None),
        ),
    ),
)

FUNCTIONS: tuple[Function, ...] = _TIMES + timestamps.FUNCTIONS
