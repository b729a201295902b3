"""Zones by Java's names for them: regions, offsets, and offsets of UTC, GMT and UT."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from riacho.pipelines.sql.functions.java_time.calendar import date_of

OFFSET_SECONDS_MAX = 18 * 3_600
_OFFSET = re.compile(r"([+-])(?:(\d)|(\d\d)(?:(\d\d)(\d\d)?|:(\d\d)(?::(\d\d))?)?)", re.ASCII)
_PREFIXED = re.compile(r"(UTC|GMT|UT)(.*)", re.DOTALL)
# In the zone files but no zones of Java's: it has them as fixed short names only, which ZoneId.of does not take.
_NOT_IN_JAVA = frozenset(("EST", "MST", "HST", "ROC", "localtime", "Factory", "posixrules"))
# What ZoneInfo can be asked about; the rules of a region in other years are those of its first and last year.
_YEAR_MIN, _YEAR_MAX = 2, 9_998
_STANDARD_TIME = datetime(2000, 1, 1, tzinfo=UTC)

# Short names that are read by the pattern letter z, with the region that Java takes them for.
SHORT_NAMES = {
    "ACST": "Australia/Darwin", "AEDT": "Australia/Sydney", "AEST": "Australia/Sydney", "AKDT": "America/Anchorage",
    "AKST": "America/Anchorage", "AST": "America/Halifax", "ADT": "America/Halifax", "AWST": "Australia/Perth",
    "BRT": "America/Sao_Paulo", "BST": "Europe/London", "CAT": "Africa/Harare", "CDT": "America/Chicago",
    "CEST": "Europe/Paris", "CET": "Europe/Paris", "CST": "America/Chicago", "EAT": "Africa/Addis_Ababa",
    "EDT": "America/New_York", "EEST": "Europe/Bucharest", "EET": "Europe/Bucharest", "EST": "America/New_York",
    "GMT": "GMT", "HKT": "Asia/Hong_Kong", "HST": "Pacific/Honolulu", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul", "MDT": "America/Denver", "MSK": "Europe/Moscow", "MST": "America/Denver",
    "NZDT": "Pacific/Auckland", "NZST": "Pacific/Auckland", "PDT": "America/Los_Angeles", "PKT": "Asia/Karachi",
    "PST": "America/Los_Angeles", "SAST": "Africa/Johannesburg", "SGT": "Asia/Singapore", "UTC": "UTC",
    "WAT": "Africa/Lagos", "WEST": "Europe/Lisbon", "WET": "Europe/Lisbon",
}  # fmt: skip


class ZoneError(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Zone:
    """`id` is as Java prints it. A zone is a region's rules or an offset in seconds."""

    id: str
    offset_seconds: int = 0
    region: str | None = None

    @property
    def rules(self) -> tzinfo | None:
        return _region(self.region) if self.region is not None else None

    @property
    def offset_in_1970(self) -> int:
        return self.offset_at(0)

    def offset_at(self, epoch_ms: int) -> int:
        """Seconds that its clocks are ahead of UTC's at a moment."""
        rules = self.rules
        if rules is None:
            return self.offset_seconds
        return _seconds(_moment(epoch_ms).astimezone(rules).utcoffset())

    def offset_of_local(self, local_ms: int) -> int:
        """The offset for what its clocks show. Where they show it twice, that of January 1970 counts before others,
        since that is where ksqlDB begins to put a moment together; where they never do, the one before the gap."""
        rules = self.rules
        if rules is None:
            return self.offset_seconds
        first = self.offset_in_1970
        if self.offset_at(local_ms - first * 1_000) == first:
            return first
        return _seconds(_moment(local_ms).replace(tzinfo=rules).utcoffset())

    def short_name(self, epoch_ms: int) -> str:
        rules = self.rules
        if rules is None:
            return self.id
        name = _moment(epoch_ms).astimezone(rules).tzname() or self.id
        # Before a region had standard time its files say LMT, where Java has the name of today's.
        return name if name != "LMT" else _STANDARD_TIME.astimezone(rules).tzname() or self.id


GMT = Zone("GMT")
OFFSET_ZERO = Zone("Z")


@lru_cache(maxsize=1_024)
def zone_of(text: str) -> Zone:
    """`ZoneId.of`. ZoneError where there is no such zone."""
    if text == "Z":
        return OFFSET_ZERO
    if text[:1] in ("+", "-"):
        return offset_zone(offset_of(text))
    prefixed = _PREFIXED.fullmatch(text)
    if prefixed is not None and (not prefixed[2] or prefixed[2][0] in "+-"):
        seconds = offset_of(prefixed[2]) if prefixed[2] else 0
        return Zone(prefixed[1] + (offset_text(seconds) if seconds else ""), seconds)
    if text not in _region_names():
        raise ZoneError(f"Unknown time-zone ID: {text}")
    return Zone(text, region=text)


def offset_zone(seconds: int) -> Zone:
    if abs(seconds) > OFFSET_SECONDS_MAX:
        raise ZoneError("Zone offset not in valid range: -18:00 to +18:00")
    return Zone(offset_text(seconds), seconds) if seconds else OFFSET_ZERO


def offset_of(text: str) -> int:
    """`ZoneOffset.of`: +h, +hh, +hh:mm, +hhmm, +hh:mm:ss, +hhmmss."""
    found = _OFFSET.fullmatch(text)
    if found is None:
        raise ZoneError(f"Invalid ID for ZoneOffset, invalid format: {text}")
    hours = int(found[2] or found[3])
    minutes, seconds = int(found[4] or found[6] or 0), int(found[5] or found[7] or 0)
    size = hours * 3_600 + minutes * 60 + seconds
    if minutes > 59 or seconds > 59 or size > OFFSET_SECONDS_MAX:
        raise ZoneError(f"Zone offset not in valid range: {text}")
    return -size if found[1] == "-" else size


def offset_text(seconds: int) -> str:
    """As the id of a ZoneOffset: +01:00, +01:02:03, Z."""
    if not seconds:
        return "Z"
    size = abs(seconds)
    behind = f":{size % 60:02}" if size % 60 else ""
    return f"{'-' if seconds < 0 else '+'}{size // 3_600:02}:{size // 60 % 60:02}{behind}"


def _moment(epoch_ms: int) -> datetime:
    year, month, day = date_of(epoch_ms // 86_400_000)
    within = timedelta(milliseconds=epoch_ms % 86_400_000)
    bounded = min(max(year, _YEAR_MIN), _YEAR_MAX)
    return datetime(bounded, month, day if year == bounded else min(day, 28), tzinfo=UTC) + within


def _seconds(offset: timedelta | None) -> int:
    return int(offset.total_seconds()) if offset is not None else 0


def region_of(name: str) -> str | None:
    """A region by its name in whatever case, as parsers take it."""
    return _regions_by_lower_name().get(name.lower())


@lru_cache(maxsize=1)
def _regions_by_lower_name() -> dict[str, str]:
    return {name.lower(): name for name in _region_names()}


@lru_cache(maxsize=1)
def _region_names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_IN_JAVA


@lru_cache(maxsize=1_024)
def _region(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ZoneError(f"Unknown time-zone ID: {name}") from error
