"""All who follow topics of one cluster, over one connection a broker.

    reader 1 ─┐                        ┌─ a fetch of all followed partitions that broker 1 leads
    reader 2 ─┼─ followed partitions ──┤
    reader 3 ─┘  (position, readers)   └─ ... that broker 2 leads

So a thousand readers cost a thousand small queues, not a thousand consumers. Where records come faster than they can be
looked at, the position jumps ahead, and each reader is told how many it did not see.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor
from typing import cast

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import error_of
from riacho.client.tasks import Tasks
from riacho.console.messages.brokers import Brokers
from riacho.console.messages.delivery import Delivered, Delivery, deliver
from riacho.console.messages.examine import Examiner
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.ranges import Leader, Plan, TopicPlace
from riacho.console.messages.tail import Tail
from riacho.web.errors import ApiError
from riacho.wire.batch import Buffer, iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import FetchResponse, PartitionData

_log = logging.getLogger("riacho.console")
PARTITIONS_MAX = 20_000
_FETCH_BYTES = 4 * 1024 * 1024
_PARTITION_BYTES = 1024 * 1024
_WAIT_MS = 500
# How far behind the newest record a followed partition may be, and how far from it the reading goes on then.
_BEHIND_MAX = 50_000
_AHEAD = 1_000
_BACKOFF = Backoff(200, 5_000)

Find = Callable[[str], Awaitable[TopicPlace]]


class _Followed:
    """One partition. `position` is the offset that is fetched next."""

    __slots__ = ("leader", "partition", "position", "tails", "topic", "topic_id")

    def __init__(self, topic: str, topic_id: bytes, partition: int, position: int, leader: Leader | None) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partition = partition
        self.position = position
        self.leader = leader
        self.tails: set[Tail] = set()


class Tails:
    """`find` tells where a topic is now; KafkaError, ApiError."""

    def __init__(self, brokers: Callable[[], Brokers], find: Find, threads: Executor, *, committed_only: bool) -> None:
        self._make_brokers = brokers
        self._find = find
        self._threads = threads
        self._committed_only = committed_only
        self._followed: dict[tuple[str, int], _Followed] = {}
        self._reading: dict[Leader, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._tasks: Tasks[None] = Tasks()

    def follow(self, plan: Plan, examiner: Examiner) -> Tail:
        """From now on it is told what comes; `starts` says from where. ApiError 429 when too much is followed."""
        new = [each for each in plan.ranges if (plan.place.topic, each.partition) not in self._followed]
        if len(self._followed) + len(new) > PARTITIONS_MAX:
            message = f"More than {PARTITIONS_MAX} partitions are followed at a time already; try again later."
            raise ApiError(429, 42902, message, headers={"Retry-After": "5"})
        place = plan.place
        for wanted in new:
            key = (place.topic, wanted.partition)
            leader = place.leaders.get(wanted.partition)
            self._followed[key] = _Followed(place.topic, place.topic_id, wanted.partition, wanted.end, leader)
        own = [self._followed[place.topic, wanted.partition] for wanted in plan.ranges]
        tail = Tail(place.topic, {each.partition: each.position for each in own}, examiner)
        for each in own:
            each.tails.add(tail)
        self._read_on()
        return tail

    def leave(self, tail: Tail) -> None:
        for partition in tail.starts:
            each = self._followed.get((tail.topic, partition))
            if each is not None:
                each.tails.discard(tail)
                if not each.tails:
                    del self._followed[tail.topic, partition]
        self._stop_idle()

    def _stop_idle(self) -> None:
        """What nobody follows any more is not waited for."""
        wanted = {each.leader for each in self._followed.values()}
        for leader in [leader for leader in self._reading if leader not in wanted]:
            self._reading.pop(leader).cancel()
        if self._looking is not None and None not in wanted:
            self._looking.cancel()
            self._looking = None

    # --- reading

    def _read_on(self) -> None:
        """A task for each broker that leads something followed, and one that looks for leaders that are not known."""
        for leader in {each.leader for each in self._followed.values()}:
            if leader is None:
                if self._looking is None or self._looking.done():
                    self._looking = self._tasks.start(self._look(), name="console-tails-look")
            elif leader not in self._reading:
                self._reading[leader] = self._tasks.start(self._read(leader), name=f"console-tails-{leader.node_id}")

    async def _read(self, leader: Leader) -> None:
        """Until nothing is followed there any more."""
        brokers = self._make_brokers()
        turn = 0
        try:
            while wanted := [each for each in self._followed.values() if each.leader == leader]:
                # An answer is bounded: each partition should be the first of a request at times.
                turn = (turn + 1) % len(wanted)
                try:
                    response = await brokers.fetch(leader, self._request([*wanted[turn:], *wanted[:turn]]))
                    await self._take(response, wanted)
                except KafkaError as error:
                    _log.debug("tails lost a broker node=%d reason=%s", leader.node_id, error.detail)
                    for each in wanted:
                        each.leader = None
                if any(each.leader is None for each in wanted):
                    self._read_on()
        finally:
            brokers.close()
            if self._reading.get(leader) is asyncio.current_task():
                del self._reading[leader]
        # Somebody may have come in the last moment.
        self._read_on()

    def _request(self, wanted: Iterable[_Followed]) -> FetchRequest:
        topics: dict[str, FetchTopic] = {}
        for each in wanted:
            topic = topics.get(each.topic)
            if topic is None:
                topic = topics[each.topic] = FetchTopic(topic=each.topic, topic_id=each.topic_id, partitions=[])
            topic.partitions.append(
                FetchPartition(
                    partition=each.partition, fetch_offset=each.position, partition_max_bytes=_PARTITION_BYTES
                )
            )
        return FetchRequest(
            max_wait_ms=_WAIT_MS,
            min_bytes=1,
            max_bytes=_FETCH_BYTES,
            isolation_level=int(self._committed_only),
            topics=list(topics.values()),
        )

    async def _take(self, response: FetchResponse, wanted: list[_Followed]) -> None:
        by_id = {(each.topic_id, each.partition): each for each in wanted}
        by_name = {(each.topic, each.partition): each for each in wanted}
        if error_of(response.error_code) is not ErrorCode.NONE:
            for each in wanted:
                each.leader = None
            return
        deliveries: list[Delivery] = []
        for topic in response.responses:
            for data in topic.partitions:
                index = data.partition_index
                followed = by_name.get((topic.topic, index)) if topic.topic else by_id.get((topic.topic_id, index))
                if followed is not None:
                    delivery = self._delivery(followed, data)
                    if delivery is not None:
                        deliveries.append(delivery)
        if deliveries:
            loop = asyncio.get_running_loop()
            for delivered in await loop.run_in_executor(self._threads, lambda: [deliver(each) for each in deliveries]):
                self._hand_out(delivered)

    def _delivery(self, followed: _Followed, data: PartitionData) -> Delivery | None:
        code = error_of(data.error_code)
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            self._jump(followed, max(data.log_start_offset, data.high_watermark, 0))
            return None
        if code is not ErrorCode.NONE:
            followed.leader = None
            return None
        buffer = cast(Buffer, data.records or b"")
        start = next_offset = followed.position
        try:
            for _, header in iterate_headers(buffer):
                next_offset = header.next_offset
        except KafkaError:
            next_offset = start
        if next_offset <= start:
            if len(buffer):
                self._jump(followed, data.high_watermark)
            return None
        # Who joins from here on begins behind these.
        followed.position = next_offset
        if data.high_watermark - next_offset > _BEHIND_MAX:
            self._jump(followed, data.high_watermark - _AHEAD)
        aborted = data.aborted_transactions if self._committed_only else None
        return Delivery(followed.partition, Fetched(start, next_offset, buffer, aborted), tuple(followed.tails))

    def _jump(self, followed: _Followed, position: int) -> None:
        skipped = position - followed.position
        followed.position = position
        if skipped > 0:
            for tail in followed.tails:
                tail.skip(skipped)

    def _hand_out(self, delivered: list[Delivered]) -> None:
        for tail, partition, next_offset, events, skipped, scanned, size_bytes, problem in delivered:
            tail.positions[partition] = next_offset
            tail.scanned += scanned
            tail.size_bytes += size_bytes
            if problem is not None:
                tail.tell(problem)
            tail.offer(events, skipped)

    # --- looking for leaders

    async def _look(self) -> None:
        """Until every followed partition has a leader again, or nobody follows it any more."""
        failures = 0
        while lost := {each.topic for each in self._followed.values() if each.leader is None}:
            failures += 1
            await asyncio.sleep(_BACKOFF.pause_ms(failures) / 1000)
            for topic in lost:
                await self._look_for(topic)
            self._read_on()

    async def _look_for(self, topic: str) -> None:
        try:
            place = await self._find(topic)
        except KafkaError as error:
            self._tell(topic, error.detail, is_gone=error.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            return
        except ApiError as error:
            self._tell(topic, error.message, is_gone=error.status == 404)
            return
        for each in list(self._followed.values()):
            if each.topic == topic and each.leader is None:
                if each.topic_id != place.topic_id:
                    # Another topic of the same name.
                    each.topic_id, each.position = place.topic_id, 0
                each.leader = place.leaders.get(each.partition)

    def _tell(self, topic: str, problem: str, *, is_gone: bool) -> None:
        tails = {tail for each in self._followed.values() if each.topic == topic for tail in each.tails}
        for tail in tails:
            if is_gone:
                tail.end(problem)
                self.leave(tail)
            else:
                tail.tell(problem)
