"""LIKE: % is any text, _ any one character, and the character of ESCAPE takes the meaning from what follows it."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import failures
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BOOLEAN, STRING

# Spark's LIKE has an escape character always (the backslash by default) and refuses it before ordinary characters:
# ours is one that patterns do not have, and what ESCAPE names is translated to it.
_ESCAPE_CANDIDATES = "\x01\x02\x03\x04\x05\x06"


def like(operand: Compiled, pattern: Compiled, escape: str | None) -> Compiled:
    for side in (operand, pattern):
        if side.type not in (STRING, None):
            raise KsqlError(f"LIKE takes strings, but {side.source} is {side.type}.")
    if escape is not None and len(escape) != 1:
        raise KsqlError("Expected only one escape character, but was: " + escape)
    if isinstance(pattern.literal, str):
        text, mark = _translated(pattern.literal, escape)
        return _matched(operand, sql_string(text), mark, operand.failure)
    return _matched(operand, pattern.text, escape or _ESCAPE_CANDIDATES[0], failures((operand, pattern)))


def _matched(operand: Compiled, pattern: str, escape: str, failure: str) -> Compiled:
    text = f"{operand.text} LIKE {pattern} ESCAPE {sql_string(escape)}"
    return Compiled(f"coalesce({text}, false)", BOOLEAN, nullable=False, failure=failure, shows_failure=not failure)


def _translated(pattern: str, escape: str | None) -> tuple[str, str]:
    mark = next((mark for mark in _ESCAPE_CANDIDATES if mark not in pattern), None)
    if mark is None:
        raise KsqlError("The pattern of LIKE has too many control characters.")
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            literal = next(letters, "")
            parts.append(mark + literal if literal and literal in "%_" else literal)
        else:
            parts.append(letter)
    return "".join(parts), mark
