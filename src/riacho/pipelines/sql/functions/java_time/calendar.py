"""The proleptic ISO calendar in whole numbers: years that `datetime` has no room for are years too."""

from __future__ import annotations

NANOS_A_SECOND = 1_000_000_000
NANOS_A_DAY = 86_400 * NANOS_A_SECOND
NANOS_A_MILLI = 1_000_000
MILLIS_A_DAY = 86_400_000
YEAR_MAX = 999_999_999

_MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else _MONTH_LENGTHS[month - 1]


def year_length(year: int) -> int:
    return 366 if is_leap(year) else 365


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01. Counted in years that begin in March, so that a leap day is a year's last."""
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def date_of(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day since 1970-01-01."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + (3 if shifted_month < 10 else -9)
    return era * 400 + year_of_era + (month <= 2), month, day


def day_of_year(days: int) -> int:
    return days - days_of(date_of(days)[0], 1, 1) + 1


def day_of_week(days: int) -> int:
    """1 is Monday, 7 Sunday."""
    return (days + 3) % 7 + 1


def sunday_week(days: int) -> tuple[int, int]:
    """(week-based year, week) where weeks begin on Sundays and the first is the one with January 1st."""
    saturday = days - day_of_week(days) % 7 + 6
    year = date_of(saturday)[0]
    first = days_of(year, 1, 1)
    return year, (saturday - first) // 7 + 1


def sunday_week_of_month(days: int) -> int:
    year, month, day = date_of(days)
    first = days_of(year, month, 1)
    return (day - 1 + day_of_week(first) % 7) // 7 + 1
