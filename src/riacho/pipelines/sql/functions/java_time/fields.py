"""The fields that a text named, by the letters of their pattern, and what Java's resolver makes of them.

SMART resolution, as a DateTimeFormatter has it: a day that its month lacks becomes the month's last, 24:00 is the next
day's midnight, hours of a half day join with AM or PM; what contradicts itself is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from riacho.pipelines.sql.functions.java_time import calendar
from riacho.pipelines.sql.functions.java_time.calendar import NANOS_A_DAY, NANOS_A_MILLI, NANOS_A_SECOND, YEAR_MAX
from riacho.pipelines.sql.functions.java_time.zones import Zone

# Letters that are the same field: standalone names of months, quarters and days.
_SAME = {"L": "M", "q": "Q"}
_RANGES = {
    "M": (1, 12), "F": (1, 7), "d": (1, 31), "D": (1, 366), "E": (1, 7), "Q": (1, 4), "G": (0, 1), "a": (0, 1),
    "H": (0, 23), "K": (0, 11), "m": (0, 59), "s": (0, 59), "n": (0, NANOS_A_SECOND - 1),
    "A": (0, 86_399_999), "N": (0, NANOS_A_DAY - 1), "u": (-YEAR_MAX, YEAR_MAX), "y": (1, YEAR_MAX),
}  # fmt: skip
_TIME_LETTERS = "HkKhamsnAN"


@dataclass(slots=True)
class Fields:
    values: dict[str, int] = field(default_factory=dict)
    offset_seconds: int | None = None
    zone: Zone | None = None

    def put(self, letter: str, value: int) -> bool:
        """False where the field has another value already."""
        letter = _SAME.get(letter, letter)
        return self.values.setdefault(letter, value) == value

    def put_offset(self, seconds: int) -> bool:
        if self.offset_seconds is None:
            self.offset_seconds = seconds
        return self.offset_seconds == seconds

    def copy(self) -> Fields:
        return Fields(dict(self.values), self.offset_seconds, self.zone)

    def take(self, other: Fields) -> None:
        self.values, self.offset_seconds, self.zone = other.values, other.offset_seconds, other.zone


@dataclass(slots=True)
class Resolved:
    """`days` and `nanos` where the fields make a whole date, a whole time of day; `rest` what they left."""

    rest: dict[str, int]
    days: int | None = None
    nanos: int | None = None
    named: frozenset[str] = frozenset()
    """All letters that the text had."""

    @property
    def has_time_fields(self) -> bool:
        return any(letter in _TIME_LETTERS for letter in self.named)


def resolved(fields: Fields) -> Resolved:
    """ValueError where the fields contradict each other or are out of their range."""
    rest = dict(fields.values)
    result = Resolved(rest, named=frozenset(rest))
    excess_days = _resolve_time(rest, result)
    _resolve_year(rest)
    _resolve_date(rest, result)
    if result.days is not None:
        _check_date(rest, result.days)
        if result.nanos is not None:
            result.days += excess_days
    return result


def checked(letter: str, value: int) -> int:
    low, high = _RANGES[letter]
    if not low <= value <= high:
        raise ValueError(f"Invalid value for {letter} (valid values {low} - {high}): {value}")
    return value


def _agree(rest: dict[str, int], letter: str, value: int) -> None:
    if rest.setdefault(letter, value) != value:
        raise ValueError(f"Conflict found: {letter} {rest[letter]} differs from {value}")


def _resolve_time(rest: dict[str, int], result: Resolved) -> int:
    """Days that the time is past its own: 1 for 24:00."""
    if "k" in rest:
        hour = rest.pop("k")
        if not 0 <= hour <= 24:
            raise ValueError(f"Invalid value for ClockHourOfDay: {hour}")
        _agree(rest, "H", 0 if hour == 24 else hour)
    if "h" in rest:
        hour = rest.pop("h")
        if not 0 <= hour <= 12:
            raise ValueError(f"Invalid value for ClockHourOfAmPm: {hour}")
        _agree(rest, "K", 0 if hour == 12 else hour)
    if "a" in rest and "K" in rest:
        _agree(rest, "H", checked("a", rest.pop("a")) * 12 + checked("K", rest.pop("K")))
    for letter, unit in (("N", 1), ("A", NANOS_A_MILLI)):
        if letter in rest:
            _split(rest, checked(letter, rest.pop(letter)) * unit)
    return _merge_time(rest, result)


def _split(rest: dict[str, int], nanos: int) -> None:
    seconds = nanos // NANOS_A_SECOND
    _agree(rest, "H", seconds // 3_600)
    _agree(rest, "m", seconds // 60 % 60)
    _agree(rest, "s", seconds % 60)
    _agree(rest, "n", nanos % NANOS_A_SECOND)


def _merge_time(rest: dict[str, int], result: Resolved) -> int:
    if "a" in rest and not rest.keys() & set("HKmsn"):
        # A half of the day and nothing else is its middle.
        rest["H"] = checked("a", rest.pop("a")) * 12 + 6
    hour, minute, second, nano = (rest.get(letter) for letter in "Hmsn")
    gaps = (minute is None and (second is not None or nano is not None)) or (second is None and nano is not None)
    if hour is None or gaps:
        for letter in "HKamsn":
            if letter in rest:
                checked(letter, rest[letter])
        return 0
    for letter in "Hmsn":
        rest.pop(letter, None)
    if hour == 24 and not minute and not second and not nano:
        result.nanos = 0
        return 1
    seconds = (checked("H", hour) * 60 + checked("m", minute or 0)) * 60 + checked("s", second or 0)
    result.nanos = seconds * NANOS_A_SECOND + checked("n", nano or 0)
    if rest.pop("a", hour // 12) != hour // 12 or rest.pop("K", hour % 12) != hour % 12:
        raise ValueError("Conflict found: the hour of a half of the day differs from the day's")
    return 0


def _resolve_year(rest: dict[str, int]) -> None:
    if "y" not in rest:
        return
    year_of_era = checked("y", rest.pop("y"))
    era = rest.pop("G", None)
    _agree(rest, "u", 1 - year_of_era if era == 0 else year_of_era)


def _resolve_date(rest: dict[str, int], result: Resolved) -> None:
    if "g" in rest:
        result.days = rest.pop("g") - 40_587
    elif {"u", "M", "d"} <= rest.keys():
        year, month, day = checked("u", rest.pop("u")), checked("M", rest.pop("M")), checked("d", rest.pop("d"))
        result.days = calendar.days_of(year, month, min(day, calendar.month_length(year, month)))
    elif {"u", "D"} <= rest.keys():
        year, day = checked("u", rest.pop("u")), checked("D", rest.pop("D"))
        if day > calendar.year_length(year):
            raise ValueError(f"Invalid date 'DayOfYear 366' as '{year}' is not a leap year")
        result.days = calendar.days_of(year, 1, 1) + day - 1


def _check_date(rest: dict[str, int], days: int) -> None:
    year, month, day = calendar.date_of(days)
    values = {
        "u": year, "M": month, "d": day, "D": calendar.day_of_year(days), "E": calendar.day_of_week(days),
        "Q": (month - 1) // 3 + 1, "G": int(year >= 1),
    }  # fmt: skip
    for letter, value in values.items():
        if rest.pop(letter, value) != value:
            raise ValueError(f"Conflict found: {letter} differs from the date's")
