"""Requests that wait: fetches for data. An append, a change of leadership or the deadline wakes them.

A woken fetch reads again rather than trusting what it was told, so a wake-up is only a hint and may come twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from riacho.broker.deferred import Deferred

if TYPE_CHECKING:
    from riacho.broker.hosted_partition import HostedPartition


class ParkedFetch:
    """Watches its partitions until `min_bytes` could be answered or the deadline comes."""

    __slots__ = ("_deadline", "_finish", "_is_satisfied", "_is_scheduled", "_loop", "_partitions", "deferred")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        partitions: Sequence[HostedPartition],
        wait_ms_max: int,
        is_satisfied: Callable[[], bool],
        finish: Callable[[], Any],
    ) -> None:
        self._loop = loop
        self._partitions = partitions
        self._is_satisfied = is_satisfied
        self._finish = finish
        self._is_scheduled = False
        self.deferred = Deferred(on_abandon=self._forget)
        for partition in partitions:
            partition.waiting.add(self)
        self._deadline = loop.call_later(wait_ms_max / 1000, self.complete)

    def notice(self) -> None:
        """Something was appended: look at the end of this turn, so that a request for many partitions wakes us once."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        self._is_scheduled = False
        if not self.deferred.done and self._is_satisfied():
            self.complete()

    def complete(self) -> None:
        if self.deferred.done:
            return
        self._forget()
        self.deferred.resolve(self._finish())

    def _forget(self) -> None:
        self._deadline.cancel()
        for partition in self._partitions:
            partition.waiting.discard(self)
