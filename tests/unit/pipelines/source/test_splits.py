"""Offsets to tasks: the arithmetic of Spark's own connector, and nothing but arithmetic."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.pipelines.source.positions import from_json, to_json
from riacho.pipelines.source.splits import OffsetRange, Split, limited, ranges, split

RANGES = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=6).map(
    lambda sizes: [OffsetRange("t", index, start, start + size) for index, (start, size) in enumerate(sizes)]
)


def test_one_task_a_partition_in_order_and_none_for_nothing() -> None:
    wanted = ranges({("b", 0): 5, ("a", 1): 2}, {("b", 0): 9, ("a", 1): 2, ("a", 0): 4})
    assert split(wanted) == [OffsetRange("a", 0, 0, 4), OffsetRange("b", 0, 5, 9)]


@pytest.mark.parametrize(
    ("sizes", "partitions_min", "records_max", "pieces"),
    [
        ([100], 4, None, [25, 25, 25, 25]),
        ([100], None, 30, [25, 25, 25, 25]),
        ([5, 95], 4, None, [5, 31, 32, 32]),
        ([1, 1, 1], 2, None, [1, 1, 1]),
        ([2], 5, None, [1, 1]),
        ([60, 60], 3, None, [30, 30, 30, 30]),
        ([100, 50], 2, 60, [50, 50, 50]),
    ],
)
def test_cuts(sizes: list[int], partitions_min: int | None, records_max: int | None, pieces: list[int]) -> None:
    wanted = [OffsetRange("t", index, 10, 10 + size) for index, size in enumerate(sizes)]
    found = [r.size for r in split(wanted, partitions_min, records_max)]
    assert found == pieces


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(RANGES, st.one_of(st.none(), st.integers(1, 20)), st.one_of(st.none(), st.integers(1, 500)))
def test_every_offset_is_in_one_task(wanted: list[OffsetRange], minimum: int | None, maximum: int | None) -> None:
    found = split(wanted, minimum, maximum)
    assert all(r.size > 0 for r in found)
    assert maximum is None or all(r.size <= maximum for r in found)
    for whole in wanted:
        pieces = [r for r in found if r.partition == whole.partition]
        edges = [whole.start, *(r.end for r in pieces)]
        assert [r.start for r in pieces] == edges[:-1]
        assert edges[-1] == whole.end
    assert found == split(wanted, minimum, maximum)


def test_a_split_travels_by_pickle() -> None:
    sent = Split(OffsetRange("t", 1, 2, 3))
    assert pickle.loads(pickle.dumps(sent)).range == OffsetRange("t", 1, 2, 3)


def test_offsets_in_json_are_sorted_and_come_back() -> None:
    offsets = {("b", 10): 1, ("b", 2): 3, ("a", 0): 5}
    document = to_json(offsets)
    assert list(document) == ["a", "b"]
    assert list(document["b"]) == ["2", "10"]
    assert from_json(document) == offsets


@pytest.mark.parametrize(
    ("start", "latest", "most", "end"),
    [
        ([0, 0], [100, 300], 40, [10, 30]),
        ([0, 0], [1, 1000], 10, [1, 9]),
        ([5, 7], [5, 7], 10, [5, 7]),
        ([0, 50], [10, 50], 100, [10, 50]),
        ([10, 0], [4, 8], 4, [4, 4]),
    ],
)
def test_a_limit_is_shared_by_what_waits(start: list[int], latest: list[int], most: int, end: list[int]) -> None:
    found = limited({("t", i): o for i, o in enumerate(start)}, {("t", i): o for i, o in enumerate(latest)}, most)
    assert found == {("t", i): o for i, o in enumerate(end)}
