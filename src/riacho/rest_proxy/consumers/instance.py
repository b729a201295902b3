"""One consumer instance as the API sees it: what it reads, where it stands, and the records that were handed out.

Three ways to choose what is read exclude each other, as in Kafka's consumer: topics, a pattern, partitions. A pattern
is resolved here, by RE2 (docs/adr/0009): librdkafka's engine is the C library's, which a hostile pattern can stop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from riacho.base.errors import KafkaError as BaseKafkaError
from riacho.base.pattern import compile_pattern
from riacho.metadata.image.topic_names import INTERNAL_TOPICS
from riacho.rest_proxy.consumers.buffer import Batch, Partition, RecordBuffer, Run
from riacho.rest_proxy.consumers.errors import (
    MUTUALLY_EXCLUSIVE,
    illegal_state,
    instance_not_found,
    invalid_config,
    partition_not_found,
    too_many,
)
from riacho.rest_proxy.consumers.instance_config import InstanceConfig
from riacho.rest_proxy.consumers.poller import CALLS_MAX, Poller, PollerBusy, PollerStopped
from riacho.rest_proxy.kafka_errors import api_error, error_of
from riacho.web.errors import ApiError

T = TypeVar("T")
_BUFFER_BYTES_MAX = 8 * 1024 * 1024
_BUFFER_RECORDS_MAX = 20_000
_PATTERN_MEMORY_BYTES_MAX = 1 << 20
# A seek is refused by librdkafka until it has begun to read the partition.
_SEEK_AGAIN = frozenset({KafkaError._STATE, KafkaError._PREV_IN_PROGRESS, KafkaError._IN_PROGRESS})
_SEEK_AGAIN_S = 0.02
# A group that is new waits for further members before it starts, three seconds by Kafka's defaults.
_JOIN_S = 10.0


class ConsumerInstance:
    """Everything but the poller's callbacks runs on the event loop."""

    def __init__(self, config: InstanceConfig, *, call_timeout_s: float = 30.0) -> None:
        self.config = config
        # When it was last used, of the registry's clock.
        self.used_ms = 0
        self.calls_in_flight = 0
        # Held from taking records until it is known which of them were handed out.
        self.reading = asyncio.Lock()
        self._call_timeout_s = call_timeout_s
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._waiting = 0
        self._topics: frozenset[str] | None = None
        self._pattern: Any = None
        self._is_assigned_by_hand = False
        self._subscribed_at = 0.0
        self._poller = Poller(
            f"rest-consumer-{config.name}",
            RecordBuffer(_BUFFER_BYTES_MAX, _BUFFER_RECORDS_MAX),
            auto_commit=config.auto_commit,
            on_change=self._notify_change,
        )

    def open(self) -> None:
        """ApiError 42204 when the consumer cannot be made of these settings."""
        settings = {**self.config.kafka, "error_cb": self._poller.note_error}
        try:
            consumer = Consumer(settings)
        except (KafkaException, ValueError, TypeError) as error:
            raise invalid_config(error_of(error).str() if isinstance(error, KafkaException) else str(error)) from None
        self._poller.start(consumer)

    async def close(self, timeout_s: float = 10.0) -> None:
        """Leaves the group; returns when that is done, or goes on in the background when it takes long."""
        self._poller.stop()
        await asyncio.wait((asyncio.wrap_future(self._poller.closed),), timeout=timeout_s)

    # What is read

    @property
    def subscription(self) -> list[str]:
        return sorted(self._topics or ())

    @property
    def is_by_pattern(self) -> bool:
        return self._pattern is not None

    @property
    def assignment(self) -> list[Partition]:
        return sorted(self._poller.assignment)

    async def subscribe(self, topics: Iterable[str]) -> None:
        if self._pattern is not None or self._is_assigned_by_hand:
            raise illegal_state(MUTUALLY_EXCLUSIVE)
        wanted = frozenset(topics)
        await (self._subscribe(wanted) if wanted else self.unsubscribe())

    async def subscribe_pattern(self, pattern: str, known_topics: Iterable[str]) -> None:
        """`refresh_pattern` is to be called from time to time: topics come and go."""
        if self._is_assigned_by_hand or (self._topics is not None and self._pattern is None):
            raise illegal_state(MUTUALLY_EXCLUSIVE)
        try:
            self._pattern = compile_pattern(pattern, _PATTERN_MEMORY_BYTES_MAX, "topic_pattern")
        except BaseKafkaError as error:
            raise ApiError(422, 422, str(error)) from None
        self._topics = None
        await self.refresh_pattern(known_topics)

    async def refresh_pattern(self, known_topics: Iterable[str]) -> None:
        pattern = self._pattern
        matched = frozenset(t for t in known_topics if t not in INTERNAL_TOPICS and pattern.fullmatch(t))
        if matched != self._topics:
            await self._subscribe(matched)

    async def _subscribe(self, topics: frozenset[str]) -> None:
        poller = self._poller

        def act(consumer: Consumer) -> None:
            poller.has_joined = False
            if topics:
                consumer.subscribe(
                    sorted(topics), on_assign=poller.on_assign, on_revoke=poller.on_revoke, on_lost=poller.on_revoke
                )
            else:
                consumer.unsubscribe()

        await self._call(act)
        self._topics = topics
        self._subscribed_at = self._loop.time()

    async def unsubscribe(self) -> None:
        poller = self._poller

        def act(consumer: Consumer) -> None:
            consumer.unsubscribe()
            consumer.unassign()
            poller.take_assignment((), forget=True)

        await self._call(act)
        self._topics = None
        self._pattern = None
        self._is_assigned_by_hand = False

    async def assign(self, partitions: Iterable[Partition]) -> None:
        if self._topics is not None:
            raise illegal_state(MUTUALLY_EXCLUSIVE)
        wanted = frozenset(partitions)
        poller = self._poller

        def act(consumer: Consumer) -> None:
            positions = poller.positions
            # From where the reader stands; else from what is committed.
            consumer.assign([TopicPartition(*p, positions.get(p, OFFSET_INVALID)) for p in wanted])
            poller.take_assignment(wanted)

        await self._call(act)
        self._is_assigned_by_hand = bool(wanted)

    # Where it stands

    async def seek(self, targets: dict[Partition, int]) -> None:
        """40903 for a partition that is not assigned; one that may yet come, after a subscription, is waited for.

        The offsets are numbers, and librdkafka must have begun to read: while it asks where a beginning or an end is,
        the late answer would take it there and away from where a seek has put it.
        """
        await self.check_assigned(targets)
        await self._wait(lambda: self._poller.started >= targets.keys(), min(self._call_timeout_s, _JOIN_S))
        for partition, offset in targets.items():
            await self._seek(partition, offset)

    async def check_assigned(self, partitions: Iterable[Partition]) -> None:
        wanted = set(partitions)
        poller = self._poller
        if self._topics:
            left_s = self._subscribed_at + _JOIN_S - self._loop.time()
            await self._wait(lambda: poller.has_joined or wanted <= poller.assignment, left_s)
        missing = wanted - poller.assignment
        if missing:
            topic, number = min(missing)
            raise illegal_state(f"No current assignment for partition {topic}-{number}")

    async def _seek(self, partition: Partition, offset: int) -> None:
        poller = self._poller

        def act(consumer: Consumer) -> None:
            consumer.seek(TopicPartition(*partition, offset))
            poller.moved(partition, offset)

        deadline = self._loop.time() + self._call_timeout_s
        while True:
            try:
                return await self._call(act, KafkaException)
            except KafkaException as error:
                if error_of(error).code() not in _SEEK_AGAIN or self._loop.time() > deadline:
                    raise api_error(error) from None
            await asyncio.sleep(_SEEK_AGAIN_S)

    async def commit(self, offsets: Sequence[tuple[str, int, int, str | None]] | None) -> None:
        """Next offsets to read, with metadata; None commits where the reader stands."""
        poller = self._poller

        def act(consumer: Consumer) -> None:
            if offsets is None:
                chosen = [TopicPartition(*partition, offset) for partition, offset in poller.positions.items()]
            else:
                chosen = [TopicPartition(topic, p, offset, metadata or "") for topic, p, offset, metadata in offsets]
            if chosen:
                done = consumer.commit(offsets=chosen, asynchronous=False)
                failed = next((each.error for each in done or () if each.error is not None), None)
                if failed is not None:
                    raise KafkaException(failed)

        try:
            await self._call(act, KafkaException)
        except KafkaException as error:
            if error_of(error).code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION):
                raise partition_not_found() from None
            raise api_error(error) from None

    # Records

    async def wait_for_records(self, *, timeout_s: float, bytes_max: int, joins_first: bool = False) -> None:
        """Until there are any; `fetch.min.bytes` may want more. With `joins_first` the time to wait begins when the
        instance has joined its group: the first call after a subscription finds records."""
        poller = self._poller
        buffer = poller.buffer
        if joins_first and self._topics and not poller.has_joined:
            left_s = self._subscribed_at + _JOIN_S - self._loop.time()
            await self._wait(lambda: poller.has_joined, left_s)
        enough = min(max(self.config.fetch_min_bytes, 1), bytes_max)
        if enough == 1:
            await self._wait(lambda: len(buffer) > 0, timeout_s)
        else:
            await self._wait(lambda: buffer.size_bytes >= enough or buffer.is_full, timeout_s)

    def take(self, bytes_max: int) -> Batch:
        """What is there. Within `reading`, and followed by `hand_out`: two calls at a time must not mix their order."""
        batch = self._poller.take(bytes_max)
        if not batch.records:
            error = self._poller.pop_error()
            if error is not None:
                raise api_error(error)
        return batch

    def hand_out(self, batch: Batch, runs: Sequence[Run]) -> None:
        """The records in `runs`, at the batch's front, reach the client; the others wait for its next call."""
        positions = {run.partition: batch.records[run.end - 1].offset() + 1 for run in runs}
        count = runs[-1].end if runs else 0
        self._poller.handed_out(batch, positions)
        if count < len(batch.records):
            self._poller.put_back(batch, count)

    # Inside

    def _notify_change(self) -> None:
        if self._waiting:
            self._loop.call_soon_threadsafe(self._changed.set)

    async def _wait(self, is_so: Callable[[], bool], timeout_s: float) -> None:
        """Until it is so, the time is over, or there is an error to tell."""
        deadline = self._loop.time() + timeout_s
        self._waiting += 1
        try:
            while True:
                self._changed.clear()
                if is_so() or self._poller.has_error:
                    return
                if self._poller.closed.done():
                    raise instance_not_found()
                left_s = deadline - self._loop.time()
                if left_s <= 0:
                    return
                try:
                    async with asyncio.timeout(left_s):
                        await self._changed.wait()
                except TimeoutError:
                    return
        finally:
            self._waiting -= 1

    async def _call(self, act: Callable[[Consumer], T], passing: type[Exception] | None = None) -> T:
        try:
            future = asyncio.wrap_future(self._poller.call(act))
            async with asyncio.timeout(self._call_timeout_s):
                return await future
        except PollerStopped:
            raise instance_not_found() from None
        except PollerBusy:
            raise too_many("calls waiting on this instance", CALLS_MAX) from None
        except TimeoutError:
            raise ApiError(503, 50302, "Kafka did not answer the consumer in time.") from None
        except KafkaException as error:
            if passing is not None and isinstance(error, passing):
                raise
            raise api_error(error) from None


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
