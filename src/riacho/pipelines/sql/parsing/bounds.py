"""What a text may not exceed: no statement keeps a server busy or overflows a stack of whoever walks over it."""

from __future__ import annotations

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.syntax.expressions import Location

TEXT_CHARACTERS_MAX = 2 * 1024 * 1024
TOKENS_MAX = 100_000
STATEMENTS_MAX = 10_000
# Between two commas: a chain of different ones is as deep as it is long, and is refused before it is a tree.
OPERATORS_MAX = 5_000
# Of brackets, and of expressions and types in one another: A + B * C has depth 3, A + B + C has 2. Walks over a tree
# may recurse, with several frames a level: comparing two types takes five of the 1,000 that Python has.
NESTING_MAX = 128


def too_deep(at: Location | None) -> ParseError:
    line, column = at or Location(1, 1)
    return ParseError(f"The statement is nested deeper than {NESTING_MAX} levels.", line, column)
