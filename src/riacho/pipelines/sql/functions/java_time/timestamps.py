"""Timestamps by a pattern and a zone: milliseconds since 1970 to text and back, and from a zone's clocks to another's.

A text that says less than a moment means the first one that it can, from 1970-01-01 00:00 in its zone.
"""

from __future__ import annotations

from riacho.pipelines.sql.functions.java_time import calendar
from riacho.pipelines.sql.functions.java_time.calendar import MILLIS_A_DAY, NANOS_A_MILLI, NANOS_A_SECOND
from riacho.pipelines.sql.functions.java_time.fields import Fields, Resolved, checked, resolved
from riacho.pipelines.sql.functions.java_time.formatting import formatted
from riacho.pipelines.sql.functions.java_time.moment import Moment
from riacho.pipelines.sql.functions.java_time.parsing import parsed_fields
from riacho.pipelines.sql.functions.java_time.pattern import pattern_of
from riacho.pipelines.sql.functions.java_time.zones import Zone, offset_zone, zone_of


def timestamp_text(millis: int, pattern: str, zone: str = "UTC") -> str:
    where = zone_of(zone)
    local = millis + where.offset_at(millis) * 1_000
    days, of_day = divmod(local, MILLIS_A_DAY)
    return formatted(Moment(days, of_day * NANOS_A_MILLI, where, millis), pattern_of(pattern))


def parse_timestamp(text: str, pattern: str, zone: str = "UTC") -> int:
    """Milliseconds since 1970. `zone` counts where the text names none. ValueError where the text does not fit."""
    fields = parsed_fields(text, pattern_of(pattern))
    found = resolved(fields)
    days = found.days if found.days is not None else _days(found)
    nanos = found.nanos if found.nanos is not None else _nanos(found)
    local_ms = days * MILLIS_A_DAY + nanos // NANOS_A_MILLI
    return local_ms - _zone(fields, zone).offset_of_local(local_ms) * 1_000


def convert_zone(millis: int, source: str, target: str) -> int:
    """What `target`'s clocks show when `source`'s show this; offsets are those of the moment taken as UTC."""
    return millis + (zone_of(target).offset_at(millis) - zone_of(source).offset_at(millis)) * 1_000


def _zone(fields: Fields, otherwise: str) -> Zone:
    if fields.zone is not None:
        return fields.zone
    return offset_zone(fields.offset_seconds) if fields.offset_seconds is not None else zone_of(otherwise)


def _days(found: Resolved) -> int:
    """Fields one after the other over 1970-01-01, each bounded by those before it: the day, then month and year."""
    rest = found.rest
    year, month, day = 1970, 1, 1
    if "E" in rest:
        year, month, day = calendar.date_of(checked("E", rest["E"]) - 4)
    if "F" in rest:
        aligned = calendar.days_of(year, month, day) + checked("F", rest["F"]) - (day - 1) % 7 - 1
        year, month, day = calendar.date_of(aligned)
    if "d" in rest:
        day = min(checked("d", rest["d"]), calendar.month_length(year, month))
        if day != rest["d"]:
            raise ValueError(f"Invalid date: day {rest['d']} of month {month}")
    if "D" in rest:
        day_of_year = checked("D", rest["D"])
        if day_of_year == 366:
            raise ValueError("Leap day cannot be parsed without supplying the year field")
        year, month, day = calendar.date_of(calendar.days_of(year, 1, 1) + day_of_year - 1)
    if "M" in rest:
        month = checked("M", rest["M"])
        day = min(day, calendar.month_length(year, month))
    if "u" in rest:
        year = checked("u", rest["u"])
        day = min(day, calendar.month_length(year, month))
    return calendar.days_of(year, month, day)


def _nanos(found: Resolved) -> int:
    rest = found.rest
    hour = rest.get("H", rest.get("a", 0) * 12 + rest.get("K", 0))
    seconds = (hour * 60 + rest.get("m", 0)) * 60 + rest.get("s", 0)
    return seconds * NANOS_A_SECOND + rest.get("n", 0)
