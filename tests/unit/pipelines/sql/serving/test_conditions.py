"""Plain conditions: as Spark would decide them, in linear time; what is more than that is told to be."""

from __future__ import annotations

import time
from typing import Any

import pytest

from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.serving.conditions import NotPlain, condition_of
from riacho.pipelines.sql.serving.pulled_groups import GroupRow
from riacho.pipelines.sql.syntax.statements import Query
from riacho.pipelines.sql.types import BIGINT, BOOLEAN, BYTES, DOUBLE, STRING, Decimal

TYPES = {"A": BIGINT, "B": STRING, "D": Decimal(6, 2), "F": DOUBLE, "O": BOOLEAN, "X": BYTES}
ROW = {"A": 5, "B": "banana", "D": "1.50", "F": 2.5, "O": True, "X": "AA=="}


def _holds(condition: str, row: dict[str, Any] | None = None) -> bool:
    statement = parse_one(f"SELECT * FROM T WHERE {condition};").statement
    assert isinstance(statement, Query)
    return condition_of(statement.where, TYPES)(GroupRow(ROW if row is None else row))


@pytest.mark.parametrize(
    "condition",
    [
        "A = 5", "A <> 4", "A > 4.5", "A BETWEEN 5 AND 6", "A IN (1, 5)", "B = 'banana'", "B LIKE 'ban%'",
        "B LIKE '%an%a'", "B LIKE '%'", "B LIKE 'banana'", "B LIKE '_anana'", "B LIKE '%nan%'", "D = 1.5", "D < 1.51",
        "F >= 2.5e0", "O", "O = TRUE", "NOT (A = 4)", "A IS NOT NULL", "A = 5 AND B <> 'x'", "A = 4 OR O",
        "A IS DISTINCT FROM 4",
    ],
)  # fmt: skip
def test_holds(condition: str) -> None:
    assert _holds(condition)


@pytest.mark.parametrize(
    "condition",
    ["A = 4", "A < 5", "B LIKE 'an%'", "B LIKE '%x%'", "B LIKE 'bananas'", "B LIKE '_anan'", "B LIKE 'bana%nana'",
     "A IN (1, 2)", "O = FALSE", "NOT O", "A IS NULL", "A = 5 AND A = 4", "A IS NOT DISTINCT FROM 4"],
)  # fmt: skip
def test_does_not_hold(condition: str) -> None:
    assert not _holds(condition)


@pytest.mark.parametrize("condition", ["A = 5", "A <> 5", "A < 5", "B LIKE '%'", "O", "A BETWEEN 1 AND 9", "A IN (5)"])
def test_nothing_compares_with_null(condition: str) -> None:
    assert not _holds(condition, {})


@pytest.mark.parametrize(
    "condition",
    [
        "A + 1 = 6",
        "UCASE(B) = 'X'",
        "X = X",
        "B LIKE 'a!%' ESCAPE '!'",
        "B LIKE '%_a'",
        "A = '5'",
        "CAST(A AS STRING) = '5'",
    ],
)
def test_what_is_more_than_plain_is_sparks(condition: str) -> None:
    with pytest.raises(NotPlain):
        _holds(condition)


def test_like_takes_linear_time_whatever_the_text_is() -> None:
    started = time.monotonic()
    assert not _holds("B LIKE '%a%a%a%a%b'", {"B": "a" * 1_000_000})
    assert time.monotonic() - started < 2.0


class Looked:
    """A row that counts how often it is looked at."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.count = 0

    def column(self, name: str) -> Any:
        self.count += 1
        return self.value


@pytest.mark.parametrize(("value", "holds"), [(999, True), (1_000, False), (None, False)])
def test_a_long_list_is_not_gone_through_for_each_row(value: Any, holds: bool) -> None:
    statement = parse_one(f"SELECT * FROM T WHERE A IN ({', '.join(map(str, range(1_000)))});").statement
    assert isinstance(statement, Query)
    row = Looked(value)
    assert condition_of(statement.where, TYPES)(row) is holds
    assert row.count == 1


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("A IN (5.0, 7)", True), ("A IN (5.5e0)", False), ("F IN (2.5, 1)", True), ("D IN (1.5e0)", True),
        ("B IN ('x', B)", True), ("B IN ('x')", False), ("A IN (F, 5)", True), ("A IN (F)", False),
        ("O IN (TRUE)", True), ("NOT (A IN (1, 2))", True),
    ],
)  # fmt: skip
def test_a_list_has_values_of_any_kind_that_equals(condition: str, holds: bool) -> None:
    assert _holds(condition) is holds


def test_a_list_of_another_family_is_for_spark() -> None:
    with pytest.raises(NotPlain):
        _holds("A IN (1, 'x')")
