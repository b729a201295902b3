"""Precision and scale of decimals in arithmetic and where types meet, as ksqlDB computes them.

ksqlDB's decimals have any precision, Spark's 38 digits at most: types are computed without the bound, as schemas show
them, and values are held in as many digits as Spark has (`types.spark_type`).
"""

from __future__ import annotations

import decimal

from riacho.pipelines.sql.types import BIGINT, INTEGER, Decimal, SqlType

_WHOLE_NUMBERS: dict[SqlType, Decimal] = {INTEGER: Decimal(10, 0), BIGINT: Decimal(19, 0)}
_DIVISION_SCALE_MIN = 6


def decimal_of(kind: SqlType) -> Decimal:
    """The decimal that holds every value of a decimal, INTEGER or BIGINT."""
    return kind if isinstance(kind, Decimal) else _WHOLE_NUMBERS[kind]


def decimal_type(value: decimal.Decimal) -> Decimal:
    """The type of a literal: 10.50 is DECIMAL(4, 2), 0.05 is DECIMAL(2, 2)."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int), "a literal is finite"
    scale = max(0, -exponent)
    return Decimal(max(len(digits) + max(0, exponent), scale, 1), scale)


def wider(left: Decimal, right: Decimal) -> Decimal:
    """The decimal that holds the values of both."""
    scale = max(left.scale, right.scale)
    return Decimal(max(left.precision - left.scale, right.precision - right.scale) + scale, scale)


def fits(source: Decimal, target: Decimal) -> bool:
    """Whether every value of the one is a value of the other."""
    return source.scale <= target.scale and source.precision - source.scale <= target.precision - target.scale


def result_type(operator: str, left: Decimal, right: Decimal) -> Decimal:
    match operator:
        case "+" | "-":
            both = wider(left, right)
            return Decimal(both.precision + 1, both.scale)
        case "*":
            return Decimal(left.precision + right.precision + 1, left.scale + right.scale)
        case "/":
            scale = max(_DIVISION_SCALE_MIN, left.scale + right.precision + 1)
            return Decimal(left.precision - left.scale + right.scale + scale, scale)
        case _:
            scale = max(left.scale, right.scale)
            return Decimal(min(left.precision - left.scale, right.precision - right.scale) + scale, scale)
