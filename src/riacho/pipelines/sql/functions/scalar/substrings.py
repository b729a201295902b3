"""Parts and lengths of strings and of bytes: LEN, SUBSTRING, LPAD, RPAD."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function, MakeSql
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import BYTES, INTEGER, STRING

CATEGORY = "STRING"

PADDED_LENGTH_MAX = 16_777_216


def _substring(arguments: Sequence[Argument]) -> str:
    """From 1, or from the end where the position is negative; before the first is at the first."""
    given = tuple(argument.text for argument in arguments)
    position = arguments[1].literal
    rest = "".join(f", {length}" for length in given[2:])
    if isinstance(position, int) and position >= 0:
        return f"substring({given[0]}, {max(position, 1)}{rest})"

    def part(text: str, start: str) -> str:
        place = f"CASE WHEN {start} < 0 THEN greatest(length({text}) + {start}, 0) + 1"
        return f"substring({text}, {place} WHEN {start} = 0 THEN 1 ELSE {start} END{rest})"

    return let_all((given[0], given[1]), part)


def _padded(function: str) -> MakeSql:
    """Null where there is nothing to pad with, or the length is negative, or more than a record can have."""

    def make(arguments: Sequence[Argument]) -> str:
        return let_all(
            tuple(argument.text for argument in arguments),
            lambda text, length, padding: (
                f"IF(length({padding}) > 0 AND {length} BETWEEN 0 AND {PADDED_LENGTH_MAX}, "
                f"{function}({text}, {length}, {padding}), NULL)"
            ),
        )

    return make


_PADDED = [("input", STRING), ("targetLen", INTEGER), ("padding", STRING)]
_PADDED_BYTES = [("input", BYTES), ("targetLen", INTEGER), ("padding", BYTES)]

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "LEN",
        CATEGORY,
        "The length of a string, in UTF-16 units as in Java, or of bytes.",
        (
            signature([("string", STRING)], INTEGER, "CAST(length(encode({0}, 'UTF-16BE')) div 2 AS INT)"),
            signature([("bytes", BYTES)], INTEGER, "length({0})"),
        ),
        (
            Example("LEN('abc')", 3),
            Example("LEN('')", 0),
            Example("LEN(CAST(NULL AS STRING))", None),
            Example("LEN(TO_BYTES('é', 'utf8'))", 2),
        ),
    ),
    Function(
        "SUBSTRING",
        CATEGORY,
        "A part of a string or of bytes, from a position that is counted from 1, or from the end where it is negative.",
        (
            signature([("str", STRING), ("pos", INTEGER)], STRING, _substring),
            signature([("str", STRING), ("pos", INTEGER), ("length", INTEGER)], STRING, _substring),
            signature([("bytes", BYTES), ("pos", INTEGER)], BYTES, _substring),
            signature([("bytes", BYTES), ("pos", INTEGER), ("length", INTEGER)], BYTES, _substring),
        ),
        (
            Example("SUBSTRING('stream', 1, 4)", "stre"),
            Example("SUBSTRING('stream', 4)", "eam"),
            Example("SUBSTRING('stream', -3)", "eam"),
            Example("SUBSTRING('stream', -3, 2)", "ea"),
            Example("SUBSTRING('stream', -10, 2)", "st"),
            Example("SUBSTRING('stream', 0, 2)", "st"),
            Example("SUBSTRING('stream', 10)", ""),
            Example("SUBSTRING('stream', 2, 0)", ""),
            Example("SUBSTRING('stream', 2, -1)", ""),
            Example("SUBSTRING('stream', CAST(NULL AS INT))", None),
            Example("SUBSTRING(TO_BYTES('stream', 'utf8'), 1, 3)", "c3Ry"),
        ),
    ),
    Function(
        "LPAD",
        CATEGORY,
        "As long as asked for: filled from the left, or cut.",
        (
            signature(_PADDED, STRING, _padded("lpad")),
            signature(_PADDED_BYTES, BYTES, _padded("lpad")),
        ),
        (
            Example("LPAD('Foo', 7, 'Bar')", "BarBFoo"),
            Example("LPAD('Foo', 2, 'Bar')", "Fo"),
            Example("LPAD('', 2, 'Bar')", "Ba"),
            Example("LPAD('Foo', 0, 'Bar')", ""),
            Example("LPAD('Foo', -1, 'Bar')", None),
            Example("LPAD('Foo', 7, '')", None),
            Example("LPAD('Foo', 2147483647, 'x')", None),
            Example("LPAD('Foo', 7, CAST(NULL AS STRING))", None),
            Example("LPAD(TO_BYTES('a', 'utf8'), 3, TO_BYTES('-', 'utf8'))", "LS1h"),
        ),
    ),
    Function(
        "RPAD",
        CATEGORY,
        "As long as asked for: filled from the right, or cut.",
        (
            signature(_PADDED, STRING, _padded("rpad")),
            signature(_PADDED_BYTES, BYTES, _padded("rpad")),
        ),
        (
            Example("RPAD('Foo', 7, 'Bar')", "FooBarB"),
            Example("RPAD('Foo', 2, 'Bar')", "Fo"),
            Example("RPAD('', 2, 'Bar')", "Ba"),
            Example("RPAD('Foo', 5, '')", None),
            Example("RPAD(TO_BYTES('a', 'utf8'), 3, TO_BYTES('-', 'utf8'))", "YS0t"),
        ),
    ),
)
