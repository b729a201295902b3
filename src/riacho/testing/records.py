"""Records for tests that are about something else: put some in, take out what is there.

They go over the wire, through confluent-kafka, as an application's would.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from riacho.base.errors import ErrorCode, KafkaError

TIMEOUT_S = 30.0
_GROUP = "riacho-testing"


class Record(NamedTuple):
    """A record as `KafkaCluster.consume` returns it."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int


class RecordControls(ABC):
    """The part of a cluster that reads and writes."""

    @abstractmethod
    def client_settings(self, user: str | None = None) -> dict[str, Any]:
        """For a client of confluent-kafka."""

    def produce(
        self,
        topic: str,
        *values: str | bytes | None,
        key: str | bytes | None = None,
        headers: Mapping[str, str | bytes] | None = None,
        partition: int | None = None,
    ) -> list[tuple[int, int]]:
        """Send a record for each value, and return (partition, offset) of each. All are stored when this returns."""
        from confluent_kafka import Producer

        reports: list[tuple[Any, Any]] = []
        producer = Producer(self.client_settings() | {"acks": "all", "linger.ms": 0})
        more: dict[str, Any] = {} if partition is None else {"partition": partition}
        for value in values:
            producer.produce(
                topic,
                value,
                key,
                headers=dict(headers or {}),
                on_delivery=lambda error, message: reports.append((error, message)),
                **more,
            )
        left = producer.flush(TIMEOUT_S)
        for error, _ in reports:
            if error is not None:
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"a record for {topic} was not taken: {error.str()}")
        if left:
            raise TimeoutError(f"{left} records for {topic} were not taken within {TIMEOUT_S:g} s")
        return [(message.partition(), message.offset()) for _, message in reports]

    def consume(self, topic: str, count: int | None = None, *, timeout_s: float = TIMEOUT_S) -> list[Record]:
        """Return the records of a topic from its start, partition by partition: all that are there now, or the first
        `count`, for which it waits. It joins no group and commits nothing."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer(self.client_settings() | {"group.id": _GROUP, "enable.partition.eof": True})
        try:
            known = consumer.list_topics(topic, timeout=timeout_s).topics[topic]
            if known.error is not None:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{topic}: {known.error.str()}")
            consumer.assign([TopicPartition(topic, number, 0) for number in known.partitions])
            found = _read(consumer, len(known.partitions), count, timeout_s)
        finally:
            consumer.close()
        if count is not None and len(found) < count:
            raise TimeoutError(f"{topic} had {len(found)} records after {timeout_s:g} s, not {count}")
        return sorted(found[:count], key=lambda record: (record.partition, record.offset))


def _read(consumer: Any, partitions: int, count: int | None, timeout_s: float) -> list[Record]:
    from confluent_kafka import KafkaError as ClientError

    found: list[Record] = []
    at_end: set[int] = set()
    deadline = time.monotonic() + timeout_s
    while (len(found) < count if count is not None else len(at_end) < partitions) and time.monotonic() < deadline:
        for message in consumer.consume(500, timeout=0.1):
            error = message.error()
            if error is None:
                found.append(_record(message))
            elif error.code() == ClientError._PARTITION_EOF:
                at_end.add(message.partition())
            elif error.fatal() or not error.retriable():
                raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, error.str())
    return found


def _record(message: Any) -> Record:
    headers: Sequence[tuple[str, bytes | None]] = message.headers() or ()
    return Record(
        message.topic(),
        message.partition(),
        message.offset(),
        message.key(),
        message.value(),
        tuple(headers),
        message.timestamp()[1],
    )
