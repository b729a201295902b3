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
    """Watches its partitions until they hold enough or the deadline comes.

    `attempt(is_last)` reads again and gives the response, or None when there is still too little and more time.
    """

    __slots__ = ("_attempt", "_deadline", "_is_scheduled", "_loop", "_partitions", "deferred")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        partitions: Sequence[HostedPartition],
        wait_ms_max: int,
        attempt: Callable[[bool], Any],
    ) -> None:
        self._loop = loop
        self._partitions = partitions
        self._attempt = attempt
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
        if not self.deferred.done:
            self._answer(self._attempt(False))

    def complete(self) -> None:
        if not self.deferred.done:
            self._answer(self._attempt(True))

    def _answer(self, response: Any) -> None:
        if response is not None:
            self._forget()
            self.deferred.resolve(response)

    def _forget(self) -> None:
        self._deadline.cancel()
        for partition in self._partitions:
            partition.waiting.discard(self)
