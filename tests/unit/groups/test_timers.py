from __future__ import annotations

from riacho.groups.timers import TimerKey, Timers

A, B = TimerKey("session", "g", "a"), TimerKey("session", "g", "b")


def test_due_keys_come_earliest_first_and_once() -> None:
    timers = Timers()
    timers.schedule(A, 20)
    timers.schedule(B, 10)
    assert timers.pop_due(9) == []
    assert timers.pop_due(20) == [B, A]
    assert timers.pop_due(1_000) == []
    assert len(timers) == 0


def test_pushing_back_does_not_fire_at_the_old_time() -> None:
    timers = Timers()
    timers.schedule(A, 10)
    timers.schedule(A, 30)
    assert timers.pop_due(29) == []
    assert timers.next_ms() == 30
    assert timers.pop_due(30) == [A]


def test_bringing_forward_fires_at_the_new_time_only() -> None:
    timers = Timers()
    timers.schedule(A, 30)
    timers.schedule(A, 10)
    assert timers.pop_due(10) == [A]
    assert timers.pop_due(30) == []


def test_a_cancelled_key_does_not_fire_and_can_come_back() -> None:
    timers = Timers()
    timers.schedule(A, 10)
    timers.cancel(A)
    assert timers.next_ms() is None
    timers.schedule(A, 10)
    timers.cancel(A)
    timers.schedule(A, 25)
    assert timers.pop_due(24) == []
    assert timers.pop_due(25) == [A]


def test_many_heartbeats_leave_no_trace() -> None:
    timers = Timers()
    for now_ms in range(0, 100_000, 10):
        timers.schedule(A, now_ms + 50)
        timers.pop_due(now_ms)
    assert len(timers._heap) == 1
