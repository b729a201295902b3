"""A runner that does not hear its worker any more ends; one that merely stood still itself does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from riacho.pipelines.connect.protocol import command_from, settings_from
from riacho.pipelines.spark_child import lifeline
from riacho.pipelines.spark_child.lifeline import ALIVE, TICK_S, Lifeline, Silence
from riacho.pipelines.spark_child.messages import Alive

LIMIT_S = 60.0


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def looks(silence: Silence, clock: Clock, count: int, step_s: float = TICK_S) -> list[bool]:
    found = []
    for _ in range(count):
        clock.now_s += step_s
        found.append(silence.is_too_long())
    return found


def test_silence_is_too_long_after_its_limit() -> None:
    clock = Clock()
    silence = Silence(3 * TICK_S, clock)
    assert looks(silence, clock, 3) == [False, False, True]
    silence.reset()
    assert looks(silence, clock, 3) == [False, False, True]


def test_time_in_which_nobody_listened_hardly_counts() -> None:
    clock = Clock()
    silence = Silence(8.0, clock)
    assert looks(silence, clock, 1, step_s=3_600.0) == [False]
    silence.reset()
    assert looks(silence, clock, 5) == [False] * 5


def test_that_the_worker_is_alive_is_no_command_for_anybody() -> None:
    ended: list[str] = []
    lines = Lifeline([f"{ALIVE}\n", "one\n", f"{ALIVE}\n", "two\n"], None, ended.append)
    assert list(lines) == ["one\n", "two\n"]
    assert ended == []
    assert command_from(ALIVE) == Alive()
    assert settings_from('{"bootstrap":"b","silence_ms":8000}').silence_s == 8.0
    assert settings_from('{"bootstrap":"b"}').silence_s is None


def test_a_worker_that_says_nothing_is_taken_for_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifeline, "TICK_S", 0.01)
    ended = threading.Event()
    reasons: list[str] = []

    def nothing() -> Iterator[str]:
        ended.wait(LIMIT_S)
        yield "late\n"

    def end(reason: str) -> None:
        reasons.append(reason)
        ended.set()

    assert list(Lifeline(nothing(), 0.05, end)) == ["late\n"]
    assert reasons[0].startswith("The worker has said nothing for too long")
