"""The permit of one large request: held while this process works at it, and released while it waits for others.

Theory of operation. A request of many elements may wait for minutes: for followers that are to move their log start,
for the controller, for a thread. If it kept its permit of the semaphore, a few clients that wait on purpose would stop
the large requests of everybody. So its coroutine is run step by step: where it stops at a future, the permit is
released, and before it goes on it acquires one again, behind those who came first. Where it only lets the loop go round
it keeps its permit.

What it has in memory stays there while it waits. So it is counted among what is held for peers from its arrival to its
answer, its elements from when they are decoded, and one that would make that too much is refused before it is served.
Large requests together hold no more than half of what all peers may: those that wait on purpose leave the other half to
requests that are being received.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.buffered_bytes import BufferedBytes
from riacho.broker.requests.request_parts import weight

if TYPE_CHECKING:
    from riacho.broker.requests.large_requests import LargeRequests
    from riacho.wire.schema import Message

T = TypeVar("T")

# An element as it is decoded, with its part of an array: up to 250 bytes, besides those that it came in.
_ELEMENT_SIZE_BYTES = 256


class Permit:
    __slots__ = ("_all", "_held", "_is_acquired", "_is_over", "_permits", "is_in_parts", "is_passed_on", "weight")

    def __init__(self, requests: LargeRequests, permits: asyncio.Semaphore, is_in_parts: bool) -> None:
        self._all = requests
        self._held = BufferedBytes(requests.memory)
        self._permits = permits
        self._is_acquired = self._is_over = False
        self.is_in_parts = is_in_parts
        # Whether a coroutine has it that releases it by itself.
        self.is_passed_on = False
        # Of the decoded request.
        self.weight = 0

    def hold(self, size_bytes: int) -> None:
        """Count that much more as held for the peer; KafkaError where all peers together hold too much then."""
        self._all.held_bytes += size_bytes
        is_bearable = self._held.hold(self._held.size_bytes + size_bytes)
        if not is_bearable or self._all.held_bytes > self._all.held_bytes_max:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "requests that wait hold too much memory")

    def decoded(self, request: Message) -> None:
        """Count its elements; KafkaError as above."""
        self.weight = weight(request)
        self.hold(self.weight * _ELEMENT_SIZE_BYTES)

    async def acquire(self) -> None:
        if self._is_acquired or self._is_over:
            return
        await self._permits.acquire()
        if self._is_over:
            self._permits.release()
        else:
            self._is_acquired = True

    def release(self) -> None:
        if not self._is_acquired:
            return
        self._is_acquired = False
        if self.is_in_parts:
            self._permits.release()
        else:
            # It was served in one go: the next one not before everybody else had a chance.
            asyncio.get_running_loop().call_soon(self._permits.release)

    def end(self) -> None:
        """The request is answered, or its peer is gone: it holds nothing, and acquires no permit again."""
        self._is_over = True
        self.release()
        self._all.held_bytes -= self._held.size_bytes
        self._held.release()

    def at_work(self, coroutine: Coroutine[object, None, T]) -> Coroutine[object, None, T]:
        """The coroutine, with the permit whenever it runs. It has the permit from now on."""
        self.is_passed_on = True
        return _result(_AtWork(self, coroutine))


async def _result(work: _AtWork[T]) -> T:
    return await work


class _AtWork(Generic[T]):
    def __init__(self, permit: Permit, coroutine: Coroutine[object, None, T]) -> None:
        self._permit = permit
        self._coroutine = coroutine

    def __await__(self) -> Generator[object, None, T]:
        permit, coroutine = self._permit, self._coroutine
        raised: BaseException | None = None
        while True:
            try:
                awaited = coroutine.send(None) if raised is None else coroutine.throw(raised)
            except StopIteration as returned:
                return cast("T", returned.value)
            raised = None
            try:
                # A future to wait for; or nothing, for the loop to go round.
                if awaited is None:
                    yield None
                else:
                    permit.release()
                    yield awaited
                    yield from permit.acquire().__await__()
            except BaseException as error:
                # Whoever is cancelled has little left to do, and does it at once.
                raised = error
