"""Patterns of dates and times as Spark formats them, where it does as Java does: literals of the plain kind, which
nearly all are.

Everything else goes to the Python functions (`python_functions.py`), at some microseconds a row and a Python process:
patterns that are columns, optional sections, names of zones, weeks. Spark's `date_format` is Java's formatter for the
letters that are let through here. How texts are parsed is in `date_places.py`.
"""

from __future__ import annotations

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

DATE_LETTERS = frozenset("yuYGMLQqdDFEecwWg")
_FORMATTED = frozenset("yuMdDHhkKms")


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
