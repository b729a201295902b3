"""Values of tokens: names, strings, numbers."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from lark import Token

from riacho.pipelines.sql.syntax.expressions import (
    DecimalLiteral,
    DoubleLiteral,
    IntegerLiteral,
    Location,
    LongLiteral,
)

INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1

Number: TypeAlias = IntegerLiteral | LongLiteral | DecimalLiteral | DoubleLiteral


class Name(NamedTuple):
    """An identifier, and where it stood."""

    text: str
    at: Location


def location(token: Token) -> Location:
    assert token.line is not None
    assert token.column is not None
    return Location(token.line, token.column)


def unquoted(token: str) -> str:
    """What stands between quotes, a doubled one being one."""
    quote = token[0]
    return token[1:-1].replace(quote * 2, quote)


def whole_number(value: int, at: Location | None) -> IntegerLiteral | LongLiteral:
    """Past 64 bits as well, for a sign may still come; `checks.py` looks at what it became."""
    if INTEGER_MIN <= value <= INTEGER_MAX:
        return IntegerLiteral(value, at=at)
    return LongLiteral(value, at=at)


def negated_number(number: Number, at: Location | None) -> Number:
    match number:
        case IntegerLiteral(value) | LongLiteral(value):
            return whole_number(-value, at)
        case DecimalLiteral(text):
            return DecimalLiteral(_negated_text(text), at=at)
        case DoubleLiteral(text):
            return DoubleLiteral(_negated_text(text), at=at)


def _negated_text(text: str) -> str:
    return text[1:] if text.startswith("-") else f"-{text}"
