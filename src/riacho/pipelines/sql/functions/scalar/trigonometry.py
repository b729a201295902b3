"""Sines, their kin and their inverses; angles in radians."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Example, Function
from riacho.pipelines.sql.functions.signatures import of_numbers, signature
from riacho.pipelines.sql.types import DOUBLE

CATEGORY = "MATHEMATICAL"


def _function(name: str, about: str, *examples: Example) -> Function:
    return Function(name, CATEGORY, about, of_numbers(("value",), DOUBLE, name.lower() + "({0})"), examples)


FUNCTIONS: tuple[Function, ...] = (
    _function("SIN", "The sine.", Example("SIN(0)", 0.0), Example("SIN(CAST(NULL AS DOUBLE))", None)),
    _function("COS", "The cosine.", Example("COS(0)", 1.0), Example("COS(CAST(NULL AS INT))", None)),
    _function("TAN", "The tangent.", Example("TAN(0)", 0.0), Example("TAN(CAST(NULL AS BIGINT))", None)),
    _function("COT", "The cotangent.", Example("COT(0)", "Infinity"), Example("ROUND(COT(1), 6)", 0.642093)),
    _function("SINH", "The hyperbolic sine.", Example("SINH(0)", 0.0), Example("ROUND(SINH(1), 6)", 1.175201)),
    _function("COSH", "The hyperbolic cosine.", Example("COSH(0)", 1.0), Example("ROUND(COSH(1), 6)", 1.543081)),
    _function("TANH", "The hyperbolic tangent.", Example("TANH(0)", 0.0), Example("ROUND(TANH(1), 6)", 0.761594)),
    _function("ASIN", "The angle of a sine.", Example("ASIN(0)", 0.0), Example("ASIN(2)", "NaN")),
    _function("ACOS", "The angle of a cosine.", Example("ACOS(1)", 0.0), Example("ACOS(1.1)", "NaN")),
    _function("ATAN", "The angle of a tangent.", Example("ATAN(0)", 0.0), Example("ROUND(ATAN(1), 6)", 0.785398)),
    Function(
        "ATAN2",
        CATEGORY,
        "The angle of a point, given as y and x.",
        of_numbers(("y", "x"), DOUBLE, "atan2({0}, {1})"),
        (Example("ATAN2(0, 1)", 0.0), Example("ROUND(ATAN2(1, 0), 6)", 1.570796), Example("ATAN2(NULL, 1)", None)),
    ),
    Function(
        "DEGREES",
        CATEGORY,
        "Radians as degrees.",
        of_numbers(("value",), DOUBLE, "degrees({0})"),
        (Example("DEGREES(PI())", 180.0), Example("DEGREES(0)", 0.0)),
    ),
    Function(
        "RADIANS",
        CATEGORY,
        "Degrees as radians.",
        of_numbers(("value",), DOUBLE, "radians({0})"),
        (Example("RADIANS(180)", 3.141592653589793), Example("RADIANS(CAST(NULL AS INT))", None)),
    ),
    Function(
        "PI",
        CATEGORY,
        "The ratio of a circle's circumference to its diameter.",
        (signature([], DOUBLE, "pi()"),),
        (Example("PI()", 3.141592653589793), Example("PI() > 3", True)),
    ),
)
