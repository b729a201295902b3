"""What a word means where it stands: a keyword where a rule takes it as one, else a name.

So `KEY` is a column in `SELECT KEY` and a constraint in `ID INT KEY`, without a rule of its own for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Token
from lark.lexer import Lexer, LexerState
from lark.parsers.lalr_parser_state import ParseConf

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.foresight import takes
from riacho.pipelines.sql.parsing.keywords import (
    FUNCTIONS_OF_UNITS,
    KEYWORDS,
    ONLY_BEFORE,
    RESERVED,
    TERMINAL_OF,
    UNITS,
)
from riacho.pipelines.sql.parsing.literals import location

_NEXT = {"[": "_LSQB", "(": "_LPAR", "<": "_LT"}


class KsqlLexer(Lexer):
    """Is given the tokens of one statement (`scanner.py`) in place of a text."""

    __future_interface__ = 2

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        tokens: list[Token] = lexer_state.text  # type: ignore[assignment]
        conf, stack = parser_state.parse_conf, parser_state.state_stack
        for index, token in enumerate(tokens):
            if token.type == "NAME":
                token.type = _word(tokens, index, conf, stack)
            elif token.type == "_LPAR":
                if _opens_lambda(tokens, index):
                    token.type = "_LAMBDA_OPEN"
            elif token.type == "COMPARISON" and token == "<>" and index and tokens[index - 1].type == "STRUCT":
                token.type = "_NOTHING"
            elif token.type == "VARIABLE":
                raise ParseError(f"Syntax Error\nThe variable {token[:80]} is not defined.", *location(token))
            yield token


def _word(tokens: list[Token], index: int, conf: ParseConf[Any], stack: list[Any]) -> str:
    word = tokens[index].upper()
    if word in UNITS:
        return "UNIT" if _is_unit(tokens, index) and takes(conf, stack, "UNIT") else "NAME"
    if word not in KEYWORDS:
        return "NAME"
    if word in ONLY_BEFORE and not _is_before(tokens, index, ONLY_BEFORE[word]):
        return "NAME"
    terminal = TERMINAL_OF[word]
    return terminal if word in RESERVED or takes(conf, stack, terminal) else "NAME"


def _is_unit(tokens: list[Token], index: int) -> bool:
    """After a number, or as the first argument of a function that has one there."""
    before = tokens[index - 1].type if index else ""
    if before != "_LPAR":
        return before == "INTEGER"
    return index > 1 and tokens[index - 2].upper() in FUNCTIONS_OF_UNITS


def _is_before(tokens: list[Token], index: int, signs: str) -> bool:
    if index + 1 == len(tokens):
        return False
    following = tokens[index + 1]
    # STRUCT<> has no fields.
    return any(following.type == _NEXT[sign] for sign in signs) or ("<" in signs and following == "<>")


def _opens_lambda(tokens: list[Token], index: int) -> bool:
    """`(x, y) =>`: the arrow decides, and only names and commas are between."""
    at = index + 1
    while at + 2 < len(tokens) and tokens[at].type in ("NAME", "QUOTED"):
        if tokens[at + 1].type == "_RPAR":
            return tokens[at + 2].type == "_LAMBDA"
        if tokens[at + 1].type != "_COMMA":
            return False
        at += 2
    return False
