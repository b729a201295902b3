"""Table functions: their SQL gives an array, and each of its elements is a row."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import Any, Argument, ArrayOf, Example, Function, Parameter, Signature, sql
from riacho.pipelines.sql.types import Array, spark_type

CATEGORY = "TABLE"
# 65,536 rows. An array with more elements that are not null gives none: each doubles the rows.
CUBE_LENGTH_MAX = 16


def _cube(arguments: Sequence[Argument]) -> str:
    array = arguments[0]
    kind = array.type.item if isinstance(array.type, Array) else None
    row = f"ARRAY<{spark_type(kind)}>" if kind is not None else "ARRAY<STRING>"
    start = f"array(CAST(array() AS {row}))"
    none = "concat(_row, array(NULL))"
    doubled = f"IF(_item IS NULL, array({none}), array({none}, concat(_row, array(_item))))"
    step = f"CAST(flatten(transform(_rows, _row -> {doubled})) AS ARRAY<{row}>)"
    items = f"filter({array.text}, _item -> _item IS NOT NULL)"
    bounded = f"IF(size({items}) > {CUBE_LENGTH_MAX}, NULL, {array.text})"
    return f"aggregate({bounded}, {start}, (_rows, _item) -> {step})"


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "EXPLODE",
        CATEGORY,
        "A row for each element of an array.",
        (Signature((Parameter("list", ArrayOf(Any("T"))),), ArrayOf(Any("T")), sql("{0}")),),
        (
            Example("EXPLODE(ARRAY[1, NULL, 2])", [1, None, 2]),
            Example("EXPLODE(CAST(NULL AS ARRAY<INT>))", None),
        ),
        kind="TABLE",
    ),
    Function(
        "CUBE_EXPLODE",
        CATEGORY,
        "A row for each choice of elements of an array, those that were not chosen being null.",
        (Signature((Parameter("list", ArrayOf(Any("T"))),), ArrayOf(ArrayOf(Any("T"))), _cube),),
        (
            Example("CUBE_EXPLODE(ARRAY[1, 2])", [[None, None], [None, 2], [1, None], [1, 2]]),
            Example("CUBE_EXPLODE(ARRAY['a', NULL])", [[None, None], ["a", None]]),
            Example("CUBE_EXPLODE(CAST(NULL AS ARRAY<INT>))", None),
        ),
        kind="TABLE",
    ),
)
