"""Places of strings in strings and among others: INSTR, FIELD and ELT. Places are counted from 1."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import Argument, Example, Function
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import INTEGER, STRING

CATEGORY = "STRING"

# Each occurrence is a search through the string.
OCCURRENCES_MAX = 10_000


def _field(arguments: Sequence[Argument]) -> str:
    wanted, *candidates = (argument.text for argument in arguments)
    if not candidates:
        return "0"
    return f"CAST(coalesce(array_position(array({', '.join(candidates)}), {wanted}), 0) AS INT)"


def _elt(arguments: Sequence[Argument]) -> str:
    if len(arguments) < 2:
        return "CAST(NULL AS STRING)"
    position, *candidates = (argument.text for argument in arguments)
    return f"element_at(array({', '.join(candidates)}), nullif(greatest({position}, 0), 0))"


def _instr(arguments: Sequence[Argument]) -> str:
    given = tuple(argument.text for argument in arguments)
    position, occurrence = (*given[2:], "1", "1")[:2]

    def place(text: str, part: str, start: str, number: str) -> str:
        if start == "1" and number == "1":
            return f"coalesce(instr({text}, {part}), 0)"
        # From the end: the same in the reversed strings, where a place is counted from the other side.
        first = f"greatest(- {start} - length({part}) + 1, 1)"
        behind = _nth(f"reverse({text})", f"reverse({part})", first, number)
        backward = f"IF({behind} > 0, length({text}) - {behind} - length({part}) + 2, 0)"
        found = f"IF({start} > 0, {_nth(text, part, start, number)}, {backward})"
        asked = f"{start} <> 0 AND {number} BETWEEN 1 AND {OCCURRENCES_MAX}"
        return f"IF({asked}, coalesce({found}, 0), 0)"

    return let_all((given[0], given[1], position, occurrence), place)


def _nth(text: str, part: str, start: str, number: str) -> str:
    """One search after the other, each from behind the beginning of what was found; 0 once nothing is."""
    if number == "1":
        return f"locate({part}, {text}, {start})"
    search = f"IF(_at < 0, _at, nullif(locate({part}, {text}, _at + 1), 0))"
    return f"greatest(aggregate(sequence(1, {number}), {start} - 1, (_at, _i) -> coalesce({search}, -1)), 0)"


_TEXT = ("string", STRING)
_PART = ("substring", STRING)

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "ELT",
        CATEGORY,
        "The argument at a position, counted from 1; null where there is none.",
        (signature([("n", INTEGER), ("args", STRING)], STRING, _elt, is_variadic=True),),
        (
            Example("ELT(1, 'a', 'b')", "a"),
            Example("ELT(3, 'a', 'b')", None),
            Example("ELT(0, 'a', 'b')", None),
            Example("ELT(-1, 'a', 'b')", None),
        ),
    ),
    Function(
        "FIELD",
        CATEGORY,
        "The position of a string among others, counted from 1; 0 where it is not among them.",
        (signature([("str", STRING), ("args", STRING)], INTEGER, _field, is_variadic=True),),
        (
            Example("FIELD('b', 'a', 'b')", 2),
            Example("FIELD('x', 'a', 'b')", 0),
            Example("FIELD(CAST(NULL AS STRING), 'a', 'b')", 0),
            Example("FIELD('b', CAST(NULL AS STRING), 'b')", 2),
        ),
    ),
    Function(
        "INSTR",
        CATEGORY,
        "The place of a part in a string, counted from 1; 0 where it is not there.",
        (
            signature([_TEXT, _PART], INTEGER, _instr),
            signature([_TEXT, _PART, ("position", INTEGER)], INTEGER, _instr),
            signature([_TEXT, _PART, ("position", INTEGER), ("occurrence", INTEGER)], INTEGER, _instr),
        ),
        (
            Example("INSTR('CORPORATE FLOOR', 'OR')", 2),
            Example("INSTR('CORPORATE FLOOR', 'OR', 3)", 5),
            Example("INSTR('CORPORATE FLOOR', 'OR', 3, 2)", 14),
            Example("INSTR('CORPORATE FLOOR', 'OR', -3)", 5),
            Example("INSTR('CORPORATE FLOOR', 'OR', -3, 2)", 2),
            Example("INSTR('CORPORATE FLOOR', 'MISSING')", 0),
            Example("INSTR('CORPORATE FLOOR', 'OR', 3, 3)", 0),
            Example("INSTR('CORPORATE FLOOR', 'OR', -1)", 14),
            Example("INSTR('CORPORATE FLOOR', 'OR', -2)", 14),
            Example("INSTR('CORPORATE FLOOR', 'OR', 0)", 0),
            Example("INSTR('CORPORATE FLOOR', 'OR', 1, 0)", 0),
            Example("INSTR('aaa', 'aa', 1, 2)", 2),
            Example("INSTR('aaa', 'aa', -1, 2)", 1),
            Example("INSTR('', 'OR')", 0),
            Example("INSTR(CAST(NULL AS STRING), 'OR')", 0),
        ),
    ),
)
