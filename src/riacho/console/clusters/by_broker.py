"""Asking every broker its share, in batches: one that does not answer leaves a gap and spoils nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.console.clusters.errors import sentence

T = TypeVar("T")


class Gaps:
    """What could not be looked at, a sentence each; the same one is told once.

    Waiting in vain has an end: after some seconds of it the rest is not asked for any more, so that a look at a cluster
    that is going down does not take so long that nobody hears of it.
    """

    MAX = 20
    WAITED_S_MAX = 6.0

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._sentences: dict[str, None] = {}
        self._clock_s = clock_s
        self._waited_s = 0.0

    def asked(self, what: str, ask: Callable[[], T]) -> T | None:
        """None where it failed. A connection that broke since the last look is not worth a gap: it is asked again."""
        if self._waited_s > self.WAITED_S_MAX:
            self.add(what, KafkaError(ErrorCode.REQUEST_TIMED_OUT, "The cluster did not answer in time"))
            return None
        started_s = self._clock_s()
        found = self._asked(what, ask)
        if found is None:
            self._waited_s += self._clock_s() - started_s
        return found

    def _asked(self, what: str, ask: Callable[[], T]) -> T | None:
        try:
            return ask()
        except KafkaError as error:
            if error.code is not ErrorCode.NETWORK_EXCEPTION:
                self.add(what, error)
                return None
        try:
            return ask()
        except KafkaError as error:
            self.add(what, error)
            return None

    def add(self, what: str, error: KafkaError) -> None:
        if len(self._sentences) < self.MAX:
            self._sentences[f"{what} not known: {sentence(error)}"] = None

    def about(self, what: str) -> bool:
        """Whether one of the sentences begins so."""
        return any(each.startswith(what) for each in self._sentences)

    def told(self) -> tuple[str, ...]:
        return tuple(self._sentences)


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
