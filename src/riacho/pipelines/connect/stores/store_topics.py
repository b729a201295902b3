"""Two compacted topics that the leader writes and every worker keeps in memory: `connect-status`, `connect-offsets`.

Unlike the config topic they need no decisions, so they are written without transactions: the last word counts. One
consumer reads both, one producer writes both; what the leader writes is in its memory at once.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    ConfigResource,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from riacho.client.librdkafka.fatal_errors import flush, is_fatal
from riacho.single_writer.cluster_size import copies, described_cluster
from riacho.single_writer.single_thread import SingleThread
from riacho.web.kafka_client import make_client

_log = logging.getLogger("riacho.connect")
_POLL_S = 0.5
_READ_MAX = 500
_ASK_S = 10.0
_AGAIN_S = 0.05
# What may wait to be taken into memory: the reader stops until the event loop has caught up.
_BATCHES_MAX = 8
_NO_ANSWER = (KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN)
_NOT_ALLOWED = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED)

Apply = Callable[[bytes, bytes | None], None]


class StoreError(Exception):
    """One sentence."""


class StoreRefused(StoreError):
    """What was asked for cannot be: the caller gets this as an answer."""


class StoreTopic(NamedTuple):
    name: str
    partitions: int
    replication_factor: int
    apply: Apply


class StoreTopics:
    def __init__(
        self,
        topics: Sequence[StoreTopic],
        client: Mapping[str, Any],
        group_id: str,
        producer_client: Mapping[str, Any] | None = None,
    ) -> None:
        admin = {"log_level": 2, "error_cb": lambda error: None, "client.id": group_id}
        quiet = {**admin, "allow.auto.create.topics": False}
        self._topics = {topic.name: topic for topic in topics}
        self._admin_settings = admin | dict(client)
        self._reader_settings = quiet | dict(client) | {
            "group.id": group_id,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 500,
            "queued.max.messages.kbytes": 4_096,
        }  # fmt: skip
        self._writer_settings = quiet | dict(producer_client or client) | {
            # The partition that Kafka's own workers would choose.
            "partitioner": "murmur2_random",
            "acks": "all",
            "linger.ms": 5,
            "message.timeout.ms": 30_000,
            "queue.buffering.max.kbytes": 16_384,
        }  # fmt: skip
        self._writer: Producer | None = None
        self._thread = SingleThread("connect-store")
        self._reader: threading.Thread | None = None
        self._is_stopped = threading.Event()
        self._room = threading.Semaphore(_BATCHES_MAX)
        self._positions: dict[tuple[str, int], int] = {}
        self._at_end: set[tuple[str, int]] = set()
        self._moved: asyncio.Event
        self._loop: asyncio.AbstractEventLoop
        self._trouble: str | None = None
        self._is_ours = False
        self._reread = threading.Event()

    async def start(self, timeout_s: float) -> None:
        """When it returns, what was in the topics is in memory. StoreError."""
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        partitions = await self._thread.run(self._ensure, timeout_s)
        self._reader = threading.Thread(target=self._read, args=(partitions,), name="connect-store-reader", daemon=True)
        self._reader.start()
        await self._until(lambda: len(self._at_end) == len(partitions), timeout_s)

    async def stop(self) -> None:
        self._is_stopped.set()
        self._room.release()
        if self._reader is not None:
            await asyncio.to_thread(self._reader.join, 5.0)
        writer = self._writer
        if writer is not None:
            with suppress(KafkaException):
                await asyncio.to_thread(flush, writer, 2.0)
        self._thread.close()

    async def put(self, topic: str, changes: Sequence[tuple[bytes, bytes | None]]) -> None:
        """In memory at once, and written when it returns; StoreError when that may not be so. For the owner."""
        for key, value in changes:
            self._topics[topic].apply(key, value)
        if changes:
            await self._thread.run(self._write, topic, changes)

    def own(self, is_ours: bool) -> None:
        """Whether this worker writes. What the owner reads is its own writing, of a moment ago: it does not count. Who
        stops to write reads everything anew, as others may have written meanwhile."""
        self._is_ours = is_ours
        if not is_ours:
            self._reread.set()

    async def catch_up(self, timeout_s: float = 30.0) -> None:
        """Until everything is in memory that was in the topics when this was called."""
        ends = await self._thread.run(self._ends)
        await self._until(lambda: all(self._positions.get(key, 0) >= end for key, end in ends.items()), timeout_s)

    async def _until(self, holds: Callable[[], bool], timeout_s: float) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                while not holds():
                    if self._trouble is not None:
                        raise StoreError(self._trouble)
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            raise StoreError(f"The topics {', '.join(self._topics)} could not be read in time.") from None

    # In the lane's thread

    def _ensure(self, timeout_s: float) -> list[tuple[str, int]]:
        try:
            admin = make_client(AdminClient, self._admin_settings)
            wanted = max(topic.replication_factor for topic in self._topics.values())
            known = described_cluster(admin, self._admin_settings, wanted, timeout_s, self._topics)
            missing = [topic for topic in self._topics.values() if topic.name not in known.topics]
            for topic in missing:
                self._create(admin, topic, copies(known, topic.replication_factor, topic.name), timeout_s)
            deadline_s = time.monotonic() + timeout_s
            while any(name not in known.topics for name in self._topics):
                # Not every broker knows at once of a topic that was just created.
                if time.monotonic() > deadline_s:
                    raise StoreError(f"The topics {', '.join(self._topics)} were created, but do not appear.")
                time.sleep(_AGAIN_S)
                known = admin.list_topics(timeout=timeout_s)
            self._check(admin, timeout_s)
            return [(name, partition) for name in self._topics for partition in known.topics[name].partitions]
        except KafkaException as error:
            if error.args[0].code() in _NO_ANSWER:
                where = self._admin_settings.get("bootstrap.servers")
                raise StoreError(f"No Kafka broker answered in time at {where}.") from None
            raise StoreError(f"The topics cannot be used: {error.args[0].str().rstrip('.')}.") from None
        except TimeoutError:
            raise StoreError("The topics could not be created or described in time.") from None

    def _create(self, admin: AdminClient, topic: StoreTopic, replicas: int, timeout_s: float) -> None:
        wanted = NewTopic(
            topic.name,
            num_partitions=topic.partitions,
            replication_factor=replicas,
            config={"cleanup.policy": "compact"},
        )
        try:
            admin.create_topics([wanted], operation_timeout=timeout_s, request_timeout=timeout_s)[topic.name].result(
                timeout_s
            )
            _log.info("topic created topic=%s partitions=%d replicas=%d", topic.name, topic.partitions, replicas)
        except KafkaException as error:
            # Workers that start together all find it missing.
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise

    def _check(self, admin: AdminClient, timeout_s: float) -> None:
        """Where records go when they are old, states and offsets would be lost in silence."""
        asked = [ConfigResource(ResourceType.TOPIC, name) for name in self._topics]
        for resource, future in admin.describe_configs(asked, request_timeout=timeout_s).items():
            try:
                policy = future.result(timeout_s)["cleanup.policy"].value
            except KafkaException as error:
                if error.args[0].code() not in _NOT_ALLOWED:
                    raise
                _log.warning("topic could not be checked topic=%s reason=not authorized to describe it", resource.name)
                continue
            if policy != "compact":
                raise StoreError(
                    f"Topic {resource.name} has cleanup.policy={policy}, which would lose records: it must be compact."
                )

    def _ends(self) -> dict[tuple[str, int], int]:
        admin = make_client(AdminClient, self._admin_settings)
        end = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        asked = {TopicPartition(topic, partition): end for topic, partition in list(self._at_end)}
        try:
            found = admin.list_offsets(asked, request_timeout=_ASK_S)
            return {(each.topic, each.partition): future.result(_ASK_S).offset for each, future in found.items()}
        except (KafkaException, TimeoutError):
            raise StoreError("The brokers did not say where the topics end.") from None

    def _write(self, topic: str, changes: Sequence[tuple[bytes, bytes | None]]) -> None:
        if self._writer is None:
            self._writer = make_client(Producer, self._writer_settings)
        failures: list[str] = []

        def written(error: KafkaError | None, message: object) -> None:
            if error is not None:
                failures.append(error.str())

        try:
            for key, value in changes:
                self._writer.produce(topic, value, key, on_delivery=written)
            left = flush(self._writer, 35.0)
        except (KafkaException, BufferError) as error:
            if isinstance(error, KafkaException) and is_fatal(error):
                self._writer = None
            raise StoreError(f"{topic} cannot be written: {error}.") from None
        if failures or left:
            raise StoreError(f"{topic} cannot be written: {failures[0] if failures else 'no answer'}.")

    # In the reader's thread

    def _read(self, partitions: Sequence[tuple[str, int]]) -> None:
        consumer = make_client(Consumer, self._reader_settings)
        consumer.assign([TopicPartition(topic, partition, 0) for topic, partition in partitions])
        try:
            while not self._is_stopped.is_set():
                if self._reread.is_set():
                    self._reread.clear()
                    consumer.assign([TopicPartition(topic, partition, 0) for topic, partition in partitions])
                messages = consumer.consume(_READ_MAX, _POLL_S)
                if messages:
                    self._room.acquire()
                    self._loop.call_soon_threadsafe(self._take, messages)
        except (KafkaException, RuntimeError) as error:
            self._trouble = f"The topics cannot be read: {error}."
            _log.error("topics cannot be read reason=%s", error)
        finally:
            consumer.close()

    def _take(self, messages: Sequence[Any]) -> None:
        """On the event loop's thread."""
        self._room.release()
        for message in messages:
            error = message.error()
            where = (message.topic(), message.partition())
            if error is None:
                if message.key() is not None and not self._is_ours:
                    self._topics[where[0]].apply(message.key(), message.value())
                self._positions[where] = message.offset() + 1
            elif error.code() == KafkaError._PARTITION_EOF:
                self._at_end.add(where)
                self._positions[where] = max(self._positions.get(where, 0), message.offset())
        self._moved.set()
