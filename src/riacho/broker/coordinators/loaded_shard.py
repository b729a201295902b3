"""The driver of one coordinator's shard: decide, append, apply, wait for the commit, reply.

A reply may leave when everything this shard has appended so far is committed, so what a client was answered cannot be
lost. With one replica that is at once and nothing is queued; otherwise replies wait in order in the outbox.

An append that is refused, since its batch is too large or of a fenced producer, leaves log and core as they were: those
whom the decision was to answer are refused, and the shard goes on. When one fails otherwise, nobody knows how much of
it stands in the log, only that the core has applied none of it: all who wait are refused and the shard is dropped, to
be loaded again from the log. So it is after a chore or a timeout, too, which nobody asks for again. A write is not even
decided while the partition has too few in-sync replicas.

A commit that does not come in `offsets.commit.timeout.ms` is refused, and the shard stays: its records are in the log,
where they will be committed or, with the leadership, lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, NamedTuple, ParamSpec, Protocol, TypeVar, cast

from riacho.base.coordination import NO_PRODUCER_ID, CoordinatorDecision, CoordinatorShard, Reply, coordinator_error
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.operation import Operation
from riacho.broker.requests.later import Later, Outcome
from riacho.wire.batch import Buffer

S = TypeVar("S", bound=CoordinatorShard)
Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("riacho.coordinators")


class CoordinatorLog(Protocol):
    """What the driver needs of the broker's replicas. A partition that this broker does not lead is a KafkaError."""

    node_id: int

    def append_internal(
        self,
        topic: str,
        partition: int,
        records: list[tuple[bytes, bytes | None]],
        now_ms: int,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = -1,
    ) -> int:
        """One batch, with acks=all; of that producer's transaction, when there is one. Its last offset."""
        ...

    def is_committed(self, topic: str, partition: int, offset: int) -> bool: ...

    async def committed(self, topic: str, partition: int, offset: int) -> None: ...

    def check_writable(self, topic: str, partition: int) -> None:
        """KafkaError when an append would be refused."""
        ...

    def end_offset(self, topic: str, partition: int) -> int: ...

    def read_all(self, topic: str, partition: int) -> Iterator[Buffer]: ...


_COMMIT_TIMEOUT_MS = 5_000
# How long a timeout that would have to write waits for replicas to come back.
_POSTPONED_MS = 1_000
# The records are written and may yet be committed: no reason to load the shard again.
_UNDECIDED = frozenset({ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND})
# The partition is another broker's now, or its disk cannot tell what it has.
_LOST = frozenset(
    {
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)


class _Posted(NamedTuple):
    """Replies that may leave when the offset is committed, and what is to be done then."""

    offset: int
    deadline_s: float
    replies: list[Reply]
    effects: list[object]


class _Waiting(NamedTuple):
    # Of whatever the shard's decision answers to this request id.
    deferred: Later[object]
    refused: Callable[[ErrorCode], object]


class LoadedShard(Generic[S]):
    def __init__(
        self,
        topic: str,
        partition: int,
        shard: S,
        log: CoordinatorLog,
        now_ms: Callable[[], int],
        loop: asyncio.AbstractEventLoop,
        on_failed: Callable[[LoadedShard[S]], None],
        commit_timeout_ms: int = _COMMIT_TIMEOUT_MS,
        end_offset: int = 0,
        on_effect: Callable[[object], None] | None = None,
    ) -> None:
        """`end_offset` is where the log ended when the shard was loaded: not all of it may be committed. `on_effect`
        gets a decision's effects when its records are committed."""
        self._on_effect = on_effect
        self._commit_timeout_ms = commit_timeout_ms
        # The last offset whose commit replies wait for.
        self._last_offset = end_offset - 1
        self.topic = topic
        self.partition = partition
        self.shard = shard
        self._log = log
        self._now_ms = now_ms
        self._loop = loop
        self._on_failed = on_failed
        self._next_request_id = 0
        self._waiting: dict[int, _Waiting] = {}
        self._outbox: deque[_Posted] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0
        self.is_closed = False

    @property
    def parked_count(self) -> int:
        return len(self._waiting)

    def ask(self, operation: Operation[S, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs) -> Outcome[T]:
        """The answer, now or later. KafkaError when it writes and the partition takes no writes now."""
        self._check_open()
        if operation.writes:
            self._check_writable()
        self._next_request_id = request_id = self._next_request_id + 1
        try:
            decision = operation.decide(self.shard, request_id, self._now_ms(), request, *args, **kwargs)
        except Exception:
            self._fail_midway()
            raise
        try:
            offset = self._perform(decision)
        except KafkaError:
            if not self.is_closed:
                self._schedule()
            raise
        replies = decision.reply
        if offset is None and len(replies) == 1 and replies[0].request_id == request_id:
            self._carry_out(decision.effects)
            return cast("T", replies[0].response)
        # Known before any reply goes out: each may set off another request, and that one may answer this.
        deferred: Later[T] = Later(on_abandon=lambda: self._forget(request_id))
        self._waiting[request_id] = _Waiting(cast("Later[object]", deferred), partial(operation.refused, request))
        self._send(offset, decision)
        return deferred

    def run(self, decide: Callable[[S, int], CoordinatorDecision]) -> None:
        """A decision that nobody asked for: a timeout, the expiry of offsets. KafkaError when the shard is gone."""
        self._check_open()
        try:
            decision = decide(self.shard, self._now_ms())
        except Exception:
            self._fail_midway()
            raise
        try:
            offset = self._perform(decision)
        except KafkaError as error:
            # Whoever loads the shard again finds what is left to do.
            self._fail(error.code)
            raise
        self._send(offset, decision)

    def transaction_ended(self, offset: int, producer_id: int, *, committed: bool) -> None:
        """A marker stands in the log at `offset`: replies from now on wait for its commit."""
        self.shard.end_transaction(producer_id, committed=committed)
        self._last_offset = max(self._last_offset, offset)

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
        self._deliver(self.shard.abandon(code).reply)
        for waiting in list(self._waiting.values()):
            waiting.deferred.resolve(waiting.refused(code))
        self._waiting.clear()

    def _fail_midway(self) -> None:
        """Half of a change may have been made in memory; only the log is known to be right."""
        self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)

    def _perform(self, decision: CoordinatorDecision) -> int | None:
        """Append and apply; the offset to wait for, or None when the replies may leave at once."""
        if decision.records:
            self._last_offset = self._append(decision)
        try:
            decision.apply_to(self.shard)
        except Exception:
            # What is in the log and what is in memory are no longer the same.
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
            raise
        self._schedule()
        offset = self._last_offset
        if offset < 0:
            return None
        if self._outbox or not self._is_committed(offset):
            return offset
        self._last_offset = -1
        return None

    def _is_committed(self, offset: int) -> bool:
        try:
            return self._log.is_committed(self.topic, self.partition, offset)
        except KafkaError:
            # The partition went meanwhile: waiting for the commit will say so.
            return False

    def _check_open(self) -> None:
        """A chore may come back to a shard that another has taken the place of: there must be one writer."""
        if self.is_closed:
            raise KafkaError(ErrorCode.NOT_COORDINATOR, f"{self.topic}-{self.partition} was let go")

    def _check_writable(self) -> None:
        try:
            self._log.check_writable(self.topic, self.partition)
        except KafkaError as error:
            raise KafkaError(coordinator_error(error.code), error.detail) from error

    def _append(self, decision: CoordinatorDecision) -> int:
        end_offset = -1
        try:
            end_offset = self._log.end_offset(self.topic, self.partition)
            return self._log.append_internal(
                self.topic,
                self.partition,
                list(decision.records),
                self._now_ms(),
                decision.producer_id,
                decision.producer_epoch,
            )
        except KafkaError as error:
            code = coordinator_error(error.code)
            _logger.warning("coordinator append failed partition=%s-%d error=%s", self.topic, self.partition, error)
            if error.code not in _LOST and self._log.end_offset(self.topic, self.partition) == end_offset:
                self._refuse(decision.reply, error.code)
            else:
                self._fail(code)
            raise KafkaError(code, error.detail) from error
        except Exception:
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
            raise

    def _send(self, offset: int | None, decision: CoordinatorDecision) -> None:
        if offset is None:
            self._carry_out(decision.effects)
            self._deliver(decision.reply)
            return
        deadline_s = self._loop.time() + self._commit_timeout_ms / 1000
        self._outbox.append(_Posted(offset, deadline_s, decision.reply, decision.effects))
        if self._draining is None:
            self._draining = self._loop.create_task(self._drain())

    def _carry_out(self, effects: list[object]) -> None:
        """Before the replies: a client that has its answer may ask for more, and finds this under way."""
        for effect in effects:
            if self._on_effect is not None and not self.is_closed:
                self._on_effect(effect)

    def _deliver(self, replies: list[Reply]) -> None:
        for request_id, response in replies:
            waiting = self._waiting.pop(request_id, None)
            # None: its connection has closed meanwhile.
            if waiting is not None:
                waiting.deferred.resolve(response)

    async def _drain(self) -> None:
        try:
            while self._outbox:
                await self._settle(self._outbox[0])
        except KafkaError as error:
            _logger.warning("coordinator commit failed partition=%s-%d error=%s", self.topic, self.partition, error)
            self._fail(coordinator_error(error.code))
        except Exception:
            _logger.exception("coordinator commit failed partition=%s-%d", self.topic, self.partition)
            self._fail(ErrorCode.UNKNOWN_SERVER_ERROR)
        finally:
            self._draining = None

    async def _settle(self, posted: _Posted) -> None:
        """Wait for one commit and deliver its replies, or refuse them when its time is up."""
        try:
            async with asyncio.timeout_at(posted.deadline_s):
                await self._log.committed(self.topic, self.partition, posted.offset)
        except TimeoutError:
            self._undecided(ErrorCode.REQUEST_TIMED_OUT)
        except KafkaError as error:
            if error.code not in _UNDECIDED:
                raise
            self._undecided(error.code)
        else:
            settled = self._outbox.popleft()
            self._carry_out(settled.effects)
            self._deliver(settled.replies)

    def _undecided(self, code: ErrorCode) -> None:
        """Nobody waits for this offset any more; what only reads need not wait for it either."""
        posted = self._outbox.popleft()
        _logger.warning(
            "coordinator commit is late partition=%s-%d offset=%d error=%s",
            self.topic,
            self.partition,
            posted.offset,
            code.name,
        )
        # What was not committed in time is still not committed: later replies go on waiting for it. Answered before,
        # they would tell of a state that another coordinator may never have seen.
        if posted.effects:
            # Nobody else will ask for these: they wait on, after those whose own time is up earlier.
            self._postpone(posted.offset, posted.effects)
        self._refuse(posted.replies, code)

    def _postpone(self, offset: int, effects: list[object]) -> None:
        """Back into the outbox, by deadline. A later offset that is committed before means that this one is, too."""
        deadline_s = self._loop.time() + self._commit_timeout_ms / 1000
        at = 0
        while at < len(self._outbox) and self._outbox[at].deadline_s <= deadline_s:
            at += 1
        self._outbox.insert(at, _Posted(offset, deadline_s, [], effects))

    def _refuse(self, replies: list[Reply], code: ErrorCode) -> None:
        response_code = coordinator_error(code)
        for request_id, _ in replies:
            waiting = self._waiting.pop(request_id, None)
            if waiting is not None:
                waiting.deferred.resolve(waiting.refused(response_code))

    def _forget(self, request_id: int) -> None:
        self._waiting.pop(request_id, None)

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
            self._check_writable()
        except KafkaError:
            # A timeout may have to write. Members are not at fault when the replicas are away: give them time.
            self._timer_ms = self._now_ms() + _POSTPONED_MS
            self._timer = self._loop.call_later(_POSTPONED_MS / 1000, self._on_timer)
            return
        try:
            self.run(lambda shard, now_ms: shard.expire(now_ms))
        except KafkaError:
            # Logged, and all who wait get an error; the next request loads the shard again.
            return
