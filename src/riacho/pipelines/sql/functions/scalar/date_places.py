"""Texts of dates and times, taken apart by Spark as Java does it.

Spark's own parsing is of no use: it is strict where ksqlDB is lenient (the 31st of June is its 30th, 24:00 is midnight,
what is missing is 1970's). So a regular expression decides whether a text fits, and its groups are its numbers, or its
places where these are the same in every text. Patterns that ask for more are left to Python. (The one text that Java
takes and this does not is of `uuuu`, in a year before the first: -0044.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.java_time.names import MONTHS
from riacho.pipelines.sql.functions.java_time.pattern import (
    PATTERN_LENGTH_MAX,
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

_TWO_DIGITS = {
    "M": "0[1-9]|1[0-2]",
    "d": "0[1-9]|[12][0-9]|3[01]",
    "H": "[01][0-9]|2[0-4]",
    "h": "0[0-9]|1[0-2]",
    "m": "[0-5][0-9]",
    "s": "[0-5][0-9]",
}
_DIGITS = {
    "M": "1[0-2]|[1-9]",
    "d": "3[01]|[12][0-9]|[1-9]",
    "H": "2[0-4]|1[0-9]|[0-9]",
    "h": "1[0-2]|[0-9]",
    "m": "[1-5][0-9]|[0-9]",
    "s": "[1-5][0-9]|[0-9]",
}
_OFFSETS = {"+HHmm": "[+-][0-9]{2}(?:[0-9]{2})?", "+HHMM": "[+-][0-9]{4}", "+HH:MM": "[+-][0-9]{2}:[0-9]{2}"}


@dataclass(frozen=True, slots=True)
class Places:
    """Where the numbers of a text are, for a text that fits `regex`: the group of each letter, and where every text has
    it in the same place, the place and the width. `offset` is the group of the zone's offset, which is always last."""

    regex: str
    groups: dict[str, int]
    places: dict[str, tuple[int, int]]
    offset: int | None = None
    month_names: bool = False

    @property
    def is_whole_date(self) -> bool:
        return bool(self.groups.keys() & {"y", "u", "yy"}) and {"M", "d"} <= self.groups.keys()

    def fits(self, text: str) -> str:
        return f"{text} RLIKE {sql_string(self.regex)}"

    def number(self, text: str, letter: str, otherwise: int = 0) -> str:
        return f"CAST({self._part(text, letter)} AS INT)" if letter in self.groups else str(otherwise)

    def _part(self, text: str, letter: str) -> str:
        if letter in self.places:
            start, width = self.places[letter]
            return f"substring({text}, {start}, {width})"
        return f"regexp_extract({text}, {sql_string(self.regex)}, {self.groups[letter]})"

    def days(self, text: str) -> str:
        """Since 1970-01-01. A day that its month lacks is the month's last."""
        if not self.groups.keys() & {"y", "yy", "u", "M", "d"}:
            return "0"
        first = f"make_date({self._year(text)}, {self._month(text)}, 1)"
        if "d" not in self.groups:
            return f"unix_date({first})"
        return let(first, lambda day: f"(unix_date({day}) + least({self.number(text, 'd')}, day(last_day({day}))) - 1)")

    def _year(self, text: str) -> str:
        if "yy" in self.groups:
            return f"(2000 + {self.number(text, 'yy')})"
        return self.number(text, "y" if "y" in self.groups else "u", 1970)

    def _month(self, text: str) -> str:
        if not self.month_names:
            return self.number(text, "M", 1)
        names = ", ".join(f"'{month[:3].lower()}'" for month in MONTHS)
        return f"CAST(array_position(array({names}), lower(substring({self._part(text, 'M')}, 1, 3))) AS INT)"

    def millis(self, text: str) -> str:
        """Of the day, which they may exceed by 24:00."""
        if not self.groups.keys() & set("Hhmsn"):
            return "0L"
        minute, second = self.number(text, "m"), self.number(text, "s")
        total = f"((({self._hour(text)} * 60 + {minute}) * 60 + {second}) * 1000L + {self._fraction(text)})"
        if "H" not in self.groups:
            return total
        late = let(total, lambda millis: f"IF({millis} > 86400000L, NULL, {millis})")
        return late if self.is_whole_date else f"({late} % 86400000L)"

    def _hour(self, text: str) -> str:
        if "h" not in self.groups:
            return self.number(text, "H")
        return f"({self.number(text, 'h')} % 12 + IF(lower({self._part(text, 'a')}) = 'pm', 12, 0))"

    def _fraction(self, text: str) -> str:
        if "n" not in self.groups:
            return "0"
        return f"CAST(rpad(substring({self._part(text, 'n')}, 1, 3), 3, '0') AS INT)"

    def offset_millis(self, text: str) -> str:
        """That the text's own clock is ahead of UTC's."""
        if self.offset is None:
            return "0L"
        return let(f"regexp_extract({text}, {sql_string(self.regex)}, {self.offset})", _offset_millis)


def _offset_millis(zone: str) -> str:
    hours = f"CAST(substring({zone}, 2, 2) AS INT)"
    minutes = f"IF(length({zone}) > 3, CAST(right({zone}, 2) AS INT), 0)"
    # More than 18 hours, or 59 minutes, is no offset.
    size = f"IF({hours} * 60 + {minutes} > 1080 OR {minutes} > 59, NULL, ({hours} * 60 + {minutes}) * 60000L)"
    return f"CASE substring({zone}, 1, 1) WHEN '+' THEN {size} WHEN '-' THEN -{size} ELSE 0L END"


def places_of(pattern: Pattern) -> Places | None:
    """None where more is asked of a text than is known here."""
    regex, position = "", 1
    groups: dict[str, int] = {}
    places: dict[str, tuple[int, int]] = {}
    offset, month_names, was_number = None, False, False
    for index, element in enumerate(pattern):
        if isinstance(element, Literal):
            if not element.text.isascii():
                return None
            regex += re.sub(r"([^A-Za-z0-9 ])", r"\\\1", element.text)
            position += len(element.text)
            was_number = False
            continue
        if isinstance(element, Offset):
            if element.form not in _OFFSETS or index < len(pattern) - 1:
                return None
            offset = len(groups) + 1
            regex += f"(Z|{_OFFSETS[element.form]})" if element.zero == "Z" else f"({_OFFSETS[element.form]})"
            continue
        part = _part(element)
        if part is None or part.letter in groups or (part.width is None and was_number and part.is_number):
            return None
        groups[part.letter] = len(groups) + 1
        if part.width is not None and position > 0:
            places[part.letter] = (position, part.width)
            position += part.width
        else:
            # From here on texts differ in where things are.
            position = -PATTERN_LENGTH_MAX
        regex += f"{part.before}({part.regex})"
        month_names = month_names or (part.letter == "M" and not part.is_number)
        was_number = part.is_number
    if len(groups.keys() & {"y", "u", "yy"}) > 1 or ("h" in groups) != ("a" in groups) or {"h", "H"} <= groups.keys():
        return None
    return Places(rf"(?i)\A{regex}\z", groups, places, offset, month_names)


@dataclass(frozen=True, slots=True)
class _Part:
    """`width` where every text has the same."""

    letter: str
    regex: str
    width: int | None
    is_number: bool = True
    before: str = ""


def _part(element: Element) -> _Part | None:
    match element:
        case Number("y" | "u" as letter) if element.width_min == 4:
            return _Part(letter, "(?!0000)[0-9]{4}" if letter == "y" else "[0-9]{4}", 4)
        case TwoDigitYear("y"):
            return _Part("yy", "[0-9]{2}", 2)
        case Number(letter) if letter in _DIGITS and element.width_min == 2:
            return _Part(letter, _TWO_DIGITS[letter], 2)
        case Number(letter) if letter in _DIGITS and not element.following:
            return _Part(letter, _DIGITS[letter], None, before="0*")
        case Fraction(width):
            return _Part("n", f"[0-9]{{{width}}}", width)
        case Name("M", "short" | "full" as style):
            names = (month[:3] if style == "short" else month for month in MONTHS)
            return _Part("M", "|".join(names), None if style == "full" else 3, is_number=False)
        case Name("a", _):
            return _Part("a", "AM|PM", 2, is_number=False)
        case _:
            return None
