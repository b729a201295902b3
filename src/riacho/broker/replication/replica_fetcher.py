"""Copying from one leader: a task that fetches, applies, and fetches again.

One request is out at a time. Its answer is taken partition by partition: records are validated and written with the
offsets and epochs that the leader gave them, and only what is written is asked to be left out of the next answer, since
a leader counts everything below a fetch offset as replicated. That is also why the next fetch does not leave before the
writes of the last answer are done.

An answer counts only for the leader epoch that it was asked in: whatever was moved, dropped or led anew while a request
was out is passed over (`Followed.sent_epoch`). A partition that joins while a request waits at the leader would wait
with it, for up to `replica.fetch.wait.max.ms`; the request is given up instead, and the next one names it too.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, assert_never

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.replication.follower_session import Followed, FollowerSession
from riacho.partition.follower import APPEND, Append, AskOffsets, BackOff, Effect, Fenced, StartOver, Truncate
from riacho.wire.messages.fetch_request import FetchRequest, ReplicaState
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

    from riacho.base.ports import Clock
    from riacho.broker.quotas.replication_quota import ReplicationQuota
    from riacho.metadata.settings.broker_values import BrokerValues
    from riacho.wire.messages.fetch_response import FetchResponse, PartitionData
    from riacho.wire.schema import Message

_LATEST = -1
_EARLIEST = -2
_BACKOFF_MS_MIN = 20
# A request that waits is given up for a newcomer at most this often: a topic of many partitions arrives in turns.
_INTERRUPT_INTERVAL_MS = 100
_THROTTLE_CHECK_MS = 100
_LOGGED_ONE_BY_ONE_MAX = 20
# The next request opens a session anew, and that is all there is to it.
_SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)
# An answer later than this comes from a connection that died without a word; `replica.socket.timeout.ms` would have its
# replicas out of sync before anybody noticed.
_ANSWER_MS_MAX = 5_000


class LeaderPeer(Protocol):
    """`client.peer.Peer`, as far as it is used here."""

    async def send(self, request: Message, *, version: int | None = None, timeout_ms: int | None = None) -> Any: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherSettings:
    wait_ms_max: int = 500  # replica.fetch.wait.max.ms
    size_bytes_min: int = 1  # replica.fetch.min.bytes
    size_bytes_max: int = 10_485_760  # replica.fetch.response.max.bytes
    partition_size_bytes_max: int = 1_048_576  # replica.fetch.max.bytes
    backoff_ms_max: int = 1_000  # replica.fetch.backoff.ms
    timeout_ms: int = 30_000  # replica.socket.timeout.ms

    @classmethod
    def of(cls, values: BrokerValues) -> FetcherSettings:
        return cls(
            wait_ms_max=values.integer("replica.fetch.wait.max.ms"),
            size_bytes_min=values.integer("replica.fetch.min.bytes"),
            size_bytes_max=values.integer("replica.fetch.response.max.bytes"),
            partition_size_bytes_max=values.integer("replica.fetch.max.bytes"),
            backoff_ms_max=values.integer("replica.fetch.backoff.ms"),
            timeout_ms=values.integer("replica.socket.timeout.ms"),
        )


@dataclass(frozen=True, slots=True)
class FetcherWorld:
    """What a fetcher needs of its broker."""

    node_id: int
    clock: Clock
    log: logging.Logger
    # The epoch of this broker's registration, which the leader holds against the metadata (KIP-903).
    broker_epoch: Callable[[], int]
    # A peer for a leader, or KafkaError when the metadata do not say where it is.
    connect: Callable[[int], LeaderPeer]
    quota: ReplicationQuota
    # The leader answered.
    on_contact: Callable[[int], None] = lambda _: None


class ReplicaFetcher:
    def __init__(self, leader_id: int, world: FetcherWorld, settings: FetcherSettings) -> None:
        self.leader_id = leader_id
        self.settings = settings
        self.session = FollowerSession(settings.partition_size_bytes_max)
        self.fetched_size_bytes = 0
        self.fetch_count = 0
        self._world = world
        self._peer: LeaderPeer | None = None
        self._task: asyncio.Task[None] | None = None
        self._wakened = asyncio.Event()
        self._is_asking = False
        self._is_interrupted = False
        self._interrupted_ms = -_INTERRUPT_INTERVAL_MS
        self._failures = 0
        self._must_ask: list[Followed] = []
        # Refusals of one answer so far: a leader that goes refuses thousands.
        self._refusals = 0

    # --- what it follows

    def add(self, followed: Followed) -> None:
        self.session.add(followed)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())
        self._wakened.set()
        if self._is_asking and not followed.in_session:
            self._interrupt()

    def remove(self, followed: Followed) -> None:
        self.session.remove(followed.key)

    @property
    def is_idle(self) -> bool:
        return not self.session.partitions

    def reconnect(self) -> None:
        """The leader's endpoint or registration changed: what is out goes nowhere, and there is no need to wait."""
        self._failures = 0
        self._wakened.set()
        if self._peer is not None:
            self._is_interrupted = self._is_asking
            self._close_peer()

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self._close_peer()

    def _interrupt(self) -> None:
        now_ms = self._world.clock.monotonic_ms()
        if now_ms - self._interrupted_ms >= _INTERRUPT_INTERVAL_MS:
            self._interrupted_ms = now_ms
            self._is_interrupted = True
            self._close_peer()

    def _close_peer(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            peer.close()

    # --- the loop

    async def _run(self) -> None:
        while True:
            try:
                request = self._request()
                if request is None:
                    await self._pause(None)
                    continue
                response = await self._send(request, request.max_wait_ms)
                if self.session.answered(response):
                    self._failures = 0
                    self._world.on_contact(self.leader_id)
                    self._apply(response)
                elif response.error_code not in _SESSION_ERRORS:
                    raise KafkaError(ErrorCode(response.error_code), "the request as a whole is refused")
                if self._must_ask:
                    await self._ask_offsets()
            except KafkaError as error:
                await self._failed(error)
            except Exception:
                self._world.log.exception("replica fetcher failed leader=%d", self.leader_id)
                await self._failed(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "see the trace above"))

    def _request(self) -> FetchRequest | None:
        world, session, settings = self._world, self.session, self.settings
        now_ms = world.clock.monotonic_ms()
        self._wakened.clear()
        composed = session.compose(now_ms, self._throttle(now_ms), _THROTTLE_CHECK_MS)
        if composed is None:
            return None
        wait_ms = settings.wait_ms_max
        retry_ms = session.next_retry_ms()
        if retry_ms is not None:
            # A partition that comes back then should not have to wait for this request.
            wait_ms = max(0, min(wait_ms, retry_ms - now_ms))
        topics, forgotten = composed
        return FetchRequest(
            replica_state=ReplicaState(replica_id=world.node_id, replica_epoch=world.broker_epoch()),
            max_wait_ms=wait_ms,
            min_bytes=settings.size_bytes_min,
            max_bytes=settings.size_bytes_max,
            session_id=session.session_id,
            session_epoch=session.epoch,
            topics=topics,
            forgotten_topics_data=forgotten,
        )

    def _throttle(self, now_ms: int) -> Callable[[Followed], bool] | None:
        quota = self._world.quota
        if not quota.is_exceeded(now_ms):
            return None
        return lambda each: not each.state.is_caught_up and quota.is_throttled(each.hosted.topic, each.hosted.index)

    async def _send(self, request: Message, wait_ms: int = 0) -> Any:
        if self._peer is None:
            self._peer = self._world.connect(self.leader_id)
        self._is_asking, self._is_interrupted = True, False
        self.fetch_count += 1
        try:
            timeout_ms = min(self.settings.timeout_ms, _ANSWER_MS_MAX) + wait_ms
            return await self._peer.send(request, timeout_ms=timeout_ms)
        finally:
            self._is_asking = False

    async def _failed(self, error: KafkaError) -> None:
        self.session.reset()
        self._must_ask.clear()
        self._close_peer()
        if self._is_interrupted:
            self._is_interrupted = False
            return
        if not self._failures:
            self._world.log.warning("fetch from leader failed leader=%d reason=%s", self.leader_id, error)
        self._failures += 1
        await self._pause(Backoff(_BACKOFF_MS_MIN, self.settings.backoff_ms_max).pause_ms(self._failures))

    async def _pause(self, pause_ms: int | None) -> None:
        """Until something changes, a held partition comes back, or the time is up."""
        retry_ms = self.session.next_retry_ms()
        if retry_ms is not None and pause_ms is None:
            pause_ms = max(0, retry_ms - self._world.clock.monotonic_ms())
        try:
            async with asyncio.timeout(None if pause_ms is None else pause_ms / 1000):
                await self._wakened.wait()
        except TimeoutError:
            return

    # --- answers

    def _apply(self, response: FetchResponse) -> None:
        session = self.session
        now_ms = self._world.clock.monotonic_ms()
        for topic in response.responses:
            for answer in topic.partitions:
                followed = session.find(topic.topic_id, answer.partition_index)
                if followed is None or followed.sent_epoch != followed.state.leader_epoch:
                    continue
                try:
                    self._take(followed, answer, now_ms)
                except (KafkaError, OSError) as error:
                    self._refuse(followed, error, now_ms)
        self._sum_up()

    def _take(self, followed: Followed, answer: PartitionData, now_ms: int) -> None:
        effect = followed.state.answered(answer, followed.hosted.log, now_ms, self.settings.backoff_ms_max)
        if effect is APPEND:
            self._append(followed, answer, now_ms)
        else:
            self._perform(followed, effect, now_ms)

    def _append(self, followed: Followed, answer: PartitionData, now_ms: int) -> None:
        hosted, state = followed.hosted, followed.state
        log = hosted.log
        records: Any = answer.records or b""
        log_start_offset = log.log_start_offset
        hosted.append_fetched(records, answer.high_watermark, answer.log_start_offset, self._world.clock.now_ms())
        state.appended(log, answer.high_watermark)
        size_bytes = len(records)
        if size_bytes:
            self.fetched_size_bytes += size_bytes
            self.session.touch(followed)
            if self._world.quota.is_throttled(hosted.topic, hosted.index):
                self._world.quota.record(size_bytes, now_ms)
        elif log.log_start_offset != log_start_offset:
            self.session.touch(followed)

    def _perform(self, followed: Followed, effect: Effect, now_ms: int) -> None:
        hosted, session, log = followed.hosted, self.session, self._world.log
        name = (hosted.topic, hosted.index)
        match effect:
            case Append():
                return
            case Truncate(offset, is_below_high_watermark):
                say = log.warning if is_below_high_watermark else log.info
                say(
                    "follower truncates partition=%s-%d to_offset=%d log_end_offset=%d high_watermark=%d leader=%d",
                    *name, offset, hosted.log.log_end_offset, hosted.log.high_watermark, self.leader_id,
                )  # fmt: skip
                hosted.log.truncate_to(offset, self._world.clock.now_ms())
                self._restart(followed)
            case StartOver(offset):
                log.warning(
                    "follower starts over partition=%s-%d at_offset=%d log_end_offset=%d leader=%d",
                    *name, offset, hosted.log.log_end_offset, self.leader_id,
                )  # fmt: skip
                hosted.log.truncate_fully_and_start_at(offset, self._world.clock.now_ms())
                self._restart(followed)
            case AskOffsets():
                self._must_ask.append(followed)
            case Fenced():
                self._log_refusal(
                    "leader epoch is fenced partition=%s-%d leader_epoch=%d", *name, followed.state.leader_epoch
                )
                session.hold(followed, followed.state.retry_at_ms)
            case BackOff(code, is_first):
                if is_first:
                    self._log_refusal(
                        "leader refuses partition=%s-%d leader=%d error=%s", *name, self.leader_id, code.name
                    )
                session.hold(followed, followed.state.retry_at_ms)
            case _:
                assert_never(effect)

    def _log_refusal(self, what: str, *fields: object) -> None:
        """One by one while they are few; the rest in sum."""
        self._refusals += 1
        if self._refusals <= _LOGGED_ONE_BY_ONE_MAX:
            self._world.log.info(what, *fields)

    def _sum_up(self) -> None:
        if self._refusals > _LOGGED_ONE_BY_ONE_MAX:
            self._world.log.info("leader refuses leader=%d partitions=%d", self.leader_id, self._refusals)
        self._refusals = 0

    def _restart(self, followed: Followed) -> None:
        followed.state.refresh(followed.hosted.log)
        self.session.touch(followed)

    def _refuse(self, followed: Followed, error: Exception, now_ms: int) -> None:
        """What came cannot be taken, or not be written: again later, from where the log now ends."""
        code = error.code if isinstance(error, KafkaError) else ErrorCode.KAFKA_STORAGE_ERROR
        waits = followed.state.failed(code, now_ms, self.settings.backoff_ms_max)
        if waits.is_first:
            self._world.log.error(
                "fetched records are not taken partition=%s-%d leader=%d reason=%s",
                followed.hosted.topic, followed.hosted.index, self.leader_id, error,
            )  # fmt: skip
        followed.state.refresh(followed.hosted.log)
        self.session.hold(followed, followed.state.retry_at_ms)

    # --- where the leader's log starts and ends

    async def _ask_offsets(self) -> None:
        asked, self._must_ask = self._must_ask, []
        epochs = {each.key: each.state.leader_epoch for each in asked}
        starts = await self._offsets_at(asked, _EARLIEST)
        ends = await self._offsets_at(asked, _LATEST)
        now_ms = self._world.clock.monotonic_ms()
        for followed in asked:
            state = followed.state
            if self.session.partitions.get(followed.key) is not followed or state.leader_epoch != epochs[followed.key]:
                continue
            key = (followed.hosted.topic, followed.hosted.index)
            try:
                if key in starts and key in ends:
                    offsets = (starts[key], ends[key])
                    effect = state.leader_offsets_received(
                        *offsets, followed.hosted.log, now_ms, self.settings.backoff_ms_max
                    )
                else:
                    effect = state.failed(ErrorCode.OFFSET_OUT_OF_RANGE, now_ms, self.settings.backoff_ms_max)
                self._perform(followed, effect, now_ms)
            except (KafkaError, OSError) as error:
                self._refuse(followed, error, now_ms)
        self._sum_up()

    async def _offsets_at(self, asked: list[Followed], timestamp: int) -> dict[tuple[str, int], int]:
        topics: dict[str, ListOffsetsTopic] = {}
        for followed in asked:
            name = followed.hosted.topic
            topic = topics.setdefault(name, ListOffsetsTopic(name=name))
            topic.partitions.append(
                ListOffsetsPartition(
                    partition_index=followed.hosted.index,
                    current_leader_epoch=followed.state.leader_epoch,
                    timestamp=timestamp,
                )
            )
        response = await self._send(ListOffsetsRequest(replica_id=self._world.node_id, topics=list(topics.values())))
        return {
            (topic.name, each.partition_index): each.offset
            for topic in response.topics
            for each in topic.partitions
            if each.error_code == ErrorCode.NONE and each.offset >= 0
        }
