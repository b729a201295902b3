"""Which arguments aggregates take, and what comes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.aggregate_signatures import AGGREGATE_FUNCTIONS
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.tasks.aggregates import opening


def test_those_that_tasks_run() -> None:
    assert AGGREGATE_FUNCTIONS.keys() == opening.AGGREGATES.keys()
    assert [each.name for each in AGGREGATE_FUNCTIONS.values() if each.can_undo != opening.can_undo(each.name)] == []


@pytest.mark.parametrize(
    ("name", "types", "literals", "result", "settings"),
    [
        ("COUNT", [], [], "BIGINT", ()),
        ("COUNT", ["ARRAY<STRING>"], [None], "BIGINT", ()),
        ("COUNT_DISTINCT", ["STRING"], [None], "BIGINT", ()),
        ("SUM", ["INTEGER"], [None], "INTEGER", ()),
        ("SUM", ["DECIMAL(6, 2)"], [None], "DECIMAL(6, 2)", ()),
        ("AVG", ["BIGINT"], [None], "DOUBLE", ()),
        ("MIN", ["TIMESTAMP"], [None], "TIMESTAMP", ()),
        ("MAX", ["STRING"], [None], "STRING", ()),
        ("TOPK", ["DOUBLE", "INTEGER"], [None, 3], "ARRAY<DOUBLE>", (3,)),
        (
            "TOPK",
            ["INTEGER", "STRING", "BOOLEAN", "INTEGER"],
            [None, None, None, 2],
            "ARRAY<STRUCT<`sort_col` INTEGER, `col0` STRING, `col1` BOOLEAN>>",
            (2,),
        ),
        ("TOPKDISTINCT", ["STRING", "INTEGER"], [None, 1], "ARRAY<STRING>", (1,)),
        ("LATEST_BY_OFFSET", ["STRUCT<`a` INTEGER>"], [None], "STRUCT<`a` INTEGER>", ()),
        ("LATEST_BY_OFFSET", ["STRING", "BOOLEAN"], [None, False], "STRING", (False,)),
        ("EARLIEST_BY_OFFSET", ["STRING", "INTEGER"], [None, 2], "ARRAY<STRING>", (2,)),
        ("EARLIEST_BY_OFFSET", ["STRING", "INTEGER", "BOOLEAN"], [None, 2, True], "ARRAY<STRING>", (2, True)),
        ("COLLECT_LIST", ["DATE"], [None], "ARRAY<DATE>", ()),
        ("HISTOGRAM", ["STRING"], [None], "MAP<STRING, BIGINT>", ()),
        ("ATTR", ["BYTES"], [None], "BYTES", ()),
        ("CORRELATION", ["DOUBLE", "DOUBLE"], [None, None], "DOUBLE", ()),
        ("STDDEV_SAMP", ["INTEGER"], [None], "DOUBLE", ()),
        ("SUM_LIST", ["ARRAY<BIGINT>"], [None], "BIGINT", ()),
    ],
)
def test_results(
    name: str, types: Sequence[str], literals: Sequence[object], result: str, settings: tuple[object, ...]
) -> None:
    choice = AGGREGATE_FUNCTIONS[name].choose([type_from_text(text) for text in types], literals)
    assert str(choice.result_type) == result
    assert choice.settings == settings
    assert choice.columns == len(types) - len(settings)


@pytest.mark.parametrize(
    ("name", "types", "literals", "sentence"),
    [
        ("SUM", ["STRING"], [None], "Function 'sum' does not accept parameters (STRING)."),
        ("AVG", ["DECIMAL(4, 2)"], [None], "Function 'avg' does not accept parameters (DECIMAL(4, 2))."),
        ("HISTOGRAM", ["INTEGER"], [None], "Function 'histogram' does not accept parameters (INTEGER)."),
        ("MAX", ["ARRAY<INTEGER>"], [None], "Function 'max' does not accept parameters (ARRAY<INTEGER>)."),
        ("COUNT", ["STRING", "STRING"], [None, None], "Function 'count' does not accept parameters (STRING, STRING)."),
        (
            "TOPK",
            ["INTEGER", "INTEGER"],
            [None, None],
            "Parameter 2 passed to function TOPK must be a literal constant, but was expression: 'B'",
        ),
        ("LATEST_BY_OFFSET", ["STRING", "INTEGER"], [None, 0], "latestN must be 1 or greater"),
        ("TOPK", ["INTEGER", "INTEGER"], [None, 1 << 30], "k must be 100000 or less"),
    ],
)
def test_refusals(name: str, types: Sequence[str], literals: Sequence[object], sentence: str) -> None:
    with pytest.raises(KsqlError) as refusal:
        AGGREGATE_FUNCTIONS[name].choose([type_from_text(text) for text in types], literals, ["A", "B"])
    assert refusal.value.message.split("\n")[0] == sentence
