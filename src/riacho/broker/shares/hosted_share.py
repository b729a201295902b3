"""One share-partition on the leader of its partition: the pure state, its storing, its timer, who waits for records.

It is loaded by the share coordinator before anybody gets a record. Changes are stored one write at a time; what comes
up while a write is under way goes with the next, all together. A write that the coordinator refuses for good (another
leader, a newer state epoch, a deleted group) ends this object: `on_fenced`, and the next fetch loads a new one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.lookup import LongLookupError
from riacho.shares.config import EARLIEST
from riacho.shares.runs import NO_TRANSITION
from riacho.shares.share_partition import SharePartition, Transition
from riacho.shares.state_batches import combine
from riacho.shares.state_records import ShareKey, StoredState

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.purgatory import FetchWaiter
    from riacho.broker.shares.share_persister import SharePersister
    from riacho.shares.config import ShareGroupConfig

_logger = logging.getLogger("riacho.shares")
_COORDINATOR_AWAY = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)
_FENCED = frozenset({ErrorCode.FENCED_STATE_EPOCH, ErrorCode.FENCED_LEADER_EPOCH})
_PASSED_ON = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.GROUP_ID_NOT_FOUND}
)


class HostedShare:
    def __init__(
        self,
        key: ShareKey,
        hosted: HostedPartition,
        persister: SharePersister,
        config: Callable[[], ShareGroupConfig],
        clock: Clock,
        on_fenced: Callable[[HostedShare], None],
    ) -> None:
        self.key = key
        self.hosted = hosted
        self.leader_epoch = hosted.leader_epoch
        self.config = config
        self.state: SharePartition | None = None
        # Parked fetches to wake when records come back.
        self.waiting: set[FetchWaiter] = set()
        self.is_closed = False
        # Whether the coordinator knows where this group started.
        self._is_start_stored = True
        self._persister = persister
        self._clock = clock
        self._on_fenced = on_fenced
        self._loop = asyncio.get_running_loop()
        self._unstored: list[tuple[Transition, asyncio.Future[None] | None]] = []
        self._storing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0

    @property
    def is_current(self) -> bool:
        """Whether this broker still leads the partition, in the epoch that the state was loaded for."""
        hosted = self.hosted
        return not self.is_closed and hosted.is_leader and hosted.leader_epoch == self.leader_epoch

    @property
    def is_idle(self) -> bool:
        has_work = self._unstored or self._storing is not None or self.waiting
        return not has_work and (self.state is None or self.state.is_idle)

    async def load(self) -> None:
        """KafkaError when the coordinator does not give it."""
        try:
            stored = await self._persister.read(self.key, self.leader_epoch)
        except KafkaError as error:
            raise KafkaError(client_error_code(error.code), error.detail) from error
        log = self.hosted.log
        self._is_start_stored = stored.start_offset >= 0
        start_offset = stored.start_offset if self._is_start_stored else self._first_offset()
        self.state = SharePartition(start_offset, stored.state_epoch, stored.state_batches)
        self.state.log_start_moved(log.log_start_offset)

    def _first_offset(self) -> int:
        """Where a group starts that has no position yet."""
        log, config = self.hosted.log, self.config()
        if config.auto_offset_reset == EARLIEST:
            return log.log_start_offset
        age_ms = config.auto_offset_reset_age_ms
        try:
            found = None if age_ms is None else log.lookup_timestamp(self._clock.now_ms() - age_ms, {})
        except LongLookupError as long:
            # Too long to open here: the group starts with the whole batch.
            return max(long.sought.header.base_offset, log.log_start_offset)
        return log.high_watermark if found is None else found[1]

    # Changes

    async def store(self, transition: Transition) -> None:
        """Until it is stored and in force; KafkaError when it could not be, and nothing has changed."""
        if not transition:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._enqueue(transition, future)
        # Whoever waits may be gone before it is stored; it is stored all the same.
        await asyncio.shield(future)

    def store_later(self, transition: Transition) -> None:
        if transition:
            self._enqueue(transition, None)

    def acquired(self) -> None:
        """Records went out. Where the group started is stored now at the latest: another leader would start it at the
        end of then, and what was given out and comes back would be skipped."""
        self.schedule()
        if not self._is_start_stored:
            self._is_start_stored = True
            self._enqueue(Transition(NO_TRANSITION), None)

    def schedule(self) -> None:
        """Be there when the next hold ends."""
        due_ms = None if self.state is None or self.is_closed else self.state.next_deadline_ms()
        if due_ms is None or (self._timer is not None and self._timer_ms <= due_ms):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due_ms
        self._timer = self._loop.call_later(max(due_ms - self._clock.monotonic_ms(), 1) / 1000, self._on_timer)

    def wake(self) -> None:
        """Records may be free: whoever waits for some shall look."""
        for parked in tuple(self.waiting):
            parked.notice()

    def close(self) -> None:
        """Another leads the partition, or nobody uses it. What is not stored is refused."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._storing is not None:
            self._storing.cancel()
        self._refuse(self._unstored, KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER))
        self._unstored = []
        for parked in self.waiting:
            # Not at once: it may be one of these who finds out, in the middle of acquiring elsewhere.
            self._loop.call_soon(parked.complete)

    # Within

    def _on_timer(self) -> None:
        self._timer = None
        state = self.state
        if self.is_closed or state is None:
            return
        expired = state.expire(self.config().limits, self._clock.monotonic_ms())
        if expired:
            self.store_later(expired)
            self.wake()
        self.schedule()

    def _enqueue(self, transition: Transition, future: asyncio.Future[None] | None) -> None:
        if self.is_closed:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        self._unstored.append((transition, future))
        if self._storing is None:
            self._storing = self._loop.create_task(self._store_all())

    async def _store_all(self) -> None:
        try:
            while self._unstored and not self.is_closed:
                portion, self._unstored = self._unstored, []
                try:
                    await self._store_portion(portion)
                except asyncio.CancelledError:
                    self._refuse(portion, KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER))
                    raise
        finally:
            self._storing = None

    async def _store_portion(self, portion: list[tuple[Transition, asyncio.Future[None] | None]]) -> None:
        state = self.state
        assert state is not None, "nothing changes before it is loaded"
        batches = combine((), (batch for transition, _ in portion for batch in transition.state_batches), 0)
        change = StoredState(
            snapshot_epoch=0,
            state_epoch=state.state_epoch,
            leader_epoch=self.leader_epoch,
            start_offset=state.start_offset,
            delivery_complete_count=state.delivery_complete_count(),
            state_batches=tuple(batches),
        )
        try:
            await self._persister.write(self.key, change)
        except KafkaError as error:
            self._failed(portion, error)
            return
        except Exception as error:
            # Those who wait must hear of it, and their records must not stay between two states for ever.
            _logger.exception("share state not stored group_id=%s", self.key.group_id)
            self._failed(portion, KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, type(error).__name__))
            return
        for transition, future in portion:
            state.commit(transition)
            if future is not None and not future.done():
                future.set_result(None)
        self.schedule()
        self.wake()

    def _failed(self, portion: list[tuple[Transition, asyncio.Future[None] | None]], error: KafkaError) -> None:
        _logger.warning(
            "share state not stored group_id=%s partition=%s-%d error=%s",
            self.key.group_id,
            self.hosted.topic,
            self.key.partition,
            error,
        )
        assert self.state is not None
        # If this was to tell where the group starts, the next record that goes out has to.
        self._is_start_stored = False
        for transition, _ in portion:
            self.state.roll_back(transition)
        self._refuse(portion, KafkaError(client_error_code(error.code), error.detail))
        if error.code in _COORDINATOR_AWAY:
            self.schedule()
        else:
            self._on_fenced(self)

    def _refuse(self, portion: list[tuple[Transition, asyncio.Future[None] | None]], error: KafkaError) -> None:
        for _, future in portion:
            if future is not None and not future.done():
                future.set_exception(error)


def client_error_code(code: ErrorCode) -> ErrorCode:
    """What a consumer is told when the share coordinator said `code`."""
    if code in _COORDINATOR_AWAY:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if code in _FENCED:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return code if code in _PASSED_ON else ErrorCode.UNKNOWN_SERVER_ERROR
