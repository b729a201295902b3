"""What may come next in a statement that is still being written: the parser's own answer, for who completes it."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token, UnexpectedToken

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.foresight import stack_before, taken
from riacho.pipelines.sql.parsing.keywords import TERMINAL_OF
from riacho.pipelines.sql.parsing.scanner import statements
from riacho.pipelines.sql.parsing.tables import parser

# A token that no rule takes: where the parser stops at it, everything before was right.
_CURSOR = "_CURSOR"
_WORD_OF = {terminal: word for word, terminal in TERMINAL_OF.items()}


def next_terminals(text: str) -> frozenset[str] | None:
    """Of the last statement of a text. None where it has gone wrong already, or is in a string or a comment."""
    try:
        last = next(reversed(list(statements(text))), None)
        tokens = list(last.tokens) if last is not None and not last.is_terminated else []
        return _after(tokens)
    except ParseError:
        return None


def keywords_of(terminals: frozenset[str]) -> list[str]:
    return sorted(_WORD_OF[terminal] for terminal in terminals if terminal in _WORD_OF)


def _after(tokens: Sequence[Token]) -> frozenset[str] | None:
    cursor = Token(_CURSOR, "")
    try:
        parser().parse([*tokens, cursor], start="statement")
    except UnexpectedToken as error:
        if error.token is cursor:
            conf = error.state.parse_conf
            return frozenset(taken(conf, stack_before(conf, tokens)))
    return None
