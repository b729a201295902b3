"""Runs of a child: one of a name at a time, and all asked to end before any is waited for."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from riacho.pipelines.spark_child import query_thread
from riacho.pipelines.spark_child.query_thread import QueryThread, QueryThreads


class Run(QueryThread):
    """Ends when it is asked to, unless it is stubborn."""

    def __init__(self, *, is_stubborn: bool = False) -> None:
        super().__init__("run")
        self.released = threading.Event()
        self._is_stubborn = is_stubborn

    def _run(self) -> None:
        self._stop.wait()
        if self._is_stubborn:
            self.released.wait()

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()


class Query:
    """What Spark tells of a query, and what is asked of it."""

    def __init__(self, *batch_ids: int, awaited: int = 1) -> None:
        self.recentProgress: list[dict[str, Any]] = [{"batchId": batch_id} for batch_id in batch_ids]
        self.isActive = True
        self.status = {"isTriggerActive": False}
        self._awaited = awaited

    @property
    def lastProgress(self) -> dict[str, Any] | None:
        return self.recentProgress[-1] if self.recentProgress else None

    def awaitTermination(self, timeout_s: float) -> bool:
        self._awaited -= 1
        return self._awaited < 0

    def stop(self) -> None:
        self.isActive = False


def test_one_that_is_begun_again_comes_after_the_one_before() -> None:
    threads: QueryThreads[Run] = QueryThreads()
    first, second = Run(), Run()
    assert threads.has_ended("a")
    threads.begin("a", first)
    assert threads.get("a") is first
    assert threads.has_ended("a")
    assert first.is_over
    assert threads.get("a") is None
    threads.begin("a", second)
    assert threads.get("a") is second
    threads.quit()
    assert second.is_over


def test_one_that_does_not_end_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_thread, "END_S", 0.01)
    threads: QueryThreads[Run] = QueryThreads()
    stubborn = Run(is_stubborn=True)
    threads.begin("a", stubborn)
    assert not threads.has_ended("a")
    assert threads.get("a") is stubborn
    stubborn.released.set()
    stubborn.join(10.0)
    assert threads.has_ended("a")


def test_all_are_asked_to_end_before_any_is_waited_for() -> None:
    threads: QueryThreads[Run] = QueryThreads()
    runs = [Run(is_stubborn=True), Run()]

    def release() -> None:
        # The first ends only once the second was asked to.
        runs[1].join(10.0)
        runs[0].released.set()

    for number, run in enumerate(runs):
        threads.begin(str(number), run)
    releasing = threading.Thread(target=release)
    releasing.start()
    threads.quit()
    releasing.join()
    assert all(run.is_stopping and run.is_over for run in runs)


def test_what_was_missed_between_two_looks_is_told_too() -> None:
    run = Run()
    assert run._recent(Query()) == []  # type: ignore[arg-type]
    assert [each["batchId"] for each in run._recent(Query(0, 1, 2))] == [0, 1, 2]  # type: ignore[arg-type]
    run._last_batch = 1
    assert [each["batchId"] for each in run._recent(Query(0, 1, 2))] == [2]  # type: ignore[arg-type]


def test_a_query_is_looked_at_a_last_time_however_it_ends() -> None:
    for is_asked in (False, True):
        run, query, looks = Run(), Query(awaited=1), []
        if is_asked:
            run.stop()
        run._watch(query, 0.0, lambda looks=looks: looks.append(1))  # type: ignore[arg-type, misc]
        assert len(looks) == 2
        # Only one that has not ended by itself is stopped.
        assert query.isActive is not is_asked
