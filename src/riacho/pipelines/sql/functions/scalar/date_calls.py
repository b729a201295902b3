"""The SQL of formatting and parsing by a pattern: Spark's own where it answers as Java does, a Python function else."""

from __future__ import annotations

from collections.abc import Callable

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.function import Argument
from riacho.pipelines.sql.functions.java_time.pattern import Pattern, PatternError, pattern_of
from riacho.pipelines.sql.functions.java_time.zones import Zone, ZoneError, offset_text, zone_of
from riacho.pipelines.sql.functions.scalar.date_places import Places, places_of
from riacho.pipelines.sql.functions.scalar.native_dates import DATE_LETTERS, letters_of, spark_pattern
from riacho.pipelines.sql.functions.scalar.spark_moments import day, moment
from riacho.pipelines.sql.row_json import sql_string

_UTC = frozenset(("Z", "UTC", "GMT", "UT"))


def format_date(days: str, pattern: Argument) -> str:
    known = _known_pattern(pattern)
    if known is not None:
        native = spark_pattern(known, is_utc=False)
        if native is not None and letters_of(known) <= DATE_LETTERS:
            return f"date_format({day(days)}, {sql_string(native)})"
    return f"riacho_format_date({days}, {pattern.text})"


def format_time(millis: str, pattern: Argument) -> str:
    known = _known_pattern(pattern)
    if known is not None:
        native = spark_pattern(known, is_utc=False)
        if native is not None and not letters_of(known) & DATE_LETTERS:
            return f"date_format(timestamp_millis(CAST({millis} AS BIGINT)), {sql_string(native)})"
    return f"riacho_format_time({millis}, {pattern.text})"


def format_timestamp(millis: str, pattern: Argument, zone: Argument) -> str:
    known, where = _known_pattern(pattern), _known_zone(zone)
    if known is not None and where is not None:
        native = spark_pattern(known, is_utc=where.id in _UTC)
        if native is not None:
            return f"date_format({_in_zone(moment(millis), where)}, {sql_string(native)})"
    return f"riacho_format_timestamp({millis}, {pattern.text}, {zone.text})"


def parse_date(text: str, pattern: Argument) -> str:
    """What lacks its day, or its month too, is the first; a time of day is refused."""

    def native(places: Places) -> Callable[[str], str] | None:
        letters = places.groups.keys()
        is_date = bool(letters & {"y", "yy", "u"}) and not letters & set("Hhmsn")
        return places.days if is_date and ("M" in letters or "d" not in letters) and places.offset is None else None

    return _parsed(text, pattern, native) or f"riacho_parse_date({text}, {pattern.text})"


def parse_whole_date(text: str, pattern: Argument) -> str:
    def native(places: Places) -> Callable[[str], str] | None:
        fits = places.is_whole_date and not places.groups.keys() & set("Hhmsn") and places.offset is None
        return places.days if fits else None

    return _parsed(text, pattern, native) or f"riacho_parse_whole_date({text}, {pattern.text})"


def parse_time(text: str, pattern: Argument) -> str:
    def native(places: Places) -> Callable[[str], str] | None:
        letters = "".join(sorted(places.groups)).replace("ah", "H")
        fits = letters in ("H", "Hm", "Hms", "Hmns") and places.offset is None
        return (lambda value: f"CAST({places.millis(value)} AS INT)") if fits else None

    return _parsed(text, pattern, native) or f"riacho_parse_time({text}, {pattern.text})"


def parse_timestamp(text: str, pattern: Argument, zone: Argument) -> str:
    where = _known_zone(zone)

    def native(places: Places) -> Callable[[str], str] | None:
        if where is None:
            return None
        return lambda value: _moment(places, value, where)

    return _parsed(text, pattern, native) or f"riacho_parse_timestamp({text}, {pattern.text}, {zone.text})"


def _moment(places: Places, text: str, zone: Zone) -> str:
    local = f"({places.days(text)} * 86400000L + {places.millis(text)})"
    if places.offset is not None:
        return f"({local} - {places.offset_millis(text)})"
    if zone.id in _UTC:
        return local
    return let(local, lambda millis: _from_zone(millis, zone))


def _from_zone(local: str, zone: Zone) -> str:
    """What a zone's clocks show twice has the offset of 1970 (`java_time/zones.py`)."""
    usual = f"unix_millis(to_utc_timestamp({moment(local)}, {sql_string(_spark_zone(zone))}))"
    if zone.region is None:
        return usual
    first = f"({local} - {zone.offset_in_1970 * 1_000}L)"
    return f"IF({_local_millis(first, zone)} = {local}, {first}, {usual})"


def convert_zone(millis: str, source: Argument, target: Argument) -> str:
    one, other = _known_zone(source), _known_zone(target)
    if one is None or other is None:
        return f"riacho_convert_tz({millis}, {source.text}, {target.text})"
    return let(millis, lambda value: f"({_local_millis(value, other)} - {_local_millis(value, one)} + {value})")


def _local_millis(millis: str, zone: Zone) -> str:
    return f"unix_millis({_in_zone(moment(millis), zone)})"


def _parsed(text: str, pattern: Argument, native: Callable[[Places], Callable[[str], str] | None]) -> str | None:
    known = _known_pattern(pattern)
    places = places_of(known) if known is not None else None
    value = native(places) if places is not None else None
    if places is None or value is None:
        return None
    return let(text, lambda name: f"CASE WHEN {places.fits(name)} THEN {value(name)} END")


def _known_pattern(pattern: Argument) -> Pattern | None:
    if not isinstance(pattern.literal, str):
        return None
    try:
        return pattern_of(pattern.literal)
    except PatternError:
        return None


def _known_zone(zone: Argument) -> Zone | None:
    if not isinstance(zone.literal, str):
        return None
    try:
        return zone_of(zone.literal)
    except ZoneError:
        return None


def _in_zone(timestamp: str, zone: Zone) -> str:
    if zone.id in _UTC:
        return timestamp
    return f"from_utc_timestamp({timestamp}, {sql_string(_spark_zone(zone))})"


def _spark_zone(zone: Zone) -> str:
    return zone.region if zone.region is not None else offset_text(zone.offset_seconds)
