"""From text to words, literals and signs, and from these to statements. What a word means is for `lexer.py`.

References to variables are words here, so that a script can be cut before they have values.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from lark import Token

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.bounds import (
    NESTING_MAX,
    OPERATORS_MAX,
    STATEMENTS_MAX,
    TEXT_CHARACTERS_MAX,
    TOKENS_MAX,
    too_deep,
)
from riacho.pipelines.sql.syntax.expressions import Location

# Repetitions give nothing back (`*+`): time is linear in the text. A colon is part of a name (`a:b`), not of `a:=1`.
_PATTERN = re.compile(
    r"""
    (?P<BLANK>\s++|--[^\n]*+|/\*.*?\*/)
  | (?P<STRING>'[^']*+(?>(?:''[^']*+)*)')
  | (?P<QUOTED>`[^`]*+(?>(?:``[^`]*+)*)`|"[^"]*+(?>(?:""[^"]*+)*)")
  | (?P<FLOAT>(?:\d++(?:\.\d*+)?|(?<![\w`"])\.\d++)[eE][+-]?\d++(?![\w@]))
  | (?P<DECIMAL>\d++\.\d*+|(?<![\w`"])\.\d++)
  | (?P<INTEGER>\d++(?![A-Za-z_@]))
  | (?P<NAME>[A-Za-z0-9_](?>(?:[A-Za-z0-9_@]++|:(?!=))*))
  | (?P<OPEN>['"`]|/\*)
  | (?P<SIGN><>|!=|<=|>=|=>|->|:=|\|\||[-+*/%=<>()\[\],.;])
  | (?P<VARIABLE>\$\{\w*+\})
  | (?P<OTHER>.)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)

_SIGNS = {
    "<>": "COMPARISON",
    "!=": "COMPARISON",
    "<=": "COMPARISON",
    ">=": "COMPARISON",
    "=": "_EQ",
    "<": "_LT",
    ">": "_GT",
    "=>": "_LAMBDA",
    "->": "_ARROW",
    ":=": "_ASSIGN",
    "||": "_CONCAT",
    "-": "_MINUS",
    "+": "_PLUS",
    "*": "_STAR",
    "/": "_SLASH",
    "%": "_PERCENT",
    "(": "_LPAR",
    ")": "_RPAR",
    "[": "_LSQB",
    "]": "_RSQB",
    ",": "_COMMA",
    ".": "_DOT",
    ";": "SEMICOLON",
}
SIGN_OF = {terminal: sign for sign, terminal in _SIGNS.items() if terminal != "COMPARISON"}
SIGN_TERMINALS = frozenset(_SIGNS.values()) - {"SEMICOLON"}
_ENDING_CHAINS = frozenset({"_COMMA", "SEMICOLON", "WHEN"})
_OPERATORS = SIGN_TERMINALS - {"_COMMA", "_LPAR", "_RPAR", "_RSQB", "_DOT"} | {"AND", "OR", "NOT", "CASE", "EXPLAIN"}
_OPENING, _CLOSING = frozenset({"_LPAR", "_LSQB"}), frozenset({"_RPAR", "_RSQB"})

_NOT_CLOSED = {"'": "string", '"': "quoted identifier", "`": "quoted identifier", "/*": "comment"}


@dataclass(frozen=True, slots=True)
class Words:
    """One statement: its tokens without the semicolon, its text with it, and where it ends."""

    tokens: list[Token]
    text: str
    at: Location
    end: Location
    is_terminated: bool


class Lines:
    """Places in a text by line and column, both from 1."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def at(self, position: int) -> Location:
        line = bisect_left(self._ends, position)
        return Location(line + 1, position - (self._ends[line - 1] if line else -1))


def statements(text: str) -> Iterator[Words]:
    """The statements of a script, each up to its semicolon; what stands behind the last one has none."""
    _check_size(text)
    lines = Lines(text)
    count, tokens = 0, list[Token]()
    for token in _tokens(text, lines):
        if token.type != "SEMICOLON":
            tokens.append(token)
            continue
        count += 1
        if count > STATEMENTS_MAX:
            raise ParseError(f"A request has at most {STATEMENTS_MAX} statements.", *_place(token))
        yield _words(text, lines, tokens, token)
        tokens = []
    if tokens:
        yield _words(text, lines, tokens, None)


def _words(text: str, lines: Lines, tokens: list[Token], semicolon: Token | None) -> Words:
    first = tokens[0] if tokens else semicolon
    last = semicolon or tokens[-1]
    assert first is not None
    assert first.start_pos is not None
    assert last.start_pos is not None
    end = last.start_pos + len(last)
    at_end = lines.at(last.start_pos if semicolon else end)
    return Words(tokens, text[first.start_pos : end], Location(*_place(first)), at_end, semicolon is not None)


def pieces(text: str) -> Iterator[tuple[str, str, int]]:
    """(kind, text, start) of everything that stands in a text, blanks and comments too, for who shows or completes it.
    Nothing is refused: what opens and is not closed, and what is of no kind, are pieces."""
    for found in _PATTERN.finditer(text):
        yield found.lastgroup or "OTHER", found.group(), found.start()


def _tokens(text: str, lines: Lines) -> Iterator[Token]:
    chains = _Chains()
    count = 0
    for kind, value, start in pieces(text):
        if kind == "BLANK":
            continue
        at = lines.at(start)
        if kind == "SIGN":
            kind = _SIGNS[value]
            chains.see(kind, at)
        elif kind == "NAME":
            chains.see(value.upper(), at)
        elif kind in ("OPEN", "OTHER"):
            raise ParseError(_refusal(kind, value), *at)
        count += 1
        if count > TOKENS_MAX:
            raise ParseError(f"A request has at most {TOKENS_MAX} words and signs.", *at)
        yield Token(kind, value, start, *at)


class _Chains:
    """How deep brackets are, and how long a chain of operators is, before anything is made of them."""

    def __init__(self) -> None:
        self._depth = self._operators = 0

    def see(self, kind: str, at: Location) -> None:
        if kind in _OPENING:
            self._depth += 1
            if self._depth > NESTING_MAX:
                raise too_deep(at)
        elif kind in _CLOSING:
            self._depth -= 1
        if kind in _OPERATORS:
            self._operators += 1
            if self._operators > OPERATORS_MAX:
                raise ParseError(f"An expression has at most {OPERATORS_MAX} operators.", *at)
        elif kind in _ENDING_CHAINS:
            self._operators = 0
            if kind == "SEMICOLON":
                self._depth = 0


def _refusal(kind: str, value: str) -> str:
    if kind == "OPEN":
        return f"Syntax Error\nThe {_NOT_CLOSED[value]} that begins here is not closed."
    hint = " An identifier with such characters is written in back-ticks." if value.isalnum() else ""
    return f"Syntax Error\ntoken recognition error at: '{value}'.{hint}"


def _check_size(text: str) -> None:
    if len(text) > TEXT_CHARACTERS_MAX:
        raise ParseError(f"A request has at most {TEXT_CHARACTERS_MAX} characters; this one has {len(text)}.", 1, 1)


def _place(token: Token) -> tuple[int, int]:
    assert token.line is not None
    assert token.column is not None
    return token.line, token.column
