"""CEIL, FLOOR, ROUND and TRUNC. What is half way is rounded in the positive direction: -1.5 becomes -1."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import AnyDecimal, Argument, Example, Function, Signature
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import BIGINT, DOUBLE, INTEGER, Decimal, SqlType, spark_type

CATEGORY = "MATHEMATICAL"

# Doubles beyond have no fraction, and need more digits than a BIGINT has.
_WHOLE_FROM = "9.0E15D"
# The digits after the point that a double is rounded in; a double has 17 in all.
_WORKING = Decimal(35, 17)
# Before the point; of what is rounded to more of them nothing is left.
_PLACES_MAX = 20


def _direction(function: str) -> tuple[Signature, ...]:
    """CEIL and FLOOR: whole numbers are what they are, decimals keep their type."""

    def of_double(arguments: Sequence[Argument]) -> str:
        text = arguments[0].text
        return let_all((text,), lambda x: f"IF(abs({x}) < {_WHOLE_FROM}, CAST({function}({x}) AS DOUBLE), {x})")

    def of_decimal(arguments: Sequence[Argument]) -> str:
        assert isinstance(arguments[0].type, Decimal)
        return f"CAST({function}({arguments[0].text}) AS {spark_type(arguments[0].type)})"

    return (
        signature([("val", INTEGER)], INTEGER, "{0}"),
        signature([("val", BIGINT)], BIGINT, "{0}"),
        signature([("val", DOUBLE)], DOUBLE, of_double),
        signature([("val", AnyDecimal())], AnyDecimal(), of_decimal),
    )


Rounded = Callable[[str, int], str]
"""From a decimal's text and the number of places: the text of the rounded decimal."""


def _half_up(text: str, places: int) -> str:
    half = decimal.Decimal(5).scaleb(-places - 1)
    digits = max(0, places + 1)
    return f"floor({text} + CAST('{half:f}' AS DECIMAL({max(len(f'{half:f}') + 1, digits)},{digits})), {places})"


def _towards_zero(text: str, places: int) -> str:
    return let_all((text,), lambda x: f"IF({x} < 0, ceil({x}, {places}), floor({x}, {places}))")


def _to_places(rounded: Rounded) -> Callable[[Sequence[Argument]], str]:
    """Spark rounds to places that are known beforehand: of a column's places each has its case."""

    def make(arguments: Sequence[Argument]) -> str:
        value, places = arguments
        kind = value.type
        assert kind is not None
        scale = kind.scale if isinstance(kind, Decimal) else _WORKING.scale
        count = places.literal
        if isinstance(count, int):
            return let_all((value.text,), lambda x: _placed(rounded, x, kind, scale, count))

        def chosen(x: str, n: str) -> str:
            known = range(-_PLACES_MAX, scale)
            cases = " ".join(f"WHEN {each} THEN {_placed(rounded, x, kind, scale, each)}" for each in known)
            otherwise = f"WHEN {n} >= {scale} THEN {x} WHEN {n} < -{_PLACES_MAX} THEN {_zero(kind)}"
            return f"(CASE {otherwise} ELSE CASE {n} {cases} END END)"

        return let_all((value.text, places.text), chosen)

    return make


def _placed(rounded: Rounded, x: str, kind: SqlType, scale: int, count: int) -> str:
    target = spark_type(kind)
    if count >= scale:
        return x
    if count < -_PLACES_MAX:
        return _zero(kind)
    if isinstance(kind, Decimal):
        return f"CAST({rounded(x, count)} AS {target})"
    working, whole = f"CAST({x} AS {spark_type(_WORKING)})", x
    if count < 0:
        whole = f"coalesce(CAST({rounded(f'CAST({x} AS DECIMAL(38,0))', count)} AS {target}), {x})"
    return f"IF(abs({x}) < {_WHOLE_FROM}, CAST({rounded(working, count)} AS {target}), {whole})"


def _zero(kind: SqlType) -> str:
    return f"CAST(0 AS {spark_type(kind)})"


def _whole(types: Sequence[SqlType | None]) -> SqlType:
    kind = types[0]
    assert isinstance(kind, Decimal)
    return Decimal(max(1, kind.precision - kind.scale), 0)


def _whole_decimal(rounded: Rounded) -> Callable[[Sequence[Argument]], str]:
    def make(arguments: Sequence[Argument]) -> str:
        kind = arguments[0].type
        assert isinstance(kind, Decimal)
        return f"CAST({rounded(arguments[0].text, 0)} AS {spark_type(_whole([kind]))})"

    return make


def _rounding(of_double: str, rounded: Rounded) -> tuple[Signature, ...]:
    places = ("decimalPlaces", INTEGER)
    to_places = _to_places(rounded)
    return (
        signature([("val", INTEGER)], INTEGER, "{0}"),
        signature([("val", BIGINT)], BIGINT, "{0}"),
        signature([("val", DOUBLE)], BIGINT, of_double),
        signature([("val", AnyDecimal())], _whole, _whole_decimal(rounded)),
        signature([("val", DOUBLE), places], DOUBLE, to_places),
        signature([("val", AnyDecimal()), places], AnyDecimal(), to_places),
    )


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "CEIL",
        CATEGORY,
        "The smallest whole number that is not below.",
        _direction("ceil"),
        (
            Example("CEIL(1.2E0)", 2.0),
            Example("CEIL(-1.2E0)", -1.0),
            Example("CEIL(1.20)", "2.00"),
            Example("CEIL(5)", 5),
            Example("CEIL(1E300)", 1e300),
            Example("CEIL(CAST('NaN' AS DOUBLE))", "NaN"),
            Example("CEIL(CAST(NULL AS DOUBLE))", None),
        ),
    ),
    Function(
        "FLOOR",
        CATEGORY,
        "The largest whole number that is not above.",
        _direction("floor"),
        (
            Example("FLOOR(1.8E0)", 1.0),
            Example("FLOOR(-1.2E0)", -2.0),
            Example("FLOOR(-1.20)", "-2.00"),
            Example("FLOOR(5000000000)", 5_000_000_000),
        ),
    ),
    Function(
        "ROUND",
        CATEGORY,
        "The nearest whole number, or the nearest with a number of decimal places.",
        _rounding("floor({0} + 0.5D)", _half_up),
        (
            Example("ROUND(1.5E0)", 2),
            Example("ROUND(-1.5E0)", -1),
            Example("ROUND(-1.6E0)", -2),
            Example("ROUND(2.5)", "3"),
            Example("ROUND(-2.5)", "-2"),
            Example("ROUND(1.235E0, 2)", 1.24),
            Example("ROUND(-1.235E0, 2)", -1.23),
            Example("ROUND(1.235, 2)", "1.240"),
            Example("ROUND(1234.5E0, -2)", 1200.0),
            Example("ROUND(1250.0, -2)", "1300.0"),
            Example("ROUND(12345678987654321.23, -2)", "12345678987654300.00"),
            Example("ROUND(1.2345678987654321E16, -2)", 1.23456789876543e16),
            Example("ROUND(1.2345678987654321E16, 2)", 1.2345678987654322e16),
            Example("ROUND(1E300, -2)", 1e300),
            Example("ROUND(7)", 7),
            Example("ROUND(CAST(NULL AS DOUBLE), 2)", None),
            Example("ROUND(1.5E0, CAST(NULL AS INT))", None),
        ),
    ),
    Function(
        "TRUNC",
        CATEGORY,
        "Without what stands after the point, or after a number of decimal places.",
        _rounding(
            "CAST({0} AS BIGINT)",
            _towards_zero,
        ),
        (
            Example("TRUNC(1.9E0)", 1),
            Example("TRUNC(-1.9E0)", -1),
            Example("TRUNC(-1.9)", "-1"),
            Example("TRUNC(1.239E0, 2)", 1.23),
            Example("TRUNC(-1.239, 2)", "-1.230"),
            Example("TRUNC(1299.5E0, -2)", 1200.0),
            Example("TRUNC(CAST(NULL AS DOUBLE))", None),
        ),
    ),
)
