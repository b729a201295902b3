"""Purgatory: parked requests, fetches that wait for data and writes that wait for their commit.

An append wakes a follower's fetch, a move of the high watermark a consumer's; a change of leadership or the deadline
wakes any. A woken fetch reads again rather than trusting what woke it, so a wake-up is only a hint and may come
twice. A write is settled once: by the high watermark, by lost leadership, or by its timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Later

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.requests.api import Silence
    from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse

T = TypeVar("T")


class FetchWaiter(Protocol):
    """Who is woken by new records."""

    def notice(self) -> None:
        """There may be something to read."""
        ...

    def complete(self) -> None:
        """There will not be more: answer with what is there."""
        ...


class CommitWaiter(Protocol):
    def settle(self, code: ErrorCode) -> None:
        """NONE when the offset waited for is committed. Called once by the partition."""
        ...


class ParkedFetch(Generic[T]):
    """Stands among those who wait at its partitions until they hold enough or the deadline comes.

    `attempt(is_last)` reads again and gives the response, or None when there is still too little and more time. A
    follower's fetch waits for the log end (`tailing`), a consumer's for the high watermark (`waiting`).
    """

    __slots__ = ("_attempt", "_deadline", "_is_scheduled", "_loop", "_places", "deferred")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        places: Sequence[set[FetchWaiter]],
        wait_ms_max: int,
        attempt: Callable[[bool], T | None],
    ) -> None:
        self._loop = loop
        self._places = places
        self._attempt = attempt
        self._is_scheduled = False
        self.deferred: Later[T] = Later(on_abandon=self._forget)
        for place in self._places:
            place.add(self)
        self._deadline = loop.call_later(wait_ms_max / 1000, self.complete)

    def notice(self) -> None:
        """Something is there: look at the end of this turn, so that a request for many partitions wakes us once."""
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

    def _answer(self, response: T | None) -> None:
        if response is not None:
            self._forget()
            self.deferred.resolve(response)

    def _forget(self) -> None:
        self._deadline.cancel()
        for place in self._places:
            place.discard(self)


class ParkedProduce:
    """A produce with acks=all, until all its partitions are committed, or have failed, or its time is up.

    `refuse(answer, partition, code)` turns one partition's answer into an error; `finish()` gives the whole response.
    """

    __slots__ = ("_deadline", "_finish", "_parts", "_refuse", "deferred")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        awaited: Sequence[tuple[HostedPartition, int, PartitionProduceResponse]],
        timeout_ms: int,
        refuse: Callable[[PartitionProduceResponse, HostedPartition, ErrorCode], None],
        finish: Callable[[], ProduceResponse],
    ) -> None:
        self._refuse = refuse
        self._finish = finish
        self._parts: set[_ProducePart] = set()
        self.deferred: Later[ProduceResponse | Silence] = Later(on_abandon=self._forget)
        for partition, last_offset, answer in awaited:
            part = _ProducePart(self, partition, answer)
            self._parts.add(part)
            partition.await_commit(last_offset, part)
        self._deadline = loop.call_later(max(timeout_ms, 0) / 1000, self._expire)

    def settled(self, part: _ProducePart, code: ErrorCode) -> None:
        if part not in self._parts:
            return
        self._parts.discard(part)
        if code:
            self._refuse(part.answer, part.partition, code)
        if not self._parts:
            self._deadline.cancel()
            self.deferred.resolve(self._finish())

    def _expire(self) -> None:
        for part in tuple(self._parts):
            part.partition.forget_commit(part)
            self.settled(part, ErrorCode.REQUEST_TIMED_OUT)

    def _forget(self) -> None:
        """The producer is gone; its records stay."""
        self._deadline.cancel()
        parts, self._parts = self._parts, set()
        for part in parts:
            part.partition.forget_commit(part)


class _ProducePart:
    __slots__ = ("_produce", "answer", "partition")

    def __init__(self, produce: ParkedProduce, partition: HostedPartition, answer: PartitionProduceResponse) -> None:
        self._produce = produce
        self.partition = partition
        self.answer = answer

    def settle(self, code: ErrorCode) -> None:
        self._produce.settled(self, code)
