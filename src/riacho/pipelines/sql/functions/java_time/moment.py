"""What is to be written: a date, a time of day, a zone, or of them what there is."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.pipelines.sql.functions.java_time import calendar
from riacho.pipelines.sql.functions.java_time.calendar import NANOS_A_MILLI, NANOS_A_SECOND
from riacho.pipelines.sql.functions.java_time.zones import Zone


class NoSuchField(ValueError):
    """Java's UnsupportedTemporalTypeException: the hour of a date, the day of a time."""


@dataclass(frozen=True, slots=True)
class Moment:
    days: int | None = None
    nanos: int | None = None
    """Of the day."""
    zone: Zone | None = None
    epoch_ms: int | None = None

    def value(self, letter: str) -> int:
        """The number that a pattern letter stands for."""
        if letter in "yuYGMLQqdDFEecwWg":
            return self._of_date(letter)
        return self._of_time(letter)

    def offset_seconds(self) -> int:
        if self.zone is None or self.epoch_ms is None:
            raise NoSuchField("Unsupported field: OffsetSeconds")
        return self.zone.offset_at(self.epoch_ms)

    def _of_date(self, letter: str) -> int:
        if self.days is None:
            raise NoSuchField(f"Unsupported field: {letter}")
        year, month, day = calendar.date_of(self.days)
        match letter:
            case "y":
                return year if year >= 1 else 1 - year
            case "u":
                return year
            case "Y":
                return calendar.sunday_week(self.days)[0]
            case "G":
                return int(year >= 1)
            case "M" | "L":
                return month
            case "Q" | "q":
                return (month - 1) // 3 + 1
            case "d":
                return day
            case "D":
                return calendar.day_of_year(self.days)
            case "F":
                return (day - 1) % 7 + 1
            case "w":
                return calendar.sunday_week(self.days)[1]
            case "W":
                return calendar.sunday_week_of_month(self.days)
            case "g":
                return self.days + 40_587
            case _:
                return calendar.day_of_week(self.days)

    def _of_time(self, letter: str) -> int:
        if self.nanos is None:
            raise NoSuchField(f"Unsupported field: {letter}")
        seconds = self.nanos // NANOS_A_SECOND
        hour = seconds // 3_600
        match letter:
            case "H":
                return hour
            case "k":
                return hour or 24
            case "K":
                return hour % 12
            case "h":
                return hour % 12 or 12
            case "a":
                return hour // 12
            case "m":
                return seconds // 60 % 60
            case "s":
                return seconds % 60
            case "A":
                return self.nanos // NANOS_A_MILLI
            case "n":
                return self.nanos % NANOS_A_SECOND
            case _:
                return self.nanos
