"""Functions of timestamps, which are milliseconds since 1970 in UTC."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import Argument, Example, Function, MakeSql, Parameter, Signature, sql
from riacho.pipelines.sql.functions.scalar import date_calls, spark_moments
from riacho.pipelines.sql.functions.scalar.intervals import millis, months_of
from riacho.pipelines.sql.functions.scalar.moment_signatures import CATEGORY, PATTERN, by_interval
from riacho.pipelines.sql.types import BIGINT, STRING, TIMESTAMP, SqlType

_ZONE = Parameter("timeZone", STRING, "The id of a zone, such as UTC or Europe/London.")


def _moved(sign: str) -> MakeSql:
    def make(arguments: Sequence[Argument]) -> str:
        unit, count, timestamp = arguments
        months = months_of(unit)
        if months:
            interval = f"make_ym_interval(0, {sign}({spark_moments.months(count.text, months)}))"
            return f"unix_millis({spark_moments.moment(timestamp.text)} + {interval})"
        return f"({timestamp.text} {sign} {millis(unit, count)})"

    return make


def _zone(arguments: Sequence[Argument], otherwise: str) -> Argument:
    return arguments[2] if len(arguments) > 2 else Argument(f"'{otherwise}'", STRING, otherwise)


def _formatted(default_zone: str) -> MakeSql:
    return lambda arguments: date_calls.format_timestamp(
        arguments[0].text, arguments[1], _zone(arguments, default_zone)
    )


def _parsed(arguments: Sequence[Argument]) -> str:
    return date_calls.parse_timestamp(arguments[0].text, arguments[1], _zone(arguments, "UTC"))


def _with_and_without_zone(parameter: Parameter, result: SqlType, make: MakeSql) -> tuple[Signature, ...]:
    return (
        Signature((parameter, PATTERN), result, make),
        Signature((parameter, PATTERN, _ZONE), result, make),
    )


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "TIMESTAMPADD",
        CATEGORY,
        "Adds an interval to a timestamp.",
        by_interval("timestamp", TIMESTAMP, _moved("+")),
        (
            Example("TIMESTAMPADD(SECONDS, 10, FROM_UNIXTIME(5))", 10_005),
            Example("TIMESTAMPADD(DAYS, -1, FROM_UNIXTIME(0))", -86_400_000),
            Example("TIMESTAMPADD(DAYS, 1, CAST(NULL AS TIMESTAMP))", None),
        ),
    ),
    Function(
        "TIMESTAMPSUB",
        CATEGORY,
        "Takes an interval from a timestamp.",
        by_interval("timestamp", TIMESTAMP, _moved("-")),
        (
            Example("TIMESTAMPSUB(MINUTES, 1, FROM_UNIXTIME(60001))", 1),
            Example("TIMESTAMPSUB(DAYS, CAST(NULL AS INT), FROM_UNIXTIME(0))", None),
        ),
    ),
    Function(
        "FORMAT_TIMESTAMP",
        CATEGORY,
        "The text of a timestamp by a pattern, in a zone or in GMT.",
        _with_and_without_zone(Parameter("timestamp", TIMESTAMP), STRING, _formatted("GMT")),
        (
            Example(
                "FORMAT_TIMESTAMP(FROM_UNIXTIME(1638360611123), 'yyyy-MM-dd HH:mm:ss.SSS')", "2021-12-01 12:10:11.123"
            ),
            Example(
                "FORMAT_TIMESTAMP(FROM_UNIXTIME(1638360611123), 'yyyy-MM-dd''T''HH:mm:ssX')", "2021-12-01T12:10:11Z"
            ),
            Example(
                "FORMAT_TIMESTAMP(FROM_UNIXTIME(1638360611123), 'yyyy-MM-dd HH:mm:ss', 'Asia/Kolkata')",
                "2021-12-01 17:40:11",
            ),
            Example(
                "FORMAT_TIMESTAMP(FROM_UNIXTIME(1638360611123), 'HH:mm VV xxx', 'Europe/Paris')",
                "13:10 Europe/Paris +01:00",
            ),
            Example("FORMAT_TIMESTAMP(FROM_UNIXTIME(0), 'yyyy', 'Nowhere')", None),
        ),
    ),
    Function(
        "PARSE_TIMESTAMP",
        CATEGORY,
        "The timestamp of a text by a pattern. A zone counts where the text names none; without one it is UTC.",
        _with_and_without_zone(Parameter("formattedTimestamp", STRING), TIMESTAMP, _parsed),
        (
            Example("PARSE_TIMESTAMP('2021-12-01 12:10:11.123', 'yyyy-MM-dd HH:mm:ss.SSS')", 1638360611123),
            Example("PARSE_TIMESTAMP('2021-12-01t12:10:11z', 'yyyy-MM-dd''T''HH:mm:ssX')", 1638360611000),
            Example("PARSE_TIMESTAMP('2021-12-01T13:10:11+0100', 'yyyy-MM-dd''T''HH:mm:ssX')", 1638360611000),
            Example("PARSE_TIMESTAMP('2021-12-01 17:40', 'yyyy-MM-dd HH:mm', 'Asia/Kolkata')", 1638360600000),
            Example("PARSE_TIMESTAMP('10-11', 'MM-dd')", 24451200000),
            Example("PARSE_TIMESTAMP('2021-06-31', 'yyyy-MM-dd')", 1625011200000),
            Example("PARSE_TIMESTAMP('2021-06-30 24:00', 'yyyy-MM-dd HH:mm')", 1625097600000),
            Example("PARSE_TIMESTAMP('1 Dec 2021, 9pm', 'd MMM yyyy, ha')", 1638392400000),
            Example("PARSE_TIMESTAMP('2021-12-01', 'yyyy-MM-dd HH:mm')", None),
        ),
    ),
    Function(
        "TIMESTAMPTOSTRING",
        CATEGORY,
        "The text of milliseconds since 1970 by a pattern. FORMAT_TIMESTAMP does it for timestamps.",
        _with_and_without_zone(Parameter("epochMilli", BIGINT), STRING, _formatted("UTC")),
        (
            Example("TIMESTAMPTOSTRING(1526075913000, 'yyyy-MM-dd''T''HH:mm:ss')", "2018-05-11T21:58:33"),
            Example(
                "TIMESTAMPTOSTRING(1526075913000, 'yyyy-MM-dd HH:mm:ss', 'America/Los_Angeles')", "2018-05-11 14:58:33"
            ),
            Example("TIMESTAMPTOSTRING(1526075913000, 'invalid')", None),
        ),
    ),
    Function(
        "STRINGTOTIMESTAMP",
        CATEGORY,
        "The milliseconds since 1970 of a text by a pattern. PARSE_TIMESTAMP gives a timestamp.",
        _with_and_without_zone(Parameter("formattedTimestamp", STRING), BIGINT, _parsed),
        (
            Example("STRINGTOTIMESTAMP('2018-05-11T21:58:33Z', 'yyyy-MM-dd''T''HH:mm:ssX')", 1526075913000),
            Example("STRINGTOTIMESTAMP('20210109132230099', 'yyyyMMddHHmmssSSS')", 1610198550099),
            Example("STRINGTOTIMESTAMP('2018', 'yyyy', 'Europe/Paris')", 1514761200000),
            Example("STRINGTOTIMESTAMP(CAST(NULL AS STRING), 'yyyy')", None),
        ),
    ),
    Function(
        "CONVERT_TZ",
        CATEGORY,
        "What the clocks of one zone show when those of another show this.",
        (
            Signature(
                (
                    Parameter("timestamp", TIMESTAMP),
                    Parameter("fromTimeZone", STRING),
                    Parameter("toTimeZone", STRING),
                ),
                TIMESTAMP,
                lambda arguments: date_calls.convert_zone(arguments[0].text, arguments[1], arguments[2]),
            ),
        ),
        (
            Example("CONVERT_TZ(FROM_UNIXTIME(0), 'America/Los_Angeles', 'America/New_York')", 10_800_000),
            Example("CONVERT_TZ(FROM_UNIXTIME(0), '+0200', '+0500')", 10_800_000),
            Example("CONVERT_TZ(FROM_UNIXTIME(0), 'wow', '+0500')", None),
        ),
    ),
    Function(
        "FROM_UNIXTIME",
        CATEGORY,
        "The timestamp of milliseconds since 1970.",
        (Signature((Parameter("epochMilli", BIGINT),), TIMESTAMP, sql("{0}")),),
        (Example("FROM_UNIXTIME(1638360611123)", 1638360611123), Example("FROM_UNIXTIME(CAST(NULL AS BIGINT))", None)),
    ),
    Function(
        "UNIX_TIMESTAMP",
        CATEGORY,
        "Milliseconds since 1970: of a timestamp, or of now.",
        (
            Signature((), BIGINT, sql("unix_millis(current_timestamp())")),
            Signature((Parameter("timestamp", TIMESTAMP),), BIGINT, sql("{0}")),
        ),
        (
            Example("UNIX_TIMESTAMP(FROM_UNIXTIME(100))", 100),
            Example("UNIX_TIMESTAMP() > 1600000000000", True),
            Example("UNIX_TIMESTAMP(CAST(NULL AS TIMESTAMP))", None),
        ),
    ),
)
