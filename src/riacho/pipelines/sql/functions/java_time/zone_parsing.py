"""Reading offsets and zones where a pattern has X, x, Z, O, V or z."""

from __future__ import annotations

import re
from functools import lru_cache

from riacho.pipelines.sql.functions.java_time.fields import Fields
from riacho.pipelines.sql.functions.java_time.pattern import Offset, ZoneName
from riacho.pipelines.sql.functions.java_time.zones import SHORT_NAMES, Zone, ZoneError, region_of, zone_of

_FORMS = {
    "+HHmm": r"([+-])(\d\d)(\d\d)?()",
    "+HHMM": r"([+-])(\d\d)(\d\d)()",
    "+HH:MM": r"([+-])(\d\d):(\d\d)()",
    "+HHMMss": r"([+-])(\d\d)(\d\d)(\d\d)?",
    "+HH:MM:ss": r"([+-])(\d\d):(\d\d)(?::(\d\d))?",
}
_LOCALIZED = re.compile(r"GMT(?:([+-])(\d\d?)(?::(\d\d)(?::(\d\d))?)?)?", re.ASCII | re.IGNORECASE)
_ZONE_LENGTH_MAX = 50
_ZONE = re.compile(
    r"(?i:UTC|GMT|UT)(?:[+-]\d\d?(?::?\d\d(?::?\d\d)?)?)?|[+-]\d\d?(?::?\d\d(?::?\d\d)?)?|[Zz](?![A-Za-z])"
    r"|[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*",
    re.ASCII,
)


@lru_cache(maxsize=64)
def _form(text: str) -> re.Pattern[str]:
    return re.compile(_FORMS[text], re.ASCII)


def read_offset(text: str, at: int, element: Offset, fields: Fields) -> int | None:
    zero = element.zero
    if text[at : at + len(zero)].upper() == zero:
        return at + len(zero) if fields.put_offset(0) else None
    found = _form(element.form).match(text, at)
    return _taken(found, fields)


def read_localized_offset(text: str, at: int, fields: Fields) -> int | None:
    return _taken(_LOCALIZED.match(text, at), fields)


def _taken(found: re.Match[str] | None, fields: Fields) -> int | None:
    if found is None:
        return None
    hours, minutes, seconds = (int(found[group] or 0) for group in (2, 3, 4))
    if minutes > 59 or seconds > 59 or hours > 18:
        return None
    size = hours * 3_600 + minutes * 60 + seconds
    return found.end() if fields.put_offset(-size if found[1] == "-" else size) else None


def read_zone(text: str, at: int, element: ZoneName, fields: Fields) -> int | None:
    found = _ZONE.match(text, at, min(len(text), at + _ZONE_LENGTH_MAX))
    if found is None:
        return None
    # The longest beginning that is a zone: an offset may stand right behind a region.
    for end in range(found.end(), at, -1):
        zone = _zone(text[at:end], element.style)
        if zone is not None:
            fields.zone = zone
            return end
    return None


def _zone(name: str, style: str) -> Zone | None:
    try:
        return zone_of(name.upper() if name[:1] in "uUgGzZ" else name)
    except ZoneError:
        region = SHORT_NAMES.get(name.upper()) if style != "id" else None
        region = region or region_of(name)
        return zone_of(region) if region is not None else None
