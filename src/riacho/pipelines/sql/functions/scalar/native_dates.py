"""Patterns of dates and times that Spark computes as Java does: literals of the plain kind, which nearly all are.

Everything else goes to the Python functions (`python_functions.py`), at some microseconds a row and a Python process:
patterns that are columns, optional sections, names of zones, weeks. Formatting hands the pattern to Spark's
`date_format`, which is Java's formatter for the letters that are let through here. Spark's parsing is of no use: it is
strict where ksqlDB is lenient (the 31st of June is its 30th, 24:00 is midnight, what is missing is 1970's). So a
regular expression decides whether a text fits, and its numbers are where the pattern has them. (The one text that
Java takes and this does not is of `uuuu`, in a year before the first: -0044.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.java_time.pattern import (
    Element,
    Fraction,
    Literal,
    Name,
    Number,
    Offset,
    Pattern,
    TwoDigitYear,
)
from riacho.pipelines.sql.row_json import sql_string

DATE_LETTERS = frozenset("yuYGMLQqdDFEecwWg")
_FORMATTED = frozenset("yuMdDHhkKms")
_DIGITS = {
    "y": "(?!0000)[0-9]{4}",
    "u": "[0-9]{4}",
    "M": "(?:0[1-9]|1[0-2])",
    "d": "(?:0[1-9]|[12][0-9]|3[01])",
    "H": "(?:[01][0-9]|2[0-4])",
    "m": "[0-5][0-9]",
    "s": "[0-5][0-9]",
}
_OFFSETS = {"+HHmm": "[+-][0-9]{2}(?:[0-9]{2})?", "+HHMM": "[+-][0-9]{4}", "+HH:MM": "[+-][0-9]{2}:[0-9]{2}"}


def letters_of(pattern: Pattern) -> frozenset[str]:
    """Of the numbers and names in it, optional ones left out."""
    return frozenset(
        "S" if isinstance(each, Fraction) else each.letter
        for each in pattern
        if isinstance(each, Number | TwoDigitYear | Fraction | Name)
    )


def spark_pattern(pattern: Pattern, *, is_utc: bool) -> str | None:
    """The same for Spark's `date_format`, None where that would answer otherwise."""
    parts: list[Element | str] = []
    for element in pattern:
        if isinstance(element, Offset) and is_utc:
            element = Literal(element.zero)
        text = element.text if isinstance(element, Literal) else _spark_letters(element)
        if text is None:
            return None
        is_literal = isinstance(element, Literal)
        if is_literal and parts and isinstance(parts[-1], Literal):
            # Two quoted texts that touch would make a quote.
            parts[-1] = Literal(parts[-1].text + text)
        else:
            parts.append(Literal(text) if is_literal else text)
    return "".join(
        "'" + part.text.replace("'", "''") + "'" if isinstance(part, Literal) else str(part) for part in parts
    )


def _spark_letters(element: Element) -> str | None:
    match element:
        case Number(letter) if letter in "yu":
            return "yyyy" if element.width_min == 4 else None
        case Number(letter) if letter in _FORMATTED:
            return letter * element.width_min
        case TwoDigitYear("y"):
            return "yy"
        case Fraction(width):
            return "S" * width
        case Name("M", "short" | "full" as style):
            return "MMM" if style == "short" else "MMMM"
        case Name("E", "short" | "full" as style):
            return "EEE" if style == "short" else "EEEE"
        case Name("a", _):
            return "a"
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Places:
    """Where the numbers of a text are, for a text that fits `regex`. `offset_at` is where its zone's offset begins."""

    regex: str
    at: dict[str, tuple[int, int]]
    offset_at: int | None = None

    @property
    def is_whole_date(self) -> bool:
        return bool(self.at.keys() & {"y", "u"}) and {"M", "d"} <= self.at.keys()

    def fits(self, text: str) -> str:
        return f"{text} RLIKE {sql_string(self.regex)}"

    def number(self, text: str, letter: str, otherwise: int = 0) -> str:
        if letter not in self.at:
            return str(otherwise)
        start, width = self.at[letter]
        return f"CAST(substring({text}, {start}, {width}) AS INT)"

    def days(self, text: str) -> str:
        """Since 1970-01-01. A day that its month lacks is the month's last."""
        if not self.at.keys() & set("yuMd"):
            return "0"
        year, month = self.number(text, "y" if "y" in self.at else "u", 1970), self.number(text, "M", 1)
        first = f"make_date({year}, {month}, 1)"
        if "d" not in self.at:
            return f"unix_date({first})"
        return let(first, lambda day: f"(unix_date({day}) + least({self.number(text, 'd')}, day(last_day({day}))) - 1)")

    def millis(self, text: str) -> str:
        """Of the day, which they may exceed by 24:00."""
        if not self.at.keys() & set("Hmsn"):
            return "0L"
        hour, minute, second = (self.number(text, letter) for letter in "Hms")
        total = f"((({hour} * 60 + {minute}) * 60 + {second}) * 1000L + {self._fraction(text)})"
        if "H" not in self.at:
            return total
        late = let(total, lambda millis: f"IF({millis} > 86400000L, NULL, {millis})")
        return late if self.is_whole_date else f"({late} % 86400000L)"

    def _fraction(self, text: str) -> str:
        if "n" not in self.at:
            return "0"
        start, width = self.at["n"]
        digits = f"CAST(substring({text}, {start}, {min(width, 3)}) AS INT)"
        return f"{digits} * {10 ** (3 - width)}" if width < 3 else digits

    def offset_millis(self, text: str) -> str:
        """That the text's own clock is ahead of UTC's; it is the last thing in the text."""
        if self.offset_at is None:
            return "0L"
        return let(f"substring({text}, {self.offset_at})", _offset_millis)


def _offset_millis(zone: str) -> str:
    hours = f"CAST(substring({zone}, 2, 2) AS INT)"
    minutes = f"IF(length({zone}) > 3, CAST(right({zone}, 2) AS INT), 0)"
    # More than 18 hours, or 59 minutes, is no offset.
    size = f"IF({hours} * 60 + {minutes} > 1080 OR {minutes} > 59, NULL, ({hours} * 60 + {minutes}) * 60000L)"
    return f"CASE substring({zone}, 1, 1) WHEN '+' THEN {size} WHEN '-' THEN -{size} ELSE 0L END"


def places_of(pattern: Pattern) -> Places | None:
    """None where a text of the pattern has no fixed places, or they mean more than is known here."""
    regex, at, position = "", {}, 1
    for index, element in enumerate(pattern):
        match element:
            case Literal(text):
                regex += re.sub(r"([^A-Za-z0-9 ])", r"\\\1", text)
                width = len(text)
                if not text.isascii():
                    return None
            case Number(letter) if letter in _DIGITS and element.width_min == (4 if letter in "yu" else 2):
                regex += _DIGITS[letter]
                width = element.width_min
                if letter in at:
                    return None
                at[letter] = (position, width)
            case Fraction(width) if "n" not in at:
                regex += f"[0-9]{{{width}}}"
                at["n"] = (position, width)
            case Offset(form, zero) if form in _OFFSETS and index == len(pattern) - 1:
                regex += f"(?:{zero}|{_OFFSETS[form]})" if zero == "Z" else _OFFSETS[form]
                return Places(rf"(?i)\A{regex}\z", at, position)
            case _:
                return None
        position += width
    if {"y", "u"} <= at.keys():
        return None
    return Places(rf"(?i)\A{regex}\z", at)
