"""What functions of dates, times of day and timestamps have in common: an interval to move by, a pattern to read by."""

from __future__ import annotations

from collections.abc import Callable

from riacho.pipelines.sql.functions.function import Argument, MakeSql, Parameter, Signature, Unit
from riacho.pipelines.sql.types import INTEGER, STRING, SqlType

CATEGORY = "DATE / TIME"
PATTERN = Parameter("formatPattern", STRING, "A pattern of java.time.format.DateTimeFormatter.")
_UNIT = Parameter("unit", Unit(), "A unit of time, such as DAYS or MINUTES.")
_INTERVAL = Parameter("interval", INTEGER, "How many of the unit.")


def by_interval(name: str, kind: SqlType, make: MakeSql) -> tuple[Signature, ...]:
    return (Signature((_UNIT, _INTERVAL, Parameter(name, kind)), kind, make),)


def by_pattern(
    name: str, kind: SqlType, result: SqlType, make: Callable[[str, Argument], str]
) -> tuple[Signature, ...]:
    return (
        Signature((Parameter(name, kind), PATTERN), result, lambda arguments: make(arguments[0].text, arguments[1])),
    )
