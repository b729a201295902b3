from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import can_coerce, coerce, common_type, literal_type
from riacho.pipelines.sql.expressions.compiled import NULL, Compiled
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    Array,
    Decimal,
    Field,
    Map,
    SqlType,
    Struct,
)

A_INTEGER = Struct((Field("A", INTEGER),))
A_BIGINT = Struct((Field("A", BIGINT),))
B_STRING = Struct((Field("B", STRING),))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (None, STRING, True),
        (INTEGER, INTEGER, True),
        (INTEGER, BIGINT, True),
        (BIGINT, INTEGER, False),
        (BIGINT, Decimal(19, 0), True),
        (Decimal(4, 2), DOUBLE, True),
        (DOUBLE, Decimal(4, 2), False),
        (Decimal(4, 2), Decimal(5, 2), True),
        (Decimal(5, 2), Decimal(4, 2), False),
        (STRING, INTEGER, False),
        (INTEGER, STRING, False),
        (BOOLEAN, INTEGER, False),
        (DATE, TIMESTAMP, False),
        (Array(INTEGER), Array(DOUBLE), True),
        (Array(DOUBLE), Array(INTEGER), False),
        (Map(STRING, INTEGER), Map(STRING, BIGINT), True),
        (Map(STRING, INTEGER), Map(INTEGER, INTEGER), False),
        (A_INTEGER, A_BIGINT, True),
        (A_BIGINT, A_INTEGER, False),
        (A_INTEGER, B_STRING, True),
    ],
)
def test_what_is_converted_unasked(source: SqlType | None, target: SqlType, expected: bool) -> None:
    assert can_coerce(source, target) is expected


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ([INTEGER, BIGINT], BIGINT),
        ([None, INTEGER], INTEGER),
        ([None, None], None),
        ([INTEGER, Decimal(4, 2)], Decimal(12, 2)),
        ([Decimal(4, 2), DOUBLE], DOUBLE),
        ([Array(INTEGER), Array(BIGINT)], Array(BIGINT)),
        ([Map(STRING, INTEGER), Map(STRING, DOUBLE)], Map(STRING, DOUBLE)),
        ([A_INTEGER, B_STRING], Struct((Field("A", INTEGER), Field("B", STRING)))),
        ([A_INTEGER, A_BIGINT], A_BIGINT),
    ],
)
def test_where_types_meet(types: list[SqlType | None], expected: SqlType | None) -> None:
    assert common_type(types) == expected


def test_some_never_meet() -> None:
    with pytest.raises(KsqlError, match="operator does not exist: STRING = INTEGER"):
        common_type([STRING, INTEGER])


def test_null_becomes_anything() -> None:
    assert coerce(NULL, INTEGER) == Compiled("CAST(NULL AS INT)", INTEGER, source="null")


def test_what_needs_a_cast_is_refused() -> None:
    with pytest.raises(KsqlError, match="Cannot coerce N of type BIGINT to INTEGER"):
        coerce(Compiled("n", BIGINT, source="N"), INTEGER)


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("5", DOUBLE, INTEGER),
        ("5000000000", INTEGER, BIGINT),
        ("1.50", INTEGER, Decimal(3, 2)),
        ("1e3", INTEGER, DOUBLE),
        ("x", INTEGER, None),
        ("9" * 1000, INTEGER, None),
        ("fal", BOOLEAN, BOOLEAN),
        ("YES", BOOLEAN, BOOLEAN),
        ("maybe", BOOLEAN, None),
        ("2020-01-01", DATE, DATE),
        ("a", Array(STRING), None),
    ],
)
def test_what_a_string_literal_stands_for(text: str, wanted: SqlType, expected: SqlType | None) -> None:
    assert literal_type(text, wanted) == expected
