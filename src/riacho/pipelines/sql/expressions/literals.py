"""Literals."""

from __future__ import annotations

import decimal

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import NULL, Compiled
from riacho.pipelines.sql.expressions.decimals import decimal_type
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.syntax.expressions import (
    BooleanLiteral,
    DecimalLiteral,
    DoubleLiteral,
    IntegerLiteral,
    LongLiteral,
    NullLiteral,
    StringLiteral,
)
from riacho.pipelines.sql.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, spark_type

DECIMAL_DIGITS_MAX = 38

Literal = NullLiteral | BooleanLiteral | IntegerLiteral | LongLiteral | DoubleLiteral | DecimalLiteral | StringLiteral


def literal(expression: Literal) -> Compiled:
    match expression:
        case NullLiteral():
            return NULL
        case BooleanLiteral(value):
            return Compiled("true" if value else "false", BOOLEAN, value, nullable=False)
        case IntegerLiteral(number):
            return Compiled(_signed(str(number), number < 0), INTEGER, number, nullable=False)
        case LongLiteral(number):
            return Compiled(_long(number), BIGINT, number, nullable=False)
        case DoubleLiteral(text):
            return Compiled(f"CAST({sql_string(text)} AS DOUBLE)", DOUBLE, float(text), nullable=False)
        case DecimalLiteral(text):
            return _decimal(text)
        case StringLiteral(text):
            return Compiled(sql_string(text), STRING, text, nullable=False)


def _signed(text: str, is_negative: bool) -> str:
    return f"({text})" if is_negative else text


def _long(number: int) -> str:
    # The smallest BIGINT has no literal: it would be the negation of one that is too large.
    return "(-9223372036854775807L - 1L)" if number == -(2**63) else _signed(f"{number}L", number < 0)


def _decimal(text: str) -> Compiled:
    value = decimal.Decimal(text)
    kind = decimal_type(value)
    if kind.precision > DECIMAL_DIGITS_MAX:
        raise KsqlError(f"A decimal has at most {DECIMAL_DIGITS_MAX} digits: {text[:80]}")
    return Compiled(f"CAST({sql_string(text)} AS {spark_type(kind)})", kind, value, nullable=False)
