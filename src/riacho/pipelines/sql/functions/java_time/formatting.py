"""Writing a moment by a pattern."""

from __future__ import annotations

from riacho.pipelines.sql.functions.java_time.calendar import NANOS_A_SECOND, day_of_week
from riacho.pipelines.sql.functions.java_time.moment import Moment, NoSuchField
from riacho.pipelines.sql.functions.java_time.names import name_of
from riacho.pipelines.sql.functions.java_time.pattern import (
    Element,
    Fraction,
    Literal,
    LocalizedOffset,
    Name,
    Number,
    Offset,
    Optional,
    Padded,
    Pattern,
    TwoDigitYear,
    ZoneName,
)


def formatted(moment: Moment, pattern: Pattern) -> str:
    """ValueError where the pattern asks for what the moment does not have, or a number has no room."""
    return "".join(_text(moment, element) for element in pattern)


def _text(moment: Moment, element: Element) -> str:
    match element:
        case Literal(text):
            return text
        case Number():
            return _number(_value(moment, element.letter), element)
        case TwoDigitYear(letter):
            return f"{abs(moment.value(letter)) % 100:02}"
        case Fraction(width):
            return f"{moment.value('N') % NANOS_A_SECOND:09}"[:width]
        case Name(letter, style):
            return name_of(letter, style, moment.value(letter))
        case Offset():
            return _offset(moment.offset_seconds(), element)
        case LocalizedOffset(is_full):
            return _localized(moment.offset_seconds(), is_full)
        case ZoneName(style):
            return _zone(moment, style)
        case Padded(width, inner):
            text = _text(moment, inner)
            if len(text) > width:
                raise ValueError(f"Cannot print as output of {len(text)} characters exceeds pad width of {width}")
            return text.rjust(width)
        case Optional(elements):
            try:
                return formatted(moment, elements)
            except NoSuchField:
                return ""


def _value(moment: Moment, letter: str) -> int:
    if letter in "ec":
        # As a number the day counts from Sunday.
        return _sunday_first(moment)
    return moment.value(letter)


def _sunday_first(moment: Moment) -> int:
    if moment.days is None:
        raise NoSuchField("Unsupported field: DayOfWeek")
    return day_of_week(moment.days) % 7 + 1


def _number(value: int, element: Number) -> str:
    digits = str(abs(value))
    if len(digits) > element.width_max:
        raise ValueError(f"the value {value} exceeds the maximum print width of {element.width_max}")
    padded = digits.rjust(element.width_min, "0")
    if value < 0:
        if element.sign == "NOT_NEGATIVE":
            raise ValueError(f"the value {value} cannot be negative")
        return "-" + padded
    return "+" + padded if element.sign == "EXCEEDS_PAD" and len(digits) > element.width_min else padded


def _offset(seconds: int, element: Offset) -> str:
    size = abs(seconds)
    hours, minutes, rest = size // 3_600, size // 60 % 60, size % 60
    if not seconds:
        return element.zero
    colon = ":" if ":" in element.form else ""
    text = ("-" if seconds < 0 else "+") + f"{hours:02}"
    has_minutes = "MM" in element.form or minutes > 0
    if has_minutes:
        text += f"{colon}{minutes:02}"
    if "ss" in element.form and rest > 0:
        text += f"{colon}{rest:02}"
    # An offset of seconds alone, in a form without them, reads as none.
    return element.zero if not hours and not minutes and "ss" not in element.form else text


def _localized(seconds: int, is_full: bool) -> str:
    if not seconds:
        return "GMT"
    size = abs(seconds)
    sign = "-" if seconds < 0 else "+"
    hours, minutes, rest = size // 3_600, size // 60 % 60, size % 60
    if is_full:
        return f"GMT{sign}{hours:02}:{minutes:02}" + (f":{rest:02}" if rest else "")
    return f"GMT{sign}{hours}" + (f":{minutes:02}" if minutes or rest else "") + (f":{rest:02}" if rest else "")


_FULL_NAMES = {"UTC": "Coordinated Universal Time", "GMT": "Greenwich Mean Time"}


def _zone(moment: Moment, style: str) -> str:
    if moment.zone is None or moment.epoch_ms is None:
        raise NoSuchField("Unable to extract ZoneId from temporal")
    if style == "id":
        return moment.zone.id
    short = moment.zone.short_name(moment.epoch_ms)
    return _FULL_NAMES.get(short, short) if style == "full" else short
