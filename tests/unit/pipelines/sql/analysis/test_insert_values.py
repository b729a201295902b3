"""INSERT VALUES and DELETE: the rows that literals become."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.sql.analysis.outcomes import RowOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.types import INTEGER, SqlType
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()
TYPES = carry_out(
    """
    CREATE STREAM Y (K INT KEY, BO BOOLEAN, I INT, L BIGINT, DO DOUBLE, DE DECIMAL(6, 2), S STRING, B BYTES, TI TIME,
      DA DATE, TS TIMESTAMP, AR ARRAY<BIGINT>, MA MAP<STRING, DOUBLE>, ST STRUCT<X BIGINT, Y STRING>)
      WITH (KAFKA_TOPIC='y', FORMAT='JSON');
    """
).catalogue


def inserted(text: str, settings: Settings | None = None) -> RowOutcome:
    known = TYPES if " Y " in text else KNOWN
    outcome = carry_out(text, known, settings).last
    assert isinstance(outcome, RowOutcome)
    return outcome


# A column, a literal, and the value in row JSON's form.
VALUES: list[tuple[str, str, Any]] = [
    ("BO", "TRUE", True),
    ("BO", "NULL", None),
    ("I", "5", 5),
    ("I", "-5", -5),
    ("I", "+5", 5),
    ("I", "CAST('5' AS INT)", 5),
    ("I", "CAST(5.9 AS INT)", 5),
    ("L", "5", 5),
    ("L", "-9223372036854775808", -(2**63)),
    ("DO", "5", 5.0),
    ("DO", "1.5", 1.5),
    ("DO", "-1.5E3", -1500.0),
    ("DE", "5", "5.00"),
    ("DE", "1.5", "1.50"),
    ("DE", "-1.505", "-1.51"),
    ("DE", "'12.3'", "12.30"),
    ("S", "'it''s'", "it's"),
    ("S", "CAST(5 AS STRING)", "5"),
    ("S", "CAST(TRUE AS STRING)", "true"),
    ("B", "'aGk='", "aGk="),
    ("TI", "'10:11:12'", 36_672_000),
    ("TI", "'10:11:12.5'", 36_672_500),
    ("DA", "'1970-01-02'", 1),
    ("DA", "'1969-12-31'", -1),
    ("TS", "'1970-01-01T00:00:01'", 1_000),
    ("TS", "'1970-01-01T00:00:01.250'", 1_250),
    ("TS", "'1970-01-01T01:00:00+01:00'", 0),
    ("TS", "CAST('1970-01-01T00:00:01' AS TIMESTAMP)", 1_000),
    ("AR", "ARRAY[1, 2, NULL]", [1, 2, None]),
    ("MA", "MAP('a' := 1, 'b' := 2.5)", {"a": 1.0, "b": 2.5}),
    ("ST", "STRUCT(X := 1, Y := 'a')", {"X": 1, "Y": "a"}),
    ("ST", "STRUCT(Y := 'a')", {"X": None, "Y": "a"}),
]


@pytest.mark.parametrize(("column", "literal", "value"), VALUES)
def test_literals(column: str, literal: str, value: Any) -> None:
    outcome = inserted(f"INSERT INTO Y (K, {column}) VALUES (1, {literal});")
    assert outcome.value is not None
    assert outcome.value[column] == value
    assert type(outcome.value[column]) is type(value)
    assert outcome.key == {"K": 1}


def test_columns_that_are_not_named_are_null() -> None:
    outcome = inserted("INSERT INTO T (A, ID) VALUES (2, 1);")
    assert (outcome.key, outcome.value) == ({"ID": 1}, {"A": 2, "B": None})


def test_without_names_values_come_in_the_columns_order() -> None:
    outcome = inserted("INSERT INTO T VALUES (1, 2, 'x');")
    assert (outcome.key, outcome.value) == ({"ID": 1}, {"A": 2, "B": "x"})


def test_a_stream_takes_a_null_key() -> None:
    assert inserted("INSERT INTO S (A) VALUES (2);").key is None
    assert inserted("INSERT INTO NK VALUES (2, 'x');").key is None


def test_header_columns_are_not_expected() -> None:
    assert inserted("INSERT INTO H VALUES (1, 2);").value == {"A": 2}


def test_rowtime_is_the_records_time() -> None:
    assert inserted("INSERT INTO S (ROWTIME, ID) VALUES (1234, 1);").timestamp_ms == 1234


def test_other_expressions_are_for_whoever_can_evaluate_them() -> None:
    asked: list[tuple[str, SqlType]] = []

    def evaluate(text: str, kind: SqlType) -> Any:
        asked.append((text, kind))
        return 3

    outcome = inserted("INSERT INTO NK (A) VALUES (1 + 2);", Settings(evaluate=evaluate))
    assert outcome.value == {"A": 3, "B": None}
    assert [kind for _, kind in asked] == [INTEGER]


def test_delete_writes_a_tombstone() -> None:
    for condition in ("ID = 3", "3 = ID", "T.ID = 3"):
        outcome = inserted(f"DELETE FROM T WHERE {condition};")
        assert (outcome.key, outcome.value) == ({"ID": 3}, None)
