"""Copying from one leader: a task that fetches, applies, and fetches again.

One request is out at a time. Its answer is written (`fetch_answers.py`) before the next one leaves, and only what is
written is asked to be left out of the next answer, since a leader counts everything below a fetch offset as replicated.

A partition that joins while a request waits at the leader would wait with it, for up to `replica.fetch.wait.max.ms`;
the request is given up instead, and the next one names it too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.replication.fetch_answers import FetchAnswers
from riacho.broker.replication.follower_session import Followed, FollowerSession
from riacho.wire.messages.fetch_request import FetchRequest, ReplicaState
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    from collections.abc import Callable

    from riacho.broker.replication.fetcher_settings import FetcherSettings, FetcherWorld, LeaderPeer
    from riacho.wire.schema import Message

_LATEST = -1
_EARLIEST = -2
_BACKOFF_MS_MIN = 20
# A request that waits is given up for a newcomer at most this often: a topic of many partitions arrives in turns.
_INTERRUPT_INTERVAL_MS = 100
_THROTTLE_CHECK_MS = 100
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


class ReplicaFetcher:
    def __init__(self, leader_id: int, world: FetcherWorld, settings: FetcherSettings) -> None:
        self.leader_id = leader_id
        self.settings = settings
        self.session = FollowerSession(settings.partition_size_bytes_max)
        self.fetch_count = 0
        self._answers = FetchAnswers(leader_id, self.session, world, settings)
        self._world = world
        self._peer: LeaderPeer | None = None
        self._task: asyncio.Task[None] | None = None
        self._wakened = asyncio.Event()
        self._is_asking = False
        self._is_interrupted = False
        self._interrupted_ms = -_INTERRUPT_INTERVAL_MS
        self._failures = 0

    @property
    def fetched_size_bytes(self) -> int:
        return self._answers.fetched_size_bytes

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
                    self._answers.apply(response)
                elif response.error_code not in _SESSION_ERRORS:
                    raise KafkaError(ErrorCode(response.error_code), "the request as a whole is refused")
                if self._answers.must_ask:
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
        self._answers.must_ask.clear()
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

    # --- where the leader's log starts and ends

    async def _ask_offsets(self) -> None:
        asked, self._answers.must_ask = self._answers.must_ask, []
        epochs = {each.key: each.state.leader_epoch for each in asked}
        starts = await self._offsets_at(asked, _EARLIEST)
        ends = await self._offsets_at(asked, _LATEST)
        now_ms = self._world.clock.monotonic_ms()
        for followed in asked:
            is_followed = self.session.partitions.get(followed.key) is followed
            if not is_followed or followed.state.leader_epoch != epochs[followed.key]:
                continue
            key = (followed.hosted.topic, followed.hosted.index)
            offsets = (starts[key], ends[key]) if key in starts and key in ends else None
            self._answers.offsets_received(followed, offsets, now_ms)
        self._answers.sum_up()

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
