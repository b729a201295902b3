"""Functions of numbers: signs, roots, powers, logarithms, chance and distance."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import AnyDecimal, Argument, Example, Function, Signature
from riacho.pipelines.sql.functions.signatures import of_numbers, signature
from riacho.pipelines.sql.types import BIGINT, DOUBLE, INTEGER, STRING

CATEGORY = "MATHEMATICAL"

_NAN = "CAST('NaN' AS DOUBLE)"
_MINUS_INFINITY = "CAST('-Infinity' AS DOUBLE)"


def _logarithm(x: str, positive: str) -> str:
    """Spark's logarithms are null where Java's are not numbers, or infinite."""
    return f"CASE WHEN {x} > 0 THEN {positive} WHEN {x} = 0 THEN {_MINUS_INFINITY} WHEN {x} < 0 THEN {_NAN} END"


def _ln(arguments: Sequence[Argument]) -> str:
    return let_all((arguments[0].text,), lambda x: f"({_logarithm(x, f'ln({x})')})")


def _log10(arguments: Sequence[Argument]) -> str:
    return let_all((arguments[0].text,), lambda x: f"({_logarithm(x, f'log10({x})')})")


def _log(arguments: Sequence[Argument]) -> str:
    def logarithm(base: str, x: str) -> str:
        usual = _logarithm(x, f"ln({x}) / ln({base})")
        return f"(CASE WHEN {x} IS NULL THEN NULL WHEN {base} <= 0 OR {base} = 1 THEN {_NAN} ELSE {usual} END)"

    base, value = (argument.text for argument in arguments)
    return let_all((base, value), lambda b, x: f"IF({b} IS NULL, NULL, {logarithm(b, x)})")


_RADIUS_KM, _RADIUS_MILES = "6371D", "3959D"
_RADIUS = (
    "CASE WHEN lower({0}) IN ('km', 'kilometer', 'kilometers', 'kilometre', 'kilometres') THEN "
    + _RADIUS_KM
    + " WHEN lower({0}) IN ('mi', 'mile', 'miles') THEN "
    + _RADIUS_MILES
    + " END"
)


def _distance(arguments: Sequence[Argument]) -> str:
    """By the haversine formula; null for what is no place on Earth, or an unknown unit."""
    texts = tuple(argument.text for argument in arguments)
    radius = _RADIUS.format(texts[4]) if len(texts) > 4 else _RADIUS_KM

    def haversine(lat1: str, lon1: str, lat2: str, lon2: str) -> str:
        across = f"power(sin(radians({lat2} - {lat1}) / 2D), 2D)"
        along = f"power(sin(radians({lon2} - {lon1}) / 2D), 2D)"
        angle = f"2D * asin(sqrt({across} + {along} * cos(radians({lat1})) * cos(radians({lat2}))))"
        are_places = f"abs({lat1}) <= 90 AND abs({lat2}) <= 90 AND abs({lon1}) <= 180 AND abs({lon2}) <= 180"
        return f"IF({are_places}, ({radius}) * {angle}, NULL)"

    return let_all(texts[:4], haversine)


def _same(text: str) -> tuple[Signature, ...]:
    """The result is of the argument's type."""
    numbers = tuple(signature([("val", kind)], kind, text) for kind in (INTEGER, BIGINT, DOUBLE))
    return (*numbers, signature([("val", AnyDecimal())], AnyDecimal(), text))


_PLACES = [("lat1", DOUBLE), ("lon1", DOUBLE), ("lat2", DOUBLE), ("lon2", DOUBLE)]

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "ABS",
        CATEGORY,
        "The absolute value.",
        _same("abs({0})"),
        (
            Example("ABS(-5)", 5),
            Example("ABS(-5000000000)", 5_000_000_000),
            Example("ABS(-1.5E0)", 1.5),
            Example("ABS(-1.50)", "1.50"),
            Example("ABS(CAST(NULL AS INT))", None),
        ),
    ),
    Function(
        "SIGN",
        CATEGORY,
        "-1, 0 or 1.",
        of_numbers(("value",), INTEGER, "CAST(signum({0}) AS INT)"),
        (Example("SIGN(-5)", -1), Example("SIGN(0E0)", 0), Example("SIGN(1.5)", 1), Example("SIGN(NULL)", None)),
    ),
    Function(
        "SQRT",
        CATEGORY,
        "The square root.",
        of_numbers(("value",), DOUBLE, "sqrt({0})"),
        (Example("SQRT(16)", 4.0), Example("SQRT(-1)", "NaN"), Example("SQRT(0)", 0.0)),
    ),
    Function(
        "CBRT",
        CATEGORY,
        "The cube root.",
        of_numbers(("value",), DOUBLE, "cbrt({0})"),
        (Example("CBRT(27)", 3.0), Example("CBRT(-8.0)", -2.0)),
    ),
    Function(
        "EXP",
        CATEGORY,
        "e to a power.",
        of_numbers(("exponent",), DOUBLE, "exp({0})"),
        (Example("EXP(0)", 1.0), Example("EXP(1000)", "Infinity"), Example("EXP(CAST(NULL AS DOUBLE))", None)),
    ),
    Function(
        "POWER",
        CATEGORY,
        "A number to the power of another.",
        of_numbers(("base", "exponent"), DOUBLE, "power({0}, {1})"),
        (
            Example("POWER(2, 10)", 1024.0),
            Example("POWER(2.0, -1)", 0.5),
            Example("POWER(10, 400)", "Infinity"),
            Example("POWER(CAST(NULL AS INT), 2)", None),
        ),
    ),
    Function(
        "LN",
        CATEGORY,
        "The natural logarithm.",
        of_numbers(("value",), DOUBLE, _ln),
        (Example("LN(1)", 0.0), Example("LN(0)", "-Infinity"), Example("LN(-1)", "NaN"), Example("LN(NULL)", None)),
    ),
    Function(
        "LOG",
        CATEGORY,
        "The logarithm, with base 10 where none is given before the value.",
        (*of_numbers(("value",), DOUBLE, _log10), *of_numbers(("base", "value"), DOUBLE, _log)),
        (
            Example("LOG(1000)", 3.0),
            Example("LOG(2, 8)", 3.0),
            Example("LOG(2, 0)", "-Infinity"),
            Example("LOG(1, 5)", "NaN"),
            Example("LOG(-2, 5)", "NaN"),
            Example("LOG(2, -5)", "NaN"),
            Example("LOG(CAST(NULL AS INT), 5)", None),
        ),
    ),
    Function(
        "RANDOM",
        CATEGORY,
        "A number from 0 up to but not including 1, another each time.",
        (signature([], DOUBLE, "rand()"),),
        (Example("RANDOM() >= 0E0", True), Example("RANDOM() < 1E0", True)),
    ),
    Function(
        "GEO_DISTANCE",
        CATEGORY,
        "The distance of two places on Earth, in kilometres or in miles.",
        (
            signature(_PLACES, DOUBLE, _distance),
            signature([*_PLACES, ("units", STRING)], DOUBLE, _distance),
        ),
        (
            Example("ROUND(GEO_DISTANCE(37.4439, -122.1663, 51.5257, -0.1122), 4)", 8634.6598),
            Example("ROUND(GEO_DISTANCE(37.4439, -122.1663, 51.5257, -0.1122, 'miles'), 4)", 5365.6597),
            Example("GEO_DISTANCE(1E0, 1E0, 1E0, 1E0, 'KM')", 0.0),
            Example("GEO_DISTANCE(91E0, 0E0, 0E0, 0E0)", None),
            Example("GEO_DISTANCE(1E0, 0E0, 0E0, 0E0, 'parsecs')", None),
        ),
    ),
)
