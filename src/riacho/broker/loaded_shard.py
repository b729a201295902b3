"""The driver of one group shard: decide, append, apply, wait for the commit, reply.

A reply may leave when everything this shard has appended so far is committed, so what a client is told cannot be lost.
With one replica that is at once and nothing is queued; otherwise replies wait in order in the outbox. When an append
fails, what the core already changed in memory cannot be trusted: all who wait are refused and the shard is dropped, to
be loaded again from the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.deferred import Deferred
from riacho.groups.decision import CoordinatorRecord, Decision, Reply
from riacho.groups.refusals import coordinator_error
from riacho.groups.shard import GroupShard
from riacho.wire.batch import Buffer

OFFSETS_TOPIC = "__consumer_offsets"

Refuse = Callable[[Any, ErrorCode], Any]
Decide = Callable[[GroupShard, int, int], Decision]

_logger = logging.getLogger("riacho.groups")


class OffsetsLog(Protocol):
    """What the driver needs of the broker's replicas. A partition that this broker does not lead is a KafkaError."""

    def append_internal(
        self, topic: str, partition: int, records: list[tuple[bytes, bytes | None]], now_ms: int
    ) -> int: ...

    def is_committed(self, topic: str, partition: int, offset: int) -> bool: ...

    async def committed(self, topic: str, partition: int, offset: int) -> None: ...

    def read_all(self, topic: str, partition: int) -> Iterator[Buffer]: ...


class _Waiting(NamedTuple):
    deferred: Deferred
    request: Any
    refuse: Refuse


class LoadedShard:
    def __init__(
        self,
        partition: int,
        shard: GroupShard,
        log: OffsetsLog,
        now_ms: Callable[[], int],
        loop: asyncio.AbstractEventLoop,
        on_failed: Callable[[LoadedShard], None],
    ) -> None:
        self.partition = partition
        self.shard = shard
        self._log = log
        self._now_ms = now_ms
        self._loop = loop
        self._on_failed = on_failed
        self._next_ticket = 0
        self._waiting: dict[int, _Waiting] = {}
        self._outbox: deque[tuple[int, list[Reply]]] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0
        self.is_closed = False

    @property
    def parked_count(self) -> int:
        return len(self._waiting)

    def ask(self, decide: Decide, request: Any, refuse: Refuse) -> Any:
        """The answer, or a Deferred of it."""
        self._next_ticket = ticket = self._next_ticket + 1
        decision = self._decide(decide, ticket)
        offset = self._perform(decision)
        replies = decision.replies
        if offset is None and len(replies) == 1 and replies[0].ticket == ticket:
            return replies[0].response
        # Known before any reply goes out: each may set off another request, and that one may answer this.
        deferred = Deferred(on_abandon=lambda: self._forget(ticket))
        self._waiting[ticket] = _Waiting(deferred, request, refuse)
        if offset is None:
            self._deliver(replies)
        else:
            self._post(offset, replies)
        return deferred

    def run(self, decide: Callable[[GroupShard, int], Decision]) -> None:
        """A decision that nobody asked for: a timeout, the expiry of offsets."""
        decision = self._decide(lambda shard, _, now_ms: decide(shard, now_ms), 0)
        offset = self._perform(decision)
        if offset is None:
            self._deliver(decision.replies)
        else:
            self._post(offset, decision.replies)

    def close(self, code: ErrorCode) -> None:
        """Refuse all who wait, and be gone."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._draining is not None:
            self._draining.cancel()
        self._outbox.clear()
        self._deliver(self.shard.abandon(code).replies)
        for waiting in list(self._waiting.values()):
            waiting.deferred.resolve(waiting.refuse(waiting.request, code))
        self._waiting.clear()

    def _decide(self, decide: Decide, ticket: int) -> Decision:
        try:
            return decide(self.shard, ticket, self._now_ms())
        except Exception:
            # Half of a change may have been made in memory; only the log is known to be right.
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
            raise

    def _perform(self, decision: Decision) -> int | None:
        """Append and apply; the offset to wait for, or None when the replies may leave at once."""
        records = decision.records
        if records:
            offset = self._append(records)
            for key, value in records:
                self.shard.apply(key, value)
        self._schedule()
        if records and (self._outbox or not self._log.is_committed(OFFSETS_TOPIC, self.partition, offset)):
            return offset
        return self._outbox[-1][0] if self._outbox else None

    def _append(self, records: list[CoordinatorRecord]) -> int:
        try:
            return self._log.append_internal(OFFSETS_TOPIC, self.partition, list(records), self._now_ms())
        except KafkaError as error:
            code = coordinator_error(error.code)
            _logger.warning("group append failed partition=%d error=%s", self.partition, error)
            self._fail(code)
            raise KafkaError(code, error.detail) from error
        except Exception:
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
            raise

    def _deliver(self, replies: list[Reply]) -> None:
        for ticket, response in replies:
            waiting = self._waiting.pop(ticket, None)
            # None: its connection has closed meanwhile.
            if waiting is not None:
                waiting.deferred.resolve(response)

    def _post(self, offset: int, replies: list[Reply]) -> None:
        self._outbox.append((offset, replies))
        if self._draining is None:
            self._draining = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while self._outbox:
                await self._log.committed(OFFSETS_TOPIC, self.partition, self._outbox[0][0])
                self._deliver(self._outbox.popleft()[1])
        except KafkaError as error:
            _logger.warning("group commit failed partition=%d error=%s", self.partition, error)
            self._fail(coordinator_error(error.code))
        except Exception:
            _logger.exception("group commit failed partition=%d", self.partition)
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
        finally:
            self._draining = None

    def _forget(self, ticket: int) -> None:
        self._waiting.pop(ticket, None)

    def _fail(self, code: ErrorCode) -> None:
        self._on_failed(self)
        self.close(code)

    def _schedule(self) -> None:
        """One timer per shard. It may be early, since deadlines are mostly pushed back; then it is set again."""
        due_ms = self.shard.next_deadline_ms()
        if due_ms is None or (self._timer is not None and self._timer_ms <= due_ms):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due_ms
        self._timer = self._loop.call_later(max(due_ms - self._now_ms(), 1) / 1000, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self.is_closed:
            return
        try:
            self.run(lambda shard, now_ms: shard.expire(now_ms))
        except KafkaError:
            # Logged and everyone told; whoever comes next loads the shard again.
            return
