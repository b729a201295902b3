"""Records of several partitions in Kafka Streams' order."""

from __future__ import annotations

from riacho.pipelines.tasks.merging import in_stream_order
from riacho.pipelines.tasks.rows import TaskRow


def record(partition: int, offset: int, time: int, side: str = "", seq: int = 0) -> TaskRow:
    return TaskRow("{}", None, time, seq, side=side, partition=partition, offset=offset)


def test_the_smallest_head_is_next_and_offsets_decide_within_a_partition() -> None:
    rows = [record(0, 1, 5), record(0, 0, 20), record(1, 0, 10), record(1, 1, 30)]
    assert [(row.partition, row.offset) for row in in_stream_order(rows)] == [(1, 0), (0, 0), (0, 1), (1, 1)]


def test_sides_are_queues_of_their_own() -> None:
    rows = [record(0, 0, 2, "right"), record(0, 0, 1, "left"), record(0, 1, 2, "left")]
    assert [(row.side, row.offset) for row in in_stream_order(rows)] == [("left", 0), ("left", 1), ("right", 0)]


def test_rows_of_one_record_stay_together() -> None:
    undo, add = record(0, 0, 9, seq=4)._replace(undo="{}"), record(0, 0, 9, seq=4)
    assert [*in_stream_order([undo, add, record(1, 0, 9)])] == [undo, add, record(1, 0, 9)]
    assert [*in_stream_order([])] == []


def test_an_undo_comes_before_its_add_however_a_shuffle_left_them() -> None:
    undo, add = record(0, 0, 9, seq=4)._replace(undo="{}"), record(0, 0, 9, seq=4)._replace(row="{}")
    assert [*in_stream_order([add, undo])] == [undo, add]
