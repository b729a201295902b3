from __future__ import annotations

import decimal

import pytest

from riacho.pipelines.sql.expressions.decimals import decimal_type, fits, result_type, wider
from riacho.pipelines.sql.types import Decimal
from unit.pipelines.sql.expressions.columns import compiled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.50", Decimal(4, 2)),
        ("0.05", Decimal(2, 2)),
        ("0.00", Decimal(2, 2)),
        ("5", Decimal(1, 0)),
        ("-122.1162", Decimal(7, 4)),
        ("00.5", Decimal(1, 1)),
    ],
)
def test_type_of_a_literal(text: str, expected: Decimal) -> None:
    assert decimal_type(decimal.Decimal(text)) == expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("+", Decimal(6, 3)),
        ("-", Decimal(6, 3)),
        ("*", Decimal(10, 5)),
        ("/", Decimal(13, 8)),
        ("%", Decimal(5, 3)),
    ],
)
def test_result_types(operator: str, expected: Decimal) -> None:
    assert result_type(operator, Decimal(4, 2), Decimal(5, 3)) == expected


def test_the_scale_of_a_quotient_is_six_at_least() -> None:
    assert result_type("/", Decimal(2, 1), Decimal(2, 1)) == Decimal(8, 6)


def test_wider_holds_both() -> None:
    assert wider(Decimal(4, 2), Decimal(5, 0)) == Decimal(7, 2)
    assert fits(Decimal(4, 2), Decimal(7, 2))
    assert not fits(Decimal(4, 2), Decimal(4, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEC + DEC", Decimal(5, 2)),
        ("DEC + I", Decimal(13, 2)),
        ("B * DEC", Decimal(24, 2)),
        ("DEC / B", Decimal(24, 22)),
        ("B / DEC", Decimal(27, 6)),
        ("DEC % I", Decimal(4, 2)),
    ],
)
def test_columns(text: str, expected: Decimal) -> None:
    assert compiled(text).type == expected


def test_more_digits_than_spark_has_are_held_in_as_many_as_it_has() -> None:
    product = compiled("CAST(I AS DECIMAL(30, 5)) * CAST(I AS DECIMAL(30, 5))")
    assert product.type == Decimal(61, 10)
    assert product.text.endswith("AS DECIMAL(38,10))")
