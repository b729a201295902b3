"""A pattern of DateTimeFormatter as a value: what stands where, which of it is optional, which numbers touch.

    yyyy-MM-dd'T'HH:mm[:ss][.SSS]X

Letters mean what Java's documentation of DateTimeFormatter says, with its bounds on how often each may stand. Numbers
that touch (`yyyyMMdd`) have fixed widths, all but the first, which leaves the others theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

# A pattern may be a column's value: what is longer than this is no pattern that anybody wrote.
PATTERN_LENGTH_MAX = 1_000
_DEPTH_MAX = 50


class PatternError(ValueError):
    """What is wrong with a pattern, in Java's words."""


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """`sign` is Java's SignStyle. `following` is the width of the fixed numbers that touch it on the right."""

    letter: str
    width_min: int
    width_max: int
    sign: str = "NORMAL"
    following: int = 0

    @property
    def is_fixed(self) -> bool:
        return self.width_min == self.width_max and self.sign == "NOT_NEGATIVE"


@dataclass(frozen=True, slots=True)
class TwoDigitYear:
    letter: str
    following: int = 0


@dataclass(frozen=True, slots=True)
class Fraction:
    """Of a second, without a point."""

    width: int


@dataclass(frozen=True, slots=True)
class Name:
    """`style` is short, full or narrow."""

    letter: str
    style: str


@dataclass(frozen=True, slots=True)
class Offset:
    """`form` is as Java writes it: +HHmm, +HH:MM ... `zero` is what stands for no offset."""

    form: str
    zero: str


@dataclass(frozen=True, slots=True)
class LocalizedOffset:
    """GMT+8, or in full GMT+08:00."""

    is_full: bool


@dataclass(frozen=True, slots=True)
class ZoneName:
    """`style` is id, short or full."""

    style: str


@dataclass(frozen=True, slots=True)
class Padded:
    width: int
    inner: Element


@dataclass(frozen=True, slots=True)
class Optional:
    elements: tuple[Element, ...]


Element: TypeAlias = (
    Literal | Number | TwoDigitYear | Fraction | Name | Offset | LocalizedOffset | ZoneName | Padded | Optional
)
Pattern: TypeAlias = tuple[Element, ...]

_STYLES = {1: "short", 2: "short", 3: "short", 4: "full", 5: "narrow"}
_OFFSETS = {1: "+HHmm", 2: "+HHMM", 3: "+HH:MM", 4: "+HHMMss", 5: "+HH:MM:ss"}
_LOWER_ZEROS = {1: "+00", 2: "+0000", 3: "+00:00", 4: "+0000", 5: "+00:00"}


@lru_cache(maxsize=1_024)
def pattern_of(text: str) -> Pattern:
    """PatternError where Java would refuse it."""
    if len(text) > PATTERN_LENGTH_MAX:
        raise PatternError("Pattern is too long")
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._sections: list[list[Element]] = [[]]
        # Where in the innermost section the number stands that following fixed numbers touch; -1 for none.
        self._touched = -1
        self._pad = 0

    def read(self) -> Pattern:
        while self._at < len(self._text):
            self._step(self._text[self._at])
        if self._pad:
            raise PatternError("Pad letter 'p' must be followed by valid pad pattern")
        while len(self._sections) > 1:
            self._close()
        return tuple(self._sections[0])

    def _step(self, letter: str) -> None:
        if letter.isascii() and letter.isalpha():
            self._letter(letter, self._run(letter))
        elif letter == "'":
            self._add(Literal(self._quoted()))
        elif letter == "[":
            self._at += 1
            self._touched = -1
            if len(self._sections) > _DEPTH_MAX:
                raise PatternError("Pattern is nested too deeply")
            self._sections.append([])
        elif letter == "]":
            self._at += 1
            if len(self._sections) == 1:
                raise PatternError("Pattern invalid as it contains ] without previous [")
            self._close()
        elif letter in "{}#":
            raise PatternError(f"Pattern includes reserved character: '{letter}'")
        else:
            self._at += 1
            self._add(Literal(letter))

    def _run(self, letter: str) -> int:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] == letter:
            self._at += 1
        return self._at - start

    def _quoted(self) -> str:
        start = self._at
        text = ""
        self._at += 1
        while True:
            end = self._text.find("'", self._at)
            if end < 0:
                raise PatternError(f"Pattern ends with an incomplete string literal: {self._text}")
            text += self._text[self._at : end]
            self._at = end + 1
            if self._text[self._at : self._at + 1] != "'":
                return text if self._at - start > 2 else "'"
            text += "'"
            self._at += 1

    def _letter(self, letter: str, count: int) -> None:
        if letter == "p":
            if self._at >= len(self._text) or not self._text[self._at].isalpha():
                raise PatternError("Pad letter 'p' must be followed by valid pad pattern")
            self._pad = count
            self._touched = -1
        else:
            self._add(_element(letter, count))

    def _add(self, element: Element) -> None:
        section = self._sections[-1]
        if self._pad:
            section.append(Padded(self._pad, element))
            self._pad = 0
            self._touched = -1
        elif isinstance(element, Number | TwoDigitYear | Fraction):
            self._add_number(section, element)
        else:
            section.append(element)
            self._touched = -1

    def _add_number(self, section: list[Element], element: Number | TwoDigitYear | Fraction) -> None:
        width = _fixed_width(element)
        first = section[self._touched] if self._touched >= 0 else None
        if isinstance(first, Number | TwoDigitYear) and width is not None:
            section[self._touched] = replace(first, following=first.following + width)
            section.append(element)
        else:
            section.append(element)
            self._touched = len(section) - 1

    def _close(self) -> None:
        elements = tuple(self._sections.pop())
        self._touched = -1
        if elements:
            self._sections[-1].append(Optional(elements))


def _fixed_width(element: Number | TwoDigitYear | Fraction) -> int | None:
    match element:
        case Number():
            return element.width_max if element.is_fixed else None
        case TwoDigitYear():
            return 2
        case Fraction(width):
            return width


def _element(letter: str, count: int) -> Element:
    match letter:
        case "y" | "u" | "Y":
            return _year(letter, count)
        case "M" | "L" | "Q" | "q":
            return _number(letter, count) if count <= 2 else Name(letter, _style(letter, count))
        case "e" | "c" if count <= 2:
            if letter == "c" and count == 2:
                raise PatternError('Invalid pattern "cc"')
            return _number(letter, count)
        case "E" | "G" | "e" | "c":
            return Name(letter, _style(letter, count))
        case "a":
            _bound(letter, count, 1)
            return Name(letter, "short")
        case "d" | "h" | "H" | "k" | "K" | "m" | "s" | "w":
            return _number(letter, count)
        case "D":
            _bound(letter, count, 3)
            return Number("D", 1, 19) if count == 1 else Number("D", count, 3, "NOT_NEGATIVE")
        case "F" | "W":
            _bound(letter, count, 1)
            return Number(letter, 1, 1, "NOT_NEGATIVE")
        case "S":
            _bound(letter, count, 9)
            return Fraction(count)
        case "A" | "n" | "N" | "g":
            _bound(letter, count, 19)
            return Number(letter, count, 19, "NORMAL" if letter == "g" else "NOT_NEGATIVE")
        case _:
            return _zone(letter, count)


def _zone(letter: str, count: int) -> Element:
    match letter:
        case "X":
            _bound(letter, count, 5)
            return Offset(_OFFSETS[count], "Z")
        case "x":
            _bound(letter, count, 5)
            return Offset(_OFFSETS[count], _LOWER_ZEROS[count])
        case "Z":
            _bound(letter, count, 5)
            if count == 4:
                return LocalizedOffset(is_full=True)
            return Offset("+HH:MM:ss", "Z") if count == 5 else Offset("+HHMM", "+0000")
        case "O":
            if count not in (1, 4):
                raise PatternError(f"Pattern letter count must be 1 or 4: {letter}")
            return LocalizedOffset(is_full=count == 4)
        case "V":
            if count != 2:
                raise PatternError(f"Pattern letter count must be 2: {letter}")
            return ZoneName("id")
        case "z":
            _bound(letter, count, 4)
            return ZoneName("full" if count == 4 else "short")
        case "v":
            if count not in (1, 4):
                raise PatternError(f"Wrong number of pattern letters: {letter}")
            return ZoneName("full" if count == 4 else "short")
        case _:
            raise PatternError(f"Unknown pattern letter: {letter}")


def _year(letter: str, count: int) -> Element:
    _bound(letter, count, 19)
    if count == 2:
        return TwoDigitYear(letter)
    return Number(letter, count, 19, "NORMAL" if count < 4 else "EXCEEDS_PAD")


def _number(letter: str, count: int) -> Number:
    _bound(letter, count, 2)
    return Number(letter, 1, 19) if count == 1 else Number(letter, 2, 2, "NOT_NEGATIVE")


def _style(letter: str, count: int) -> str:
    _bound(letter, count, 5)
    return _STYLES[count]


def _bound(letter: str, count: int, most: int) -> None:
    if count > most:
        raise PatternError(f"Too many pattern letters: {letter}")
