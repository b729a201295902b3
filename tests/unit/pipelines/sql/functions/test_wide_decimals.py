"""Decimals beyond 38 digits: exact, as BigDecimal, or null."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.functions.python_functions import PYTHON_FUNCTIONS

COMPUTED = [
    ("*", "10.1234512345123451234", "5.1234512345123451234", 43, 38, "51.86700872498779888269772207667176122756"),
    ("/", "10", "4", 62, 41, "2.5" + "0" * 40),
    ("/", "1", "3", 62, 41, None),
    ("/", "1", "0", 62, 41, None),
    ("%", "-7.5", "2", 45, 20, "-1.5" + "0" * 19),
    ("%", "1" + "0" * 60, "7", 45, 20, "1." + "0" * 20),
    ("+", "9" * 40, "1", 41, 0, "1" + "0" * 40),
    ("+", "9" * 40, "1", 40, 0, None),
    ("-", "0", "0.00", 45, 20, "0." + "0" * 20),
    ("*", "-5", "0", 43, 20, "0." + "0" * 20),
    ("+", "many", "1", 40, 0, None),
    ("+", "1E999999", "1", 40, 0, None),
    ("+", None, "1", 40, 0, None),
]


@pytest.mark.parametrize(("operator", "left", "right", "precision", "scale", "expected"), COMPUTED)
def test_computed(
    operator: str, left: str | None, right: str, precision: int, scale: int, expected: str | None
) -> None:
    assert PYTHON_FUNCTIONS["riacho_decimal"](operator, left, right, precision, scale) == expected


@pytest.mark.parametrize(
    ("text", "precision", "scale", "expected"),
    [
        ("1.25", 45, 20, "1.25" + "0" * 18),
        ("1.0E2", 45, 20, "100." + "0" * 20),
        ("0." + "4" * 20 + "5", 45, 20, "0." + "4" * 19 + "5"),
        ("1" * 26, 45, 20, None),
        ("Infinity", 45, 20, None),
    ],
)
def test_fitted(text: str, precision: int, scale: int, expected: str | None) -> None:
    assert PYTHON_FUNCTIONS["riacho_fitted_decimal"](text, precision, scale) == expected


def test_compared() -> None:
    compare = PYTHON_FUNCTIONS["riacho_compared_decimals"]
    assert [compare("1.50", "1.5"), compare("-1", "1"), compare("2", "1"), compare("NaN", "1")] == [0, -1, 1, None]
