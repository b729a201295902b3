"""Records of a topic, written and read back as a user of confluent-kafka would."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, Producer, TopicPartition

READ_TIMEOUT_S = 120.0
_POLL_S = 0.2


class Sent(NamedTuple):
    value: bytes | None
    key: bytes | None = None
    partition: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()


def send(bootstrap: str, topic: str, records: Iterable[Sent]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    for each in records:
        producer.produce(topic, each.value, each.key, each.partition, headers=list(each.headers))
    assert producer.flush(READ_TIMEOUT_S) == 0, f"not all records reached {topic}"


class Placed(NamedTuple):
    """A record and where it is."""

    partition: int
    offset: int
    record: Sent


def read(bootstrap: str, topic: str) -> list[Sent]:
    """All that is committed, partition by partition; up to the end that the topic has now."""
    return [each.record for each in read_placed(bootstrap, topic)]


def read_placed(bootstrap: str, topic: str) -> list[Placed]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "unused",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    try:
        numbers = sorted(consumer.list_topics(topic, timeout=READ_TIMEOUT_S).topics[topic].partitions)
        return [each for number in numbers for each in _partition(consumer, topic, number)]
    finally:
        consumer.close()


def _partition(consumer: Consumer, topic: str, number: int) -> list[Placed]:
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING)])
    deadline = time.monotonic() + READ_TIMEOUT_S
    found: list[Placed] = []
    while time.monotonic() < deadline:
        message = consumer.poll(_POLL_S)
        if message is None:
            continue
        error = message.error()
        if error is None:
            found.append(_placed(message, number))
        elif error.name() == "_PARTITION_EOF":
            return found
        else:
            raise AssertionError(f"{topic}-{number} cannot be read: {error}")
    raise TimeoutError(f"{topic}-{number} did not end within {READ_TIMEOUT_S:g} s")


def _placed(message: Message, number: int) -> Placed:
    headers = tuple((name, bytes(value or b"")) for name, value in message.headers() or [])
    offset = message.offset()
    assert offset is not None, "a record that was read has an offset"
    return Placed(number, offset, Sent(message.value(), message.key(), number, headers))
