"""Values as JSON shows them: dates and times as ISO texts, wherever they are."""

from __future__ import annotations

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.scalar.spark_moments import day, moment
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import DATE, TIME, TIMES, TIMESTAMP, Array, Map, SqlType, Struct, quoted, walk


def json_form(value: str, kind: SqlType, depth: int = 0) -> str:
    """The Spark value whose `to_json` is the JSON of a value of this type."""
    if not any(part in TIMES for part in walk(kind)):
        return value
    name = f"_j{depth}"
    match kind:
        case Array(item):
            return f"transform({value}, {name} -> {json_form(name, item, depth + 1)})"
        case Map(_, inner):
            return f"transform_values({value}, ({name}k, {name}v) -> {json_form(f'{name}v', inner, depth + 1)})"
        case Struct(fields):
            parts = ", ".join(
                f"{sql_string(each.name)}, {json_form(f'{value}.{quoted(each.name)}', each.type, depth)}"
                for each in fields
            )
            return f"IF(({value}) IS NULL, NULL, named_struct({parts}))"
        case _:
            return _iso_text(value, kind)


def _iso_text(value: str, kind: SqlType) -> str:
    if kind == DATE:
        return f"date_format({day(value)}, 'yyyy-MM-dd')"
    if kind == TIME:
        return let(value, lambda millis: _clock(f"timestamp_millis(CAST({millis} AS BIGINT))", millis, ""))
    assert kind == TIMESTAMP
    return let(value, lambda millis: _clock(moment(millis), millis, "yyyy-MM-dd'T'"))


def _clock(moment: str, millis: str, before: str) -> str:
    """Seconds and milliseconds only where there are some."""
    forms = [sql_string(f"{before}HH:mm{tail}") for tail in ("", ":ss", ":ss.SSS")]
    minute, second = (f"{millis} % {unit} = 0" for unit in (60_000, 1_000))
    form = f"CASE WHEN {minute} THEN {forms[0]} WHEN {second} THEN {forms[1]} ELSE {forms[2]} END"
    return f"date_format({moment}, {form})"
