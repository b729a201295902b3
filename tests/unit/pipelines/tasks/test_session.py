"""Sessions: what belongs together, what a merge emits, and when a session is over."""

from __future__ import annotations

import json

from riacho.pipelines.tasks.dropped import Reason
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec
from support.task_world import COUNT, LIST, TaskWorld, olds, row, window


def task(grace_ms: int = 86_400_000, is_final: bool = False, aggregate: AggregateSpec = COUNT) -> TaskWorld:
    gap = window("SESSION", 10, grace_ms)
    return TaskWorld(TaskSpec("session", (aggregate,), window=gap, emit_final=is_final, emit_every_change=True))


def test_rows_within_the_gap_are_one_session() -> None:
    world = task()
    assert world.emitted(row("a", 5)) == [("a", 1, 5, 5, 5)]
    assert world.emitted(row("a", 15)) == [("a", None, 5, 5, 5), ("a", 2, 15, 5, 15)]
    assert world.emitted(row("a", 26)) == [("a", 1, 26, 26, 26)]


def test_a_row_between_two_sessions_merges_them() -> None:
    world = task()
    world.run(row("a", 0), row("a", 16))
    assert world.emitted(row("a", 8)) == [("a", None, 0, 0, 0), ("a", None, 16, 16, 16), ("a", 3, 16, 0, 16)]


def test_a_row_inside_a_session_replaces_it() -> None:
    world = task()
    world.run(row("a", 0), row("a", 10))
    assert world.emitted(row("a", 5)) == [("a", None, 10, 0, 10), ("a", 3, 10, 0, 10)]


def test_a_row_at_the_moment_of_a_session_of_one_moment_just_counts() -> None:
    world = task()
    world.run(row("a", 5))
    assert world.emitted(row("a", 5)) == [("a", 2, 5, 5, 5)]


def test_tombstones_carry_what_was_and_new_sessions_nothing() -> None:
    changes = task().run(row("a", 0), row("a", 1))
    assert olds(changes) == [None, {"N": 1}, None]


def test_values_of_the_earlier_session_come_first_and_the_rows_own_last() -> None:
    world = task(aggregate=LIST)
    assert world.emitted(row("a", 16, 1), row("a", 0, 2), row("a", 8, 3))[-1] == ("a", [2, 1, 3], 16, 0, 16)


def test_latest_is_by_arrival_when_sessions_are_merged() -> None:
    latest = AggregateSpec("R", "LATEST_BY_OFFSET", ("V",), ("INTEGER",), "INTEGER")
    world = task(aggregate=latest)
    world.run(row("a", 16, 1), row("a", 0, 2))
    nulls = TaskRow('{"K": "a"}', json.dumps({"V": None}), 8)
    assert world.emitted(nulls)[-1] == ("a", 2, 16, 0, 16)


def test_a_session_is_over_when_end_gap_and_grace_are_before_stream_time() -> None:
    world = task(grace_ms=5)
    world.run(row("a", 0), row("b", 15))
    assert world.emitted(row("a", 0)) == [("a", 2, 0, 0, 0)]
    world.run(row("b", 16))
    assert world.emitted(row("a", 0)) == []
    (late,) = world.dropped
    assert (late.reason, late.window_start, late.window_end) == (Reason.EXPIRED_WINDOW, 0, 0)


def test_a_late_row_that_reaches_an_open_session_counts() -> None:
    world = task(grace_ms=0)
    world.run(row("a", 0), row("a", 9), row("b", 15))
    assert world.emitted(row("a", 1)) == [("a", None, 9, 0, 9), ("a", 3, 9, 0, 9)]


def test_sessions_that_are_over_leave_state() -> None:
    world = task(grace_ms=0)
    world.run(row("a", 0), row("a", 5), row("b", 3))
    world.run(row("c", 1_000_000))
    assert sorted(key for key, _ in world.store.items()) == ["c100000.0", "i", "m", 's{"K": "c"}']


def test_final_results_come_once_by_end_and_key() -> None:
    world = task(grace_ms=0, is_final=True)
    assert world.emitted(row("b", 5), row("a", 5), row("a", 3), row("c", 8), row("a", 15)) == []
    assert world.emitted(row("z", 16)) == [("b", 1, 5, 5, 5)]
    assert world.emitted(row("z", 27)) == [("c", 1, 8, 8, 8), ("a", 3, 15, 3, 15), ("z", 1, 16, 16, 16)]


def test_rows_that_cannot_be_placed_are_dropped() -> None:
    world = task()
    assert world.run(row(None, 100), TaskRow('{"K":"a"}', None, 100), row("a", -1)) == []
    assert [each.reason for each in world.dropped] == [Reason.NULL_KEY, Reason.NULL_VALUE, Reason.NEGATIVE_TIME]
