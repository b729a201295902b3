"""Produce requests of one connection whose answers wait for the high watermark.

A producer sends several requests without waiting (pipelining). Those with acks=all are appended as they come, in order;
their answers leave in the same order, each when it and all before it are settled. So the round trips of replication
overlap, where one request at a time would pay one each. Only produce requests are taken while others wait; any other
request of the connection has its turn when the pipeline is empty. At most `PIPELINED_MAX` wait; then the connection is
not read any further.

One timer serves all: it is set for the earliest deadline, and set again when it was early.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import TimerHandle
from collections import deque
from typing import TYPE_CHECKING, Protocol

from riacho.base.errors import ErrorCode
from riacho.wire.messages.produce_response import ProduceResponse

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.produce.produce_fast_path import ProduceFastPath
    from riacho.broker.requests.api import Answer
    from riacho.broker.requests.later import Later, Outcome
    from riacho.wire.schema import Message

PIPELINED_MAX = 256
_NEVER_MS = 1 << 62


class AnswersOut(Protocol):
    """The connection whose answers these are."""

    def encoded(self, response: Message, version: int, correlation_id: int) -> bytearray: ...

    def answered(self, out: bytearray, elapsed_ns: int, size_bytes: int, count: int) -> None: ...


class PipelinedAnswer:
    """One answer: its bytes, once they are certain."""

    __slots__ = ("_pipeline", "answer", "deadline_ms", "deferred", "fast_path", "is_ready", "size_bytes", "started_ns")

    def __init__(
        self,
        pipeline: ProducePipeline,
        answer: bytearray,
        size_bytes: int,
        started_ns: int,
        fast_path: ProduceFastPath | None = None,
        deadline_ms: int = _NEVER_MS,
    ) -> None:
        self._pipeline = pipeline
        self.answer = answer
        self.size_bytes = size_bytes
        self.started_ns = started_ns
        self.fast_path = fast_path
        self.deadline_ms = deadline_ms
        self.deferred: Later[Answer] | None = None
        self.is_ready = False

    def settle(self, code: ErrorCode) -> None:
        """The partition's word on a fast path's request: committed, or why not."""
        if self.is_ready:
            return
        if code:
            assert self.fast_path is not None
            self.answer = self._pipeline.refused(self.fast_path, self.answer, code)
        self.ready()

    def ready(self) -> None:
        self.is_ready = True
        self._pipeline.schedule()

    def forget(self) -> None:
        if self.deferred is not None:
            self.deferred.abandon()
        elif self.fast_path is not None and not self.is_ready:
            self.fast_path.partition.forget_commit(self)


class ProducePipeline:
    __slots__ = (
        "_clock",
        "_connection",
        "_entries",
        "_is_scheduled",
        "_listener_name",
        "_loop",
        "_timer",
        "_timer_ms",
    )

    def __init__(
        self, connection: AnswersOut, listener_name: str, clock: Clock, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._connection = connection
        self._listener_name = listener_name
        self._clock = clock
        self._loop = loop
        self._entries: deque[PipelinedAnswer] = deque()
        self._is_scheduled = False
        self._timer: TimerHandle | None = None
        # When it is due.
        self._timer_ms = _NEVER_MS

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def is_full(self) -> bool:
        return len(self._entries) >= PIPELINED_MAX

    # Filling

    def add_appended(
        self, fast_path: ProduceFastPath, answer: bytearray, size_bytes: int, last_offset: int, now_ns: int
    ) -> None:
        """A request served by its fast path, whose answer may leave when `last_offset` is committed."""
        deadline_ms = self._clock.monotonic_ms() + fast_path.timeout_ms
        entry = PipelinedAnswer(self, answer, size_bytes, now_ns, fast_path, deadline_ms)
        self._entries.append(entry)
        fast_path.partition.await_commit(last_offset, entry)
        if deadline_ms < self._timer_ms:
            self._set_timer(deadline_ms, fast_path.timeout_ms)

    def add_ready(self, answer: bytearray, size_bytes: int, now_ns: int) -> None:
        """An answer that only waits for those before it."""
        entry = PipelinedAnswer(self, answer, size_bytes, now_ns)
        entry.is_ready = True
        self._entries.append(entry)

    def add_deferred(
        self,
        deferred: Later[Answer],
        version: int,
        correlation_id: int,
        size_bytes: int,
        now_ns: int,
        throttle_ms: int = 0,
    ) -> None:
        """A request served the usual way; it keeps its own deadline."""
        entry = PipelinedAnswer(self, bytearray(), size_bytes, now_ns)
        entry.deferred = deferred
        self._entries.append(entry)

        def resolved(response: Outcome[Answer]) -> None:
            entry.deferred = None
            assert isinstance(response, ProduceResponse), "a request that was appended is answered"
            if throttle_ms:
                response.throttle_time_ms = throttle_ms
            entry.answer = self._connection.encoded(response, version, correlation_id)
            entry.ready()

        deferred.then(resolved)

    # Emptying

    def schedule(self) -> None:
        """Look at the end of this turn: one write for all that a move of the high watermark settles."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._drain)

    def _drain(self) -> None:
        self._is_scheduled = False
        entries = self._entries
        if not entries or not entries[0].is_ready:
            return
        out = bytearray()
        count = size_bytes = started_ns = 0
        while entries and entries[0].is_ready:
            entry = entries.popleft()
            out += entry.answer
            count += 1
            size_bytes += entry.size_bytes
            started_ns += entry.started_ns
        elapsed_ns = time.perf_counter_ns() - started_ns // count
        self._connection.answered(out, elapsed_ns, size_bytes, count)

    def refused(self, fast_path: ProduceFastPath, answer: bytearray, code: ErrorCode) -> bytearray:
        """The answer of a request that was taken and did not come to its commit."""
        connection = self._connection
        response = fast_path.refusal(self._listener_name, code)
        return connection.encoded(response, fast_path.version, int.from_bytes(answer[4:8], "big", signed=True))

    def _set_timer(self, at_ms: int, delay_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = at_ms
        self._timer = self._loop.call_later(max(delay_ms, 1) / 1000, self._expire)

    def _expire(self) -> None:
        self._timer, self._timer_ms = None, _NEVER_MS
        now_ms = self._clock.monotonic_ms()
        next_ms = _NEVER_MS
        for entry in self._entries:
            if entry.is_ready or entry.fast_path is None:
                continue
            if entry.deadline_ms <= now_ms:
                entry.fast_path.partition.forget_commit(entry)
                entry.settle(ErrorCode.REQUEST_TIMED_OUT)
            else:
                next_ms = min(next_ms, entry.deadline_ms)
        if next_ms != _NEVER_MS:
            self._set_timer(next_ms, next_ms - now_ms)

    def abandon(self) -> None:
        """The producer is gone: nothing is added or answered any more."""
        entries, self._entries = self._entries, deque()
        for entry in entries:
            entry.forget()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        del self._connection
