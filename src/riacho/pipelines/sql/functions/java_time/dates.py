"""Dates by a pattern: FORMAT_DATE, PARSE_DATE and their elders."""

from __future__ import annotations

from riacho.pipelines.sql.functions.java_time import calendar
from riacho.pipelines.sql.functions.java_time.fields import Resolved, checked, resolved
from riacho.pipelines.sql.functions.java_time.formatting import formatted
from riacho.pipelines.sql.functions.java_time.moment import Moment
from riacho.pipelines.sql.functions.java_time.parsing import parsed_fields
from riacho.pipelines.sql.functions.java_time.pattern import pattern_of


def days_text(days: int, pattern: str) -> str:
    return formatted(Moment(days=days), pattern_of(pattern))


def parse_date(text: str, pattern: str) -> int:
    """Days since 1970. Of a date that lacks its day, or its month too, the first; ValueError where it lacks more, or
    where the pattern has a time of day in it."""
    found = resolved(parsed_fields(text, pattern_of(pattern)))
    if found.has_time_fields:
        raise ValueError("Date format contains time field.")
    return found.days if found.days is not None else _first_day(found)


def _first_day(found: Resolved) -> int:
    year = found.rest.get("u")
    if year is None or "d" in found.rest:
        raise ValueError("Cannot create DATE out of the fields provided.")
    return calendar.days_of(checked("u", year), checked("M", found.rest.get("M", 1)), 1)


def parse_whole_date(text: str, pattern: str) -> int:
    """Days since 1970; ValueError where anything of a date is missing. A time of day counts for nothing."""
    found = resolved(parsed_fields(text, pattern_of(pattern)))
    if found.days is None:
        raise ValueError("Unable to obtain LocalDate from the fields provided.")
    return found.days
