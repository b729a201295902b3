"""Follows the topics of tables into the store: one consumer, one thread, committed records only.

The consumer has no group: partitions are assigned, from where the store stands. A batch of records is decoded and
written with its positions at once. What cannot be decoded is left out, and the position moves past it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from riacho.base.backoff import Backoff
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.steps import Decode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.serving.table_store import NO_WINDOW, RowChange, StoreError, TableStore

_log = logging.getLogger("riacho.ksql")
_BATCH_RECORDS = 2_000
_POLL_S = 0.05
_BACKOFF = Backoff(200, 10_000)


@dataclass(slots=True)
class Followed:
    """One table. `reached` is the next offset of each partition, `ends` where the topic was known to end."""

    name: str
    decode: Decode
    decoder: RecordDecoder
    identity: str
    table_id: int
    partitions: int
    reached: dict[int, int]
    left_out: int = 0
    problem: str | None = None


class Follower:
    """`follow` and `forget` may be called by any thread; the work is done by one of its own, from `start` to `stop`."""

    def __init__(self, store: TableStore, client: Mapping[str, str], registry: RegistryAccess | None) -> None:
        self._store = store
        self._client = dict(client)
        self._registry = registry
        self._tables: dict[str, Followed] = {}
        self._topics: dict[str, list[Followed]] = {}
        self._changed = threading.Condition()
        self._is_assignment_due = False
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="ksql-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        self._thread.join(10)

    def follow(self, name: str, decode: Decode, partitions: int) -> None:
        """StoreError where the store cannot take it."""
        identity = f"{decode.topic} {decode.key.format} {decode.value.format} {decode.key.columns} {decode.key.window}"
        with self._changed:
            table_id = self._store.materialise(name, identity)
            decoder = RecordDecoder(decode, self._registry)
            reached = self._store.positions(table_id)
            self._tables[name] = Followed(name, decode, decoder, identity, table_id, partitions, reached)
            self._index()

    def forget(self, name: str) -> None:
        with self._changed:
            if self._tables.pop(name, None) is not None:
                self._store.forget(name)
                self._index()

    def table(self, name: str) -> Followed | None:
        return self._tables.get(name)

    def wait_for(self, name: str, ends: Mapping[int, int], timeout_s: float) -> bool:
        """Until the table has all records before `ends`; False where it has not in time."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while True:
                table = self._tables.get(name)
                if table is None:
                    return False
                if all(table.reached.get(part, 0) >= end for part, end in ends.items()):
                    return True
                left_s = deadline - time.monotonic()
                if left_s <= 0 or self._is_stopping:
                    return False
                self._changed.wait(left_s)

    def _index(self) -> None:
        self._topics = {}
        for table in self._tables.values():
            self._topics.setdefault(table.decode.topic, []).append(table)
        self._is_assignment_due = True
        self._changed.notify_all()

    def _run(self) -> None:
        failures = 0
        while not self._is_stopping:
            consumer = None
            try:
                consumer = Consumer(
                    {
                        **self._client,
                        "group.id": "riacho-ksql-follower",
                        "enable.auto.commit": False,
                        "isolation.level": "read_committed",
                        "auto.offset.reset": "earliest",
                        "enable.partition.eof": True,
                        "fetch.wait.max.ms": 50,
                    }
                )
                self._is_assignment_due = True
                while not self._is_stopping:
                    self._step(consumer)
                    failures = 0
            except (KafkaException, StoreError) as error:
                failures += 1
                self._troubled(str(error))
                with self._changed:
                    self._changed.wait(_BACKOFF.pause_ms(failures) / 1000)
            finally:
                if consumer is not None:
                    consumer.close()

    def _step(self, consumer: Consumer) -> None:
        if self._is_assignment_due:
            with self._changed:
                self._is_assignment_due = False
                partitions = self._assignment()
            consumer.assign(partitions)
        if not self._topics:
            with self._changed:
                self._changed.wait(_POLL_S)
            return
        messages = consumer.consume(_BATCH_RECORDS, _POLL_S)
        if messages:
            self._take(messages)

    def _assignment(self) -> list[TopicPartition]:
        """Tables that share a topic are read from the one that is furthest behind; what another has is passed over."""
        wanted = []
        for topic, tables in self._topics.items():
            for part in range(max(table.partitions for table in tables)):
                start = min(table.reached.get(part, OFFSET_BEGINNING) for table in tables)
                wanted.append(TopicPartition(topic, part, start))
        return wanted

    def _take(self, messages: Sequence[Message]) -> None:
        by_topic: dict[str, list[Message]] = {}
        ends: dict[str, dict[int, int]] = {}
        for message in messages:
            error = message.error()
            topic, part, offset = _place(message)
            if error is None:
                by_topic.setdefault(topic, []).append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                # Behind markers too: a topic may end with records that no reader sees.
                ends.setdefault(topic, {})[part] = offset
            else:
                raise KafkaException(error)
        for topic in by_topic.keys() | ends.keys():
            for table in self._topics.get(topic, ()):
                self._write(table, by_topic.get(topic, []), ends.get(topic, {}))
        with self._changed:
            self._changed.notify_all()

    def _write(self, table: Followed, messages: Sequence[Message], ends: Mapping[int, int]) -> None:
        changes: list[RowChange] = []
        positions: dict[int, int] = {}
        for message in messages:
            _, part, offset = _place(message)
            if offset < table.reached.get(part, 0):
                continue
            positions[part] = offset + 1
            try:
                record = table.decoder.decode(message.key(), message.value(), message.timestamp()[1])
            except CodecError as error:
                table.left_out += 1
                _log.debug("record left out table=%s partition=%d offset=%d: %s", table.name, part, offset, error)
                continue
            if record.key is None:
                table.left_out += 1
                continue
            start = NO_WINDOW if record.window_start is None else record.window_start
            end = NO_WINDOW if record.window_end is None else record.window_end
            changes.append(RowChange(record.key, start, end, record.value, record.timestamp_ms, part, offset))
        if any(end_offset < table.reached.get(part, 0) for part, end_offset in ends.items()):
            self._begin_anew(table)
            return
        for part, end_offset in ends.items():
            if end_offset > max(positions.get(part, 0), table.reached.get(part, 0)):
                positions[part] = end_offset
        if positions:
            self._store.apply(table.table_id, changes, positions)
            table.reached |= positions
            table.problem = None

    def _begin_anew(self, table: Followed) -> None:
        """The topic ends before what was read of it: it has been deleted and made again."""
        _log.warning("topic begins anew table=%s topic=%s", table.name, table.decode.topic)
        with self._changed:
            self._store.forget(table.name)
            if table.name in self._tables:
                table.table_id = self._store.materialise(table.name, table.identity)
                table.reached = {}
                self._index()

    def _troubled(self, problem: str) -> None:
        for table in self._tables.values():
            table.problem = problem
        _log.warning("tables cannot be followed: %s", problem)


def _place(message: Message) -> tuple[str, int, int]:
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    assert topic is not None, "it came from a partition"
    assert partition is not None, "it came from a partition"
    assert offset is not None, "it came from a partition"
    return topic, partition, offset
