"""Streaming queries of a child, each in a thread of its own: begun, watched, asked to end; and all that there are.

Stopping waits for the running batch, so that the next start has nothing to do again; but not for long, since doing it
again is safe. Two runs must never share a checkpoint: one that is started again waits for the end of the one before.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

STOP_S = 30.0
END_S = 60.0
QUIT_S = 45.0
POLL_S = 0.02
# Beginnings in a row that may fail for want of a Python worker.
LATE_MAX = 5


class QueryThread(ABC):
    def __init__(self, name: str) -> None:
        self._stop = threading.Event()
        self._last_batch = -1
        self._late = 0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask for the end; an event says when it has come."""
        self._stop.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    @abstractmethod
    def _run(self) -> None:
        """The whole run; it says itself how it ended."""

    def _watch(self, query: StreamingQuery, interval_s: float, report: Callable[[], None]) -> None:
        """Until the query ends by itself, which raises, or is stopped."""
        while not query.awaitTermination(interval_s):  # type: ignore[arg-type]
            report()
            if self._stop.is_set():
                _stop_between_batches(query)
                break
        report()

    def _recent(self, query: StreamingQuery) -> list[Any]:
        """What Spark tells of the batches since `_last_batch`; of earlier ones too where some were missed."""
        last = query.lastProgress
        missed = last is not None and last["batchId"] > self._last_batch + 1
        return list(query.recentProgress) if missed else [last] if last is not None else []


Q = TypeVar("Q", bound=QueryThread)


class QueryThreads(Generic[Q]):
    """Those of a child, by the name of what they run."""

    def __init__(self) -> None:
        self._by_name: dict[str, Q] = {}

    def get(self, name: str) -> Q | None:
        """One that is not over."""
        found = self._by_name.get(name)
        return None if found is None or found.is_over else found

    def has_ended(self, name: str) -> bool:
        """Whether no earlier run is left, which is stopped and waited for."""
        before = self.get(name)
        if before is not None:
            before.stop()
            before.join(END_S)
        return before is None or before.is_over

    def begin(self, name: str, thread: Q) -> None:
        self._by_name = {known: each for known, each in self._by_name.items() if not each.is_over}
        self._by_name[name] = thread
        thread.begin()

    def quit(self) -> None:
        for each in self._by_name.values():
            each.stop()
        for each in self._by_name.values():
            each.join(QUIT_S)


def use_own_pool(spark: SparkSession, name: str) -> None:
    """Jobs of queries take turns, rather than one with much to do keeping the others waiting."""
    try:
        spark.sparkContext.setLocalProperty("spark.scheduler.pool", name)
    except Exception:  # Spark Connect has no context on this side
        return


def _stop_between_batches(query: StreamingQuery) -> None:
    deadline = time.monotonic() + STOP_S
    while query.isActive and query.status["isTriggerActive"] and time.monotonic() < deadline:
        time.sleep(POLL_S)
    query.stop()
