"""Tumbling and hopping windows: which windows a row counts in, when it is late, and what EMIT FINAL says when."""

from __future__ import annotations

from riacho.pipelines.tasks.dropped import Reason
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec, WindowSpec
from support.task_world import COUNT, TaskWorld, row, window


def task(kind: WindowSpec, is_final: bool = False) -> TaskWorld:
    return TaskWorld(TaskSpec("window", (COUNT,), window=kind, emit_final=is_final, emit_every_change=True))


def test_a_tumbling_window_holds_its_start_and_not_its_end() -> None:
    world = task(window("TUMBLING", 10))
    assert world.emitted(row("a", 0), row("a", 9), row("a", 10)) == [
        ("a", 1, 0, 0, 10),
        ("a", 2, 9, 0, 10),
        ("a", 1, 10, 10, 20),
    ]


def test_a_row_counts_in_every_hopping_window_earliest_first() -> None:
    world = task(window("HOPPING", 10, advance_ms=4))
    assert world.emitted(row("a", 9)) == [("a", 1, 9, 0, 10), ("a", 1, 9, 4, 14), ("a", 1, 9, 8, 18)]
    assert world.emitted(row("a", 3)) == [("a", 2, 9, 0, 10)]


def test_a_result_has_the_latest_time_of_its_window() -> None:
    world = task(window("TUMBLING", 10))
    assert world.emitted(row("a", 7), row("a", 5)) == [("a", 1, 7, 0, 10), ("a", 2, 7, 0, 10)]


def test_a_window_is_closed_when_its_end_and_grace_are_not_after_stream_time() -> None:
    world = task(window("TUMBLING", 10, grace_ms=5))
    assert len(world.run(row("a", 1), row("b", 14), row("a", 2))) == 3
    assert world.run(row("b", 15), row("a", 3))[1:] == []
    (late,) = world.dropped
    assert (late.reason, late.window_start, late.window_end, late.stream_time) == (Reason.EXPIRED_WINDOW, 0, 10, 15)
    assert str(late) == "Skipping record for expired window. timestamp=[3] window=[0,10) streamTime=[15]"


def test_a_late_row_still_counts_in_the_windows_that_are_open() -> None:
    world = task(window("HOPPING", 10, grace_ms=0, advance_ms=5))
    world.run(row("a", 12))
    assert world.emitted(row("a", 7)) == [("a", 2, 12, 5, 15)]
    assert [(each.window_start, each.window_end) for each in world.dropped] == [(0, 10)]


def test_closed_windows_leave_state() -> None:
    world = task(window("TUMBLING", 10, grace_ms=0))
    world.run(*(row(f"k{at}", at) for at in range(10)))
    world.run(row("z", 1_000_000))
    assert sorted(key for key, _ in world.store.items()) == ["c100001.0", "i", "m", 'w1000000:{"K": "z"}']


def test_final_results_come_once_by_window_and_key_when_they_close() -> None:
    world = task(window("TUMBLING", 10, grace_ms=5), is_final=True)
    assert world.emitted(row("b", 3), row("a", 1), row("a", 12), row("a", 14), row("b", 2)) == []
    assert world.emitted(row("c", 15)) == [("a", 1, 1, 0, 10), ("b", 2, 3, 0, 10)]
    assert world.emitted(row("c", 15), row("c", 24)) == []
    assert world.emitted(row("d", 100)) == [
        ("a", 2, 14, 10, 20),
        ("c", 2, 15, 10, 20),
        ("c", 1, 24, 20, 30),
    ]


def test_a_late_row_never_comes_into_a_final_result() -> None:
    world = task(window("TUMBLING", 10, grace_ms=0), is_final=True)
    assert world.emitted(row("a", 1), row("a", 30), row("a", 2), row("a", 60)) == [
        ("a", 1, 1, 0, 10),
        ("a", 1, 30, 30, 40),
    ]
    assert len(world.dropped) == 1


def test_numbers_close_in_the_order_of_their_bytes() -> None:
    world = task(window("TUMBLING", 10, grace_ms=0), is_final=True)
    rows = [TaskRow(f'{{"K":{key}}}', "{}", 1) for key in (-1, 10, 9, 0)]
    changes = world.run(*rows, TaskRow('{"K":0}', "{}", 50))
    assert [change.key for change in changes] == ['{"K":0}', '{"K":9}', '{"K":10}', '{"K":-1}']


def test_rows_that_cannot_be_placed_do_not_move_stream_time() -> None:
    world = task(window("TUMBLING", 10, grace_ms=0))
    assert world.run(row(None, 100), TaskRow('{"K":"a"}', None, 100), row("a", -1)) == []
    assert [each.reason for each in world.dropped] == [Reason.NULL_KEY, Reason.NULL_VALUE, Reason.NEGATIVE_TIME]
    assert world.emitted(row("a", 1)) == [("a", 1, 1, 0, 10)]


def test_many_keys_of_one_window_all_close() -> None:
    world = task(window("TUMBLING", 10, grace_ms=0), is_final=True)
    world.run(*(row(f"{at:04}", 1) for at in range(600)))
    world.run(*(row(f"{at:04}", 2) for at in range(600, 1_000)))
    changes = world.emitted(row("x", 10))
    assert [change[0] for change in changes] == [f"{at:04}" for at in range(1_000)]
