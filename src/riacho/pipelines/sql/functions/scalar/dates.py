"""Functions of dates, which are days since 1970."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import Argument, Example, Function, MakeSql, Parameter, Signature, sql
from riacho.pipelines.sql.functions.scalar import date_calls, spark_moments
from riacho.pipelines.sql.functions.scalar.intervals import millis, months_of
from riacho.pipelines.sql.functions.scalar.moment_signatures import CATEGORY, by_interval, by_pattern
from riacho.pipelines.sql.types import DATE, INTEGER, STRING


def _moved(sign: str) -> MakeSql:
    def make(arguments: Sequence[Argument]) -> str:
        unit, count, date = arguments
        months = months_of(unit)
        if months:
            moved = f"add_months({spark_moments.day(date.text)}, {sign}({spark_moments.months(count.text, months)}))"
            return f"unix_date({moved})"
        # Whole days of what comes out, towards 1970: a day and 23 hours is a day.
        return f"CAST((({date.text} * 86400000L) {sign} {millis(unit, count)}) div 86400000L AS INT)"

    return make


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "DATEADD",
        CATEGORY,
        "Adds an interval to a date.",
        by_interval("date", DATE, _moved("+")),
        (
            Example("DATEADD(DAYS, 9, FROM_DAYS(110))", 119),
            Example("DATEADD(HOURS, 47, FROM_DAYS(10))", 11),
            Example("DATEADD(DAYS, -20, FROM_DAYS(10))", -10),
            Example("DATEADD(DAYS, CAST(NULL AS INT), FROM_DAYS(10))", None),
        ),
    ),
    Function(
        "DATESUB",
        CATEGORY,
        "Takes an interval from a date.",
        by_interval("date", DATE, _moved("-")),
        (
            Example("DATESUB(DAYS, 9, FROM_DAYS(110))", 101),
            Example("DATESUB(HOURS, 1, FROM_DAYS(1))", 0),
            Example("DATESUB(DAYS, 1, CAST(NULL AS DATE))", None),
        ),
    ),
    Function(
        "FORMAT_DATE",
        CATEGORY,
        "The text of a date by a pattern.",
        by_pattern("date", DATE, STRING, date_calls.format_date),
        (
            Example("FORMAT_DATE(FROM_DAYS(18659), 'yyyy-MM-dd')", "2021-02-01"),
            Example("FORMAT_DATE(FROM_DAYS(18659), 'dd/MMM/yyyy')", "01/Feb/2021"),
            Example("FORMAT_DATE(FROM_DAYS(18659), 'yyyy''Q''Q')", "2021Q1"),
            Example("FORMAT_DATE(FROM_DAYS(18659), 'HH')", None),
            Example("FORMAT_DATE(FROM_DAYS(18659), 'foo')", None),
        ),
    ),
    Function(
        "PARSE_DATE",
        CATEGORY,
        "The date of a text by a pattern. Of a year, or a year and a month, the first day.",
        by_pattern("formattedDate", STRING, DATE, date_calls.parse_date),
        (
            Example("PARSE_DATE('2021-02-01', 'yyyy-MM-dd')", 18659),
            Example("PARSE_DATE('01/feb/2021', 'dd/MMM/yyyy')", 18659),
            Example("PARSE_DATE('2021-05', 'yyyy-MM')", 18748),
            Example("PARSE_DATE('2021', 'yyyy')", 18628),
            Example("PARSE_DATE('2021-06-31', 'yyyy-MM-dd')", 18808),
            Example("PARSE_DATE('05', 'MM')", None),
            Example("PARSE_DATE('2021-02-01 10', 'yyyy-MM-dd HH')", None),
            Example("PARSE_DATE('nothing', 'yyyy-MM-dd')", None),
        ),
    ),
    Function(
        "DATETOSTRING",
        CATEGORY,
        "The text of a number of days since 1970 by a pattern. FORMAT_DATE does it for dates.",
        by_pattern("epochDays", INTEGER, STRING, date_calls.format_date),
        (
            Example("DATETOSTRING(18659, 'yyyy-MM-dd')", "2021-02-01"),
            Example("DATETOSTRING(-1, 'dd.MM.yy')", "31.12.69"),
            Example("DATETOSTRING(CAST(NULL AS INT), 'yyyy')", None),
        ),
    ),
    Function(
        "STRINGTODATE",
        CATEGORY,
        "The number of days since 1970 of a text by a pattern. PARSE_DATE gives a date.",
        by_pattern("formattedDate", STRING, INTEGER, date_calls.parse_whole_date),
        (
            Example("STRINGTODATE('2021-02-01', 'yyyy-MM-dd')", 18659),
            Example("STRINGTODATE('2021 032', 'yyyy DDD')", 18659),
            Example("STRINGTODATE('2021-02', 'yyyy-MM')", None),
        ),
    ),
    Function(
        "FROM_DAYS",
        CATEGORY,
        "The date that is a number of days after 1970-01-01.",
        (Signature((Parameter("days", INTEGER),), DATE, sql("{0}")),),
        (Example("FROM_DAYS(50)", 50), Example("FROM_DAYS(-1)", -1), Example("FROM_DAYS(CAST(NULL AS INT))", None)),
    ),
    Function(
        "UNIX_DATE",
        CATEGORY,
        "Days since 1970-01-01: of a date, or of today in UTC.",
        (
            Signature((), INTEGER, sql("unix_date(current_date())")),
            Signature((Parameter("date", DATE),), INTEGER, sql("{0}")),
        ),
        (
            Example("UNIX_DATE(PARSE_DATE('1970-02-01', 'yyyy-MM-dd'))", 31),
            Example("UNIX_DATE() > 20000", True),
            Example("UNIX_DATE(CAST(NULL AS DATE))", None),
        ),
    ),
)
