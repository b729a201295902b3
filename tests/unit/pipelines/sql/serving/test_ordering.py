from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.sql.analysis.outcomes import SelectedValue
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.serving.ordering import Order
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.syntax.statements import Ordering
from riacho.pipelines.sql.types import BIGINT, DOUBLE, STRING, Array, Decimal, SqlType

TYPES: dict[str, SqlType] = {"A": BIGINT, "B": STRING, "D": Decimal(30, 2), "F": DOUBLE, "L": Array(STRING)}


def _ordered(name: str, values: list[Any], is_descending: bool = False) -> list[Any]:
    select = [SelectedValue(name, Column(name), TYPES[name])]
    order = Order([Ordering(Column(name), is_descending)], select, TYPES)
    return [row[0] for row in order.ordered([[value] for value in values])]


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("A", [3, None, 1], [None, 1, 3]),
        ("B", ["b", "", None, "a"], [None, "", "a", "b"]),
        ("D", ["10.00", "9.99", "99999999999999999999.01", "99999999999999999999.02"],
         ["9.99", "10.00", "99999999999999999999.01", "99999999999999999999.02"]),
        ("F", ["NaN", 1.5, "Infinity", "-Infinity", None], [None, "-Infinity", 1.5, "Infinity", "NaN"]),
    ],
)  # fmt: skip
def test_by_the_values_of_its_type_nulls_first(name: str, given: list[Any], wanted: list[Any]) -> None:
    assert _ordered(name, given) == wanted
    assert _ordered(name, given, is_descending=True) == wanted[::-1]


def test_by_a_column_that_is_not_in_the_result() -> None:
    select = [SelectedValue("X", Column("A"), BIGINT)]
    order = Order([Ordering(Column("B")), Ordering(Column("X"), True)], select, TYPES)
    assert [each.expression for each in order.select] == [Column("A"), Column("B")]
    assert order.ordered([[1, "b"], [2, "a"], [3, "a"]]) == [[3], [2], [1]]


@pytest.mark.parametrize("name", ["L", "NOPE"])
def test_what_cannot_be_ordered_by_is_a_sentence(name: str) -> None:
    with pytest.raises(KsqlError, match="ORDER BY"):
        Order([Ordering(Column(name))], [SelectedValue("A", Column("A"), BIGINT)], TYPES)
