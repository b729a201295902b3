"""Columns and what becomes of their values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from riacho.pipelines.connectors.jdbc.types import (
    Column,
    arrow_type,
    columns_from_text,
    columns_to_text,
    fitted,
    numeric_type,
)


@pytest.mark.parametrize(
    ("precision", "scale", "mapping", "expected"),
    [
        (10, 2, "none", "decimal(10,2)"),
        (None, None, "none", "decimal(38,18)"),
        (4, 0, "precision_only", "smallint"),
        (9, 0, "precision_only", "int"),
        (18, 0, "best_fit", "bigint"),
        (20, 0, "best_fit", "decimal(20,0)"),
        (10, 2, "precision_only", "decimal(10,2)"),
        (10, 2, "best_fit", "double"),
        (30, 2, "best_fit", "decimal(30,2)"),
        (30, 2, "best_fit_eager_double", "double"),
        (None, None, "best_fit", "double"),
    ],
)
def test_numeric_mapping(precision: int | None, scale: int | None, mapping: str, expected: str) -> None:
    assert numeric_type(precision, scale, mapping) == expected


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, "int", None),
        (Decimal("1.005"), "decimal(5,2)", Decimal("1.00")),
        (Decimal("NaN"), "decimal(5,2)", None),
        (Decimal("12345"), "decimal(5,2)", None),
        (2.5, "decimal(5,2)", Decimal("2.50")),
        ("2024-01-01 10:00:00", "timestamp", dt.datetime(2024, 1, 1, 9, tzinfo=dt.UTC)),
        (0, "timestamp", dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        ("2024-02-29", "date", dt.date(2024, 2, 29)),
        (dt.time(0, 0, 1, 500_000), "time", 1500),
        ({"a": 1}, "string", '{"a": 1}'),
        ("x", "binary", b"x"),
        (1, "boolean", True),
        ([1, None], "array<int>", [1, None]),
    ],
)
def test_values_fit_their_column(value: Any, kind: str, expected: Any) -> None:
    found = fitted(value, kind, ZoneInfo("Europe/Berlin"))
    assert found == expected
    assert pa.array([found], arrow_type(kind)).null_count == (expected is None)


def test_columns_travel_as_text() -> None:
    columns = [Column("a", "int"), Column('"b"', "array<decimal(3,1)>")]
    assert columns_from_text(columns_to_text(columns)) == columns
