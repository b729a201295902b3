"""Follows the topics of tables into the store: one consumer, one thread, committed records only.

The consumer has no group: partitions are assigned, from where the store stands. A batch of records is decoded and
written with its positions at once. What cannot be decoded is left out, and the position moves past it; so it does past
markers and what was aborted, which no reader of committed records sees. The consumer is asked for its position, as it
knows of them once they are fetched: the topic's end, which it tells by itself, comes with an empty fetch later on.

A topic that cannot be read for now (it is gone, or the registry with its schemas is) is left alone for a growing pause,
and its tables tell why; the others go on. A topic that was deleted and made again is another one: its table begins
anew. Where the store takes nothing, as on a full disk, everything waits and is tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient

from riacho.base.backoff import Backoff
from riacho.client.librdkafka.receiving import received
from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.steps import Decode
from riacho.pipelines.sql.records.record_decoder import DecodedRecord, RecordDecoder
from riacho.pipelines.sql.serving.reading import reading_consumer
from riacho.pipelines.sql.serving.table_store import NO_WINDOW, RowChange, StoreError, TableStore
from riacho.pipelines.sql.serving.topic_identity import TopicNow, topics_now

_log = logging.getLogger("riacho.ksql")
_BATCH_RECORDS = 2_000
_POLL_S = 0.02
# While somebody waits: markers wake nobody, so the consumer is asked how far it is.
_POLL_WAITED_FOR_S = 0.001
# How often it is looked whether topics are still the ones they were.
_LOOK_S = 2.0
_BACKOFF = Backoff(200, 10_000)


@dataclass(slots=True)
class Followed:
    """One table. `reached` is the next offset of each partition; `problem` says why it is not followed for now."""

    name: str
    decode: Decode
    decoder: RecordDecoder
    topic_id: str = ""
    table_id: int = 0
    partitions: int = 0
    reached: dict[int, int] | None = None
    left_out: int = 0
    problem: str | None = None

    @property
    def is_ready(self) -> bool:
        return self.reached is not None

    def place(self, partition: int) -> int:
        """The next offset of a partition."""
        return 0 if self.reached is None else self.reached.get(partition, 0)


class Follower:
    """`follow` and `forget` may be called by any thread; the work is done by one of its own, from `start` to `stop`."""

    def __init__(self, store: TableStore, client: Mapping[str, Any], registry: RegistryAccess | None) -> None:
        self._store = store
        self._client = dict(client)
        self._registry = registry
        self._tables: dict[str, Followed] = {}
        self._changed = threading.Condition()
        self._is_look_due = True
        self._next_look = 0.0
        self._assigned: set[tuple[str, int]] = set()
        # Partitions that the consumer has read from since then.
        self._read: set[tuple[str, int]] = set()
        self._waiting = 0
        # Tables begin elsewhere than where the consumer is.
        self._is_moved = True
        self._failures: dict[str, int] = {}
        self._left_alone_until: dict[str, float] = {}
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="ksql-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(10)

    def follow(self, name: str, decode: Decode) -> None:
        """A table, new or in the place of the one with its name."""
        with self._changed:
            self._tables[name] = Followed(name, decode, RecordDecoder(decode, self._registry))
            self._look_soon()

    def forget(self, name: str) -> None:
        with self._changed:
            self._tables.pop(name, None)
            self._look_soon()

    def table(self, name: str) -> Followed | None:
        """Once its rows can be read."""
        table = self._tables.get(name)
        return table if table is not None and table.is_ready else None

    def problem(self, name: str) -> str | None:
        table = self._tables.get(name)
        return None if table is None else table.problem

    def wait_for(self, name: str, ends: Mapping[int, int], timeout_s: float) -> bool:
        """Until the table has all records before `ends`; False where it has not in time."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            self._waiting += 1
            try:
                while True:
                    table = self._tables.get(name)
                    if table is None:
                        return False
                    if table.is_ready and all(table.place(part) >= end for part, end in ends.items()):
                        return True
                    left_s = deadline - time.monotonic()
                    if left_s <= 0 or self._is_stopping:
                        return False
                    self._changed.wait(left_s)
            finally:
                self._waiting -= 1

    def _look_soon(self) -> None:
        self._is_look_due = True
        self._changed.notify_all()

    def _run(self) -> None:
        failures = 0
        while not self._is_stopping:
            consumer = None
            try:
                consumer = reading_consumer(self._client, "riacho-ksql-follower")
                admin = AdminClient(self._client)
                self._is_look_due = self._is_moved = True
                while not self._is_stopping:
                    self._step(consumer, admin)
                    failures = 0
            except Exception as error:
                # Whatever it is: tables that nobody follows any more would be served as they once were.
                if not isinstance(error, KafkaException | StoreError):
                    _log.exception("follower failed")
                failures += 1
                self._troubled(_sentence(error))
                with self._changed:
                    self._changed.wait_for(lambda: self._is_stopping, _BACKOFF.pause_ms(failures) / 1000)
            finally:
                if consumer is not None:
                    consumer.close()

    def _step(self, consumer: Consumer, admin: AdminClient) -> None:
        if self._store.is_damaged:
            self._rebuild()
        now = time.monotonic()
        if self._is_look_due or now >= self._next_look:
            self._is_look_due = False
            wanted = self._assignment(admin)
            places = {(each.topic, each.partition) for each in wanted}
            if places != self._assigned or self._is_moved:
                consumer.assign(wanted)
                self._assigned, self._is_moved = places, False
                self._read.clear()
            self._next_look = min([now + _LOOK_S, *(at for at in self._left_alone_until.values() if at > now)])
        if not self._tables:
            with self._changed:
                self._changed.wait_for(lambda: self._is_look_due or self._is_stopping, _LOOK_S)
            return
        is_waited_for = self._waiting > 0
        messages = received(consumer, _BATCH_RECORDS, _POLL_WAITED_FOR_S if is_waited_for else _POLL_S)
        if messages:
            self._take(messages)
        if messages or is_waited_for:
            self._pass_unseen(consumer)

    def _rebuild(self) -> None:
        _log.error("store of tables is damaged, and is made anew file=%s", self._store.path)
        self._store.rebuild()
        with self._changed:
            for table in self._tables.values():
                table.reached = None
            self._look_soon()

    def _assignment(self, admin: AdminClient) -> list[TopicPartition]:
        """Tables that share a topic are read from the one that is furthest behind; what another has is passed over."""
        with self._changed:
            tables = list(self._tables.values())
        for name in set(self._store.names()) - {table.name for table in tables}:
            self._store.forget(name)
        now = time.monotonic()
        waiting = {topic for topic, until in self._left_alone_until.items() if until > now}
        topics = topics_now(admin, {table.decode.topic for table in tables} - waiting)
        by_topic: dict[str, list[Followed]] = {}
        for table in tables:
            found = topics.get(table.decode.topic)
            if isinstance(found, TopicNow):
                self._materialise(table, found)
                by_topic.setdefault(table.decode.topic, []).append(table)
            elif found is not None:
                self._leave_alone(table.decode.topic, found)
        return [
            TopicPartition(topic, part, min(table.place(part) for table in sharing) or OFFSET_BEGINNING)
            for topic, sharing in by_topic.items()
            for part in range(sharing[0].partitions)
        ]

    def _materialise(self, table: Followed, topic: TopicNow) -> None:
        if table.is_ready and table.topic_id == topic.topic_id:
            table.partitions = topic.partitions
            return
        if table.is_ready:
            _log.warning("topic was made anew table=%s topic=%s", table.name, table.decode.topic)
        decode = table.decode
        formats = f"{decode.key.format} {decode.value.format} {decode.key.columns} {decode.key.window} "
        # A column that is new has values in records that were read before.
        formats += f"{decode.value.columns} {decode.timestamp} {decode.timestamp_format}"
        table_id = self._store.materialise(table.name, f"{decode.topic} {topic.topic_id} {formats}")
        reached = self._store.positions(table_id)
        with self._changed:
            table.topic_id, table.table_id, table.partitions = topic.topic_id, table_id, topic.partitions
            table.reached = reached
            self._is_moved = True
            self._changed.notify_all()

    def _take(self, messages: Sequence[Message]) -> None:
        by_topic: dict[str, list[Message]] = {}
        ends: dict[str, dict[int, int]] = {}
        for message in messages:
            error, topic = message.error(), message.topic()
            if error is None and topic is not None:
                by_topic.setdefault(topic, []).append(message)
                self._read.add((topic, message.partition() or 0))
            elif error is None or topic is None:
                _log.debug("consumer of tables: %s", error)
            elif error.code() == KafkaError._PARTITION_EOF:
                # Behind markers too: a topic may end with records that no reader sees.
                ends.setdefault(topic, {})[message.partition() or 0] = message.offset() or 0
            else:
                self._leave_alone(topic, f"The topic {topic} cannot be read: {error.str()}.")
        with self._changed:
            tables = [table for table in self._tables.values() if table.is_ready]
        for table in tables:
            topic = table.decode.topic
            if topic in by_topic or topic in ends:
                try:
                    self._write(table, by_topic.get(topic, []), ends.get(topic, {}))
                except RegistryError as error:
                    self._leave_alone(topic, f"The schema registry cannot be asked: {error}")
        with self._changed:
            self._changed.notify_all()

    def _pass_unseen(self, consumer: Consumer) -> None:
        """On behind records that were fetched and are shown to nobody."""
        # A consumer that has to be moved is further than what was written.
        if self._is_moved or not self._read:
            return
        places: dict[str, dict[int, int]] = {}
        for found in consumer.position([TopicPartition(*each) for each in self._read]):
            if found.offset >= 0:
                places.setdefault(found.topic, {})[found.partition] = found.offset
        with self._changed:
            tables = [table for table in self._tables.values() if table.is_ready and table.decode.topic in places]
        for table in tables:
            further = {part: place for part, place in places[table.decode.topic].items() if place > table.place(part)}
            if further:
                self._write(table, [], further)
        if tables:
            with self._changed:
                self._changed.notify_all()

    def _write(self, table: Followed, messages: Sequence[Message], ends: Mapping[int, int]) -> None:
        changes: list[RowChange] = []
        positions: dict[int, int] = {}
        for message in messages:
            part, offset = message.partition() or 0, message.offset() or 0
            if offset < table.place(part):
                continue
            record = self._decoded(table, message)
            positions[part] = offset + 1
            if record is None or record.key is None:
                table.left_out += 1
                continue
            start = NO_WINDOW if record.window_start is None else record.window_start
            end = NO_WINDOW if record.window_end is None else record.window_end
            changes.append(RowChange(record.key, start, end, record.value, record.timestamp_ms, part, offset))
        if any(end_offset < table.place(part) for part, end_offset in ends.items()):
            self._look_soon_for(table)
            return
        for part, end_offset in ends.items():
            if end_offset > max(positions.get(part, 0), table.place(part)):
                positions[part] = end_offset
        if positions:
            self._store.apply(table.table_id, changes, positions)
            with self._changed:
                if table.reached is not None:
                    table.reached |= positions
                table.problem = None
            self._failures.pop(table.decode.topic, None)

    def _decoded(self, table: Followed, message: Message) -> DecodedRecord | None:
        """None where it has to be left out. RegistryError where it may be decoded later."""
        try:
            return table.decoder.decode(message.key(), message.value(), message.timestamp()[1])
        except CodecError as error:
            reason: Exception = error
        except RegistryError:
            raise
        except Exception as error:
            reason = error
        _log.debug("record left out table=%s at=%s/%s: %s", table.name, message.partition(), message.offset(), reason)
        return None

    def _look_soon_for(self, table: Followed) -> None:
        """The topic ends before what was read of it. One of the same id has lost records, and begins anew too."""
        _log.warning("topic ends before what was read of it table=%s topic=%s", table.name, table.decode.topic)
        self._store.forget(table.name)
        with self._changed:
            table.reached = None
            self._look_soon()

    def _leave_alone(self, topic: str, problem: str) -> None:
        failures = self._failures[topic] = self._failures.get(topic, 0) + 1
        pause_s = _BACKOFF.pause_ms(failures) / 1000
        self._left_alone_until[topic] = time.monotonic() + pause_s
        with self._changed:
            for table in self._tables.values():
                if table.decode.topic == topic:
                    if table.problem is None:
                        _log.warning("table is not followed table=%s: %s", table.name, problem)
                    table.problem = problem
        self._is_look_due = self._is_moved = True

    def _troubled(self, problem: str) -> None:
        with self._changed:
            for table in self._tables.values():
                table.problem = problem
        _log.warning("tables cannot be followed: %s", problem)


def _sentence(error: Exception) -> str:
    return str(error.args[0].str()) if isinstance(error, KafkaException) else str(error)
