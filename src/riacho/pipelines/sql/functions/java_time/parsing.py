"""Reading a text by a pattern: the fields that it names, before anything is made of them.

Strict as Java's parser is: numbers have the widths that the pattern says, names its style; capitals count for nothing.
An optional section that does not fit is passed over, and what stands before it is not read again.
"""

from __future__ import annotations

import re

from riacho.pipelines.sql.functions.java_time.fields import Fields
from riacho.pipelines.sql.functions.java_time.names import FIRST, NAMES
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
from riacho.pipelines.sql.functions.java_time.zone_parsing import read_localized_offset, read_offset, read_zone

TEXT_LENGTH_MAX = 10_000
_DIGITS = re.compile(r"[0-9]*", re.ASCII)
_TWO_DIGIT_BASE = 2_000


def parsed_fields(text: str, pattern: Pattern) -> Fields:
    """ValueError where the text is none of the pattern's."""
    if len(text) > TEXT_LENGTH_MAX:
        raise ValueError("Text is too long")
    fields = Fields()
    end = _read_all(text, 0, pattern, fields)
    if end is None:
        raise ValueError(f"Text '{text}' could not be parsed")
    if end < len(text):
        raise ValueError(f"Text '{text}' could not be parsed, unparsed text found at index {end}")
    return fields


def _read_all(text: str, at: int, pattern: Pattern, fields: Fields) -> int | None:
    for element in pattern:
        end = _read(text, at, element, fields)
        if end is None:
            return None
        at = end
    return at


def _read(text: str, at: int, element: Element, fields: Fields) -> int | None:
    match element:
        case Literal(literal):
            found = text[at : at + len(literal)]
            return at + len(literal) if found == literal or found.casefold() == literal.casefold() else None
        case Number():
            return _read_number(text, at, element, fields)
        case TwoDigitYear():
            return _read_two_digits(text, at, element, fields)
        case Fraction(width):
            digits = _digits(text, at, width)
            if len(digits) < width or not fields.put("n", int(digits.ljust(9, "0"))):
                return None
            return at + width
        case Name():
            return _read_name(text, at, element, fields)
        case Offset():
            return read_offset(text, at, element, fields)
        case LocalizedOffset():
            return read_localized_offset(text, at, fields)
        case ZoneName():
            return read_zone(text, at, element, fields)
        case Padded():
            return _read_padded(text, at, element, fields)
        case Optional(elements):
            return _read_optional(text, at, elements, fields)


def _digits(text: str, at: int, most: int) -> str:
    found = _DIGITS.match(text, at, min(len(text), at + most))
    return found.group() if found is not None else ""


def _read_number(text: str, at: int, element: Number, fields: Fields) -> int | None:
    sign = text[at : at + 1] if text[at : at + 1] in ("+", "-") else ""
    if sign and not _may_have_sign(sign, element):
        return None
    start = at + len(sign)
    digits = _shared(_digits(text, start, element.width_max + element.following), element.width_min, element.following)
    if len(digits) < element.width_min or not digits:
        return None
    value = int(digits)
    if sign == "-" and not value:
        return None
    if element.sign == "EXCEEDS_PAD" and sign != "-" and (sign == "+") != (len(digits) > element.width_min):
        # More digits than the pattern has need their plus, and nothing else has one.
        return None
    return start + len(digits) if _put(fields, element.letter, -value if sign == "-" else value) else None


def _put(fields: Fields, letter: str, value: int) -> bool:
    if letter in "ec":
        # As a number the day counts from Sunday.
        return 1 <= value <= 7 and fields.put("E", (value - 2) % 7 + 1)
    return fields.put(letter, value)


def _shared(digits: str, width_min: int, following: int) -> str:
    """What remains of digits when those that follow have had theirs."""
    return digits[: max(width_min, len(digits) - following)] if following else digits


def _may_have_sign(sign: str, element: Number) -> bool:
    return element.sign == "EXCEEDS_PAD" or (element.sign == "NORMAL" and sign == "-")


def _read_two_digits(text: str, at: int, element: TwoDigitYear, fields: Fields) -> int | None:
    digits = _shared(_digits(text, at, 2 + element.following), 2, element.following)
    if len(digits) != 2:
        return None
    return at + 2 if fields.put(element.letter, _TWO_DIGIT_BASE + int(digits)) else None


def _read_name(text: str, at: int, element: Name, fields: Fields) -> int | None:
    names = NAMES[element.letter][element.style]
    if element.style == "narrow" and len(set(names)) < len(names):
        return None
    here = text[at : at + 20].casefold()
    fitting = [index for index, name in enumerate(names) if here.startswith(name.casefold())]
    if not fitting:
        return None
    best = max(fitting, key=lambda index: len(names[index]))
    letter = "E" if element.letter in "ec" else element.letter
    return at + len(names[best]) if fields.put(letter, best + FIRST.get(element.letter, 1)) else None


def _read_padded(text: str, at: int, element: Padded, fields: Fields) -> int | None:
    end = at + element.width
    if end > len(text):
        return None
    start = at
    while start < end and text[start] == " ":
        start += 1
    return end if _read(text[:end], start, element.inner, fields) == end else None


def _read_optional(text: str, at: int, elements: Pattern, fields: Fields) -> int:
    trial = fields.copy()
    end = _read_all(text, at, elements, trial)
    if end is None:
        return at
    fields.take(trial)
    return end
