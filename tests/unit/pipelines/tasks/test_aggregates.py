"""Each aggregate on its own: what rows give, what undo and merges give."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from riacho.pipelines.tasks.aggregates.opening import AGGREGATES, can_undo, open_aggregate
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec


def spec(function: str, kind: str, result: str, settings: Sequence[object] = (), arguments: int = 1) -> AggregateSpec:
    names = tuple(f"A{at}" for at in range(arguments))
    return AggregateSpec("R", function, names, (kind,) * arguments, result, tuple(settings))


def after(each: AggregateSpec, rows: Sequence[Any]) -> Any:
    aggregate = open_aggregate(each)
    state = aggregate.init()
    for at, row in enumerate(rows):
        state = aggregate.add(state, list(row) if isinstance(row, tuple) else [row], at)
    return aggregate.result(state)


@pytest.mark.parametrize(
    ("each", "rows", "expected"),
    [
        (spec("COUNT", "BIGINT", "BIGINT"), [1, None, 3], 2),
        (spec("COUNT", "BIGINT", "BIGINT", arguments=0), [(), (), ()], 3),
        (spec("COUNT_DISTINCT", "STRING", "BIGINT"), ["a", "b", "a", None], 2),
        (spec("SUM", "INTEGER", "INTEGER"), [2**31 - 1, 1], -(2**31)),
        (spec("SUM", "BIGINT", "BIGINT"), [2**63 - 1, 1, None], -(2**63)),
        (spec("SUM", "BIGINT", "BIGINT"), [None], 0),
        (spec("SUM", "DOUBLE", "DOUBLE"), [0.1, 0.2], 0.1 + 0.2),
        (spec("SUM", "DOUBLE", "DOUBLE"), ["Infinity", "-Infinity", 1.0], "NaN"),
        (spec("SUM", "DECIMAL(4, 2)", "DECIMAL(4, 2)"), ["10.50", None, "0.05"], "10.55"),
        (spec("SUM", "DECIMAL(4, 2)", "DECIMAL(4, 2)"), [], "0.00"),
        (spec("SUM_LIST", "ARRAY<INTEGER>", "INTEGER"), [[1, 2], None, [None, 3]], 6),
        (spec("AVG", "INTEGER", "DOUBLE"), [1, 2, None], 1.5),
        (spec("AVG", "BIGINT", "DOUBLE"), [None], 0.0),
        (spec("AVG", "INTEGER", "DOUBLE"), [2**31 - 1, 1], -(2.0**31) / 2),
        (spec("MIN", "DECIMAL(4, 2)", "DECIMAL(4, 2)"), ["10.00", "9.00", None], "9.00"),
        (spec("MAX", "DECIMAL(4, 2)", "DECIMAL(4, 2)"), ["9.00", "10.00", None], "10.00"),
        (spec("MAX", "STRING", "STRING"), ["\uffff", "\U0001f600"], "\uffff"),
        (spec("MAX", "DOUBLE", "DOUBLE"), [1.0, "NaN", "Infinity"], "NaN"),
        (spec("MIN", "INTEGER", "INTEGER"), [None], None),
        (spec("TOPK", "INTEGER", "ARRAY<INTEGER>", [2]), [1, 3, None, 3, 2], [3, 3]),
        (spec("TOPKDISTINCT", "INTEGER", "ARRAY<INTEGER>", [2]), [1, 3, None, 3, 2], [3, 2]),
        (
            spec("TOPK", "INTEGER", "ARRAY<STRUCT<`sort_col` INTEGER, `col0` INTEGER>>", [2], arguments=2),
            [(1, 10), (2, 20), (2, 21), (2, 22)],
            [{"sort_col": 2, "col0": 20}, {"sort_col": 2, "col0": 21}],
        ),
        (spec("LATEST_BY_OFFSET", "STRING", "STRING"), ["a", "b", None], "b"),
        (spec("LATEST_BY_OFFSET", "STRING", "STRING", [False]), ["a", "b", None], None),
        (spec("LATEST_BY_OFFSET", "STRING", "ARRAY<STRING>", [2]), ["a", "b", None, "c"], ["b", "c"]),
        (spec("LATEST_BY_OFFSET", "STRING", "ARRAY<STRING>", [2, False]), ["a", "b", None], ["b", None]),
        (spec("LATEST_BY_OFFSET", "STRING", "ARRAY<STRING>", [1]), ["a", "b"], ["b"]),
        (spec("EARLIEST_BY_OFFSET", "STRING", "STRING"), [None, "a", "b"], "a"),
        (spec("EARLIEST_BY_OFFSET", "STRING", "STRING", [False]), [None, "a", "b"], None),
        (spec("EARLIEST_BY_OFFSET", "STRING", "ARRAY<STRING>", [2]), [None, "a", "b", "c"], ["a", "b"]),
        (spec("COLLECT_LIST", "STRING", "ARRAY<STRING>"), ["a", None, "a"], ["a", None, "a"]),
        (spec("COLLECT_LIST", "STRING", "ARRAY<STRING>", [1]), ["a", "b"], ["a"]),
        (spec("COLLECT_SET", "STRING", "ARRAY<STRING>"), ["a", None, "a", None], ["a", None]),
        (spec("HISTOGRAM", "STRING", "MAP<STRING, BIGINT>"), ["a", None, "a", "b"], {"a": 2, "b": 1}),
        (spec("ATTR", "STRING", "STRING"), ["a", "a"], "a"),
        (spec("ATTR", "STRING", "STRING"), ["a", None], None),
        (spec("STDDEV_SAMP", "INTEGER", "DOUBLE"), [0, 10], 50.0),
        (spec("STDDEV_SAMP", "INTEGER", "DOUBLE"), [5], 0.0),
        (spec("STDDEV_SAMPLE", "INTEGER", "DOUBLE"), [0, 10, None], 50.0**0.5),
        (spec("CORRELATION", "DOUBLE", "DOUBLE", arguments=2), [(1, 2), (2, 4), (3, 6), (None, 1)], 1.0),
        (spec("CORRELATION", "DOUBLE", "DOUBLE", arguments=2), [(1, 2)], "NaN"),
    ],
    ids=lambda value: value.function if isinstance(value, AggregateSpec) else None,
)
def test_rows_give_a_result(each: AggregateSpec, rows: Sequence[Any], expected: object) -> None:
    assert after(each, rows) == expected


def test_a_set_of_structs_knows_them_in_any_order_of_their_fields() -> None:
    rows = [{"a": 1, "b": [1, {"c": None}]}, {"b": [1, {"c": None}], "a": 1}, {"a": 1, "b": [1]}, [1], [1]]
    assert after(spec("COLLECT_SET", "STRING", "ARRAY<STRING>"), rows) == [rows[0], rows[2], [1]]


def test_a_set_compares_a_value_with_no_more_than_are_alike() -> None:
    compared = 0

    class Counted(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    rows = [Counted(at % 1_000) for at in range(2_000)]
    each = spec("COLLECT_SET", "STRING", "ARRAY<STRING>")
    assert len(after(each, rows)) == 1_000
    assert compared < 10 * len(rows)
    compared = 0
    aggregate = open_aggregate(each)
    # As it comes from the store, and of two sessions.
    assert len(aggregate.merge([*rows[:1_000]], [*rows[500:1_500]])) == 1_000
    assert compared < 10 * len(rows)


@pytest.mark.parametrize("count", [1, 7, 1_000])
def test_the_largest_are_those_that_sorting_finds(count: int) -> None:
    rows = random.Random(7).choices(range(50), k=200)
    largest = sorted(rows, reverse=True)
    assert after(spec("TOPK", "INTEGER", "ARRAY<INTEGER>", [count]), rows) == largest[:count]
    assert (
        after(spec("TOPKDISTINCT", "INTEGER", "ARRAY<INTEGER>", [count]), rows) == list(dict.fromkeys(largest))[:count]
    )
    # Of those that are as large the first stays before the next.
    numbered = [(row, at) for at, row in enumerate(rows)]
    pairs = spec("TOPK", "INTEGER", "ARRAY<STRUCT<`sort_col` INTEGER, `col0` INTEGER>>", [count], arguments=2)
    wanted = sorted(numbered, key=lambda pair: -pair[0])[:count]
    assert [(each["sort_col"], each["col0"]) for each in after(pairs, numbered)] == wanted


@pytest.mark.parametrize("function", ["TOPK", "TOPKDISTINCT"])
def test_a_value_is_compared_with_few_of_the_largest(function: str) -> None:
    compared = 0

    class Counted(int):
        def __lt__(self, other: int) -> bool:
            nonlocal compared
            compared += 1
            return int(self) < int(other)

    rows = [Counted(at) for at in range(2_000)]
    assert len(after(spec(function, "INTEGER", "ARRAY<INTEGER>", [1_000]), rows)) == 1_000
    assert compared < 20 * len(rows)


def test_a_decimal_that_does_not_fit_stops_the_statement() -> None:
    with pytest.raises(TaskError, match=r"precision 4 and scale 2 must round to an absolute value less than 10\^2"):
        after(spec("SUM", "DECIMAL(4, 2)", "DECIMAL(4, 2)"), ["99.99", "0.01"])


def test_a_histogram_is_of_a_thousand_texts() -> None:
    counts = after(spec("HISTOGRAM", "STRING", "MAP<STRING, BIGINT>"), [str(at) for at in range(1_100)] + ["0"])
    assert len(counts) == 1_000
    assert counts["0"] == 2


def test_many_distinct_values_are_estimated() -> None:
    estimate = after(spec("COUNT_DISTINCT", "INTEGER", "BIGINT"), list(range(20_000)))
    assert abs(estimate - 20_000) < 1_000


def test_the_estimate_of_merged_sessions_is_of_both() -> None:
    aggregate = open_aggregate(spec("COUNT_DISTINCT", "INTEGER", "BIGINT"))
    left, right = aggregate.init(), aggregate.init()
    for at in range(3_000):
        left = aggregate.add(left, [at], 0)
        right = aggregate.add(right, [at + 1_500], 0)
    assert abs(aggregate.result(aggregate.merge(left, right)) - 4_500) < 300
    few = aggregate.add(aggregate.init(), [5_000], 0)
    assert abs(aggregate.result(aggregate.merge(few, right)) - 3_001) < 200
    assert abs(aggregate.result(aggregate.merge(right, few)) - 3_001) < 200


def test_which_may_stand_over_a_table() -> None:
    allowed = {name for name in AGGREGATES if can_undo(name)}
    assert allowed == {
        "ATTR", "AVG", "COLLECT_LIST", "CORRELATION", "COUNT", "HISTOGRAM",
        "STDDEV_SAMP", "STDDEV_SAMPLE", "SUM", "SUM_LIST",
    }  # fmt: skip
    assert not can_undo("NO_SUCH")


def test_what_has_no_undo_says_so() -> None:
    aggregate = open_aggregate(spec("MAX", "INTEGER", "INTEGER"))
    with pytest.raises(TaskError, match="MAX cannot be applied to a table source"):
        aggregate.undo(aggregate.init(), [1])
    with pytest.raises(TaskError, match="no aggregate NO_SUCH"):
        open_aggregate(spec("NO_SUCH", "INTEGER", "INTEGER"))
