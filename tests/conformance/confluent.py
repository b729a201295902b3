"""Short ways to say what the librdkafka tests do over and over: create, produce and wait, take some records."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from conformance.waiting import eventually

TIMEOUT_S = 20.0


def admin(bootstrap: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap})


def create_topic(bootstrap: str, topic: str, partitions: int = 1, config: Mapping[str, str] | None = None) -> None:
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=dict(config or {}))
    client = admin(bootstrap)  # must outlive the call: its destruction fails what is under way
    client.create_topics([new], operation_timeout=TIMEOUT_S)[topic].result(TIMEOUT_S)

    def is_led() -> bool:
        found = client.list_topics(topic, TIMEOUT_S).topics[topic]
        led = [partition for partition in found.partitions.values() if partition.leader >= 0]
        return found.error is None and len(led) == partitions

    eventually(is_led)


def produce(
    bootstrap: str, topic: str, records: Iterable[Mapping[str, Any]], config: Mapping[str, Any] | None = None
) -> list[Message]:
    """Produce records (keyword arguments of Producer.produce) and return their delivery reports, in order."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5} | dict(config or {}))
    reports: list[tuple[int, KafkaError | None, Message]] = []
    for position, record in enumerate(records):
        arguments = dict(record)
        arguments["on_delivery"] = lambda error, message, at=position: reports.append((at, error, message))
        producer.produce(topic, **arguments)
    assert producer.flush(TIMEOUT_S) == 0, "records without a delivery report"
    failed = [str(error) for _, error, _ in reports if error is not None]
    assert not failed, failed[:3]
    return [message for _, _, message in sorted(reports, key=lambda report: report[0])]


def consumer(bootstrap: str, group: str, config: Mapping[str, Any] | None = None) -> Consumer:
    defaults = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": 6_000,
        "heartbeat.interval.ms": 500,
        "topic.metadata.refresh.interval.ms": 1_000,
    }
    return Consumer(defaults | dict(config or {}))


def take(source: Consumer, count: int, timeout_s: float = TIMEOUT_S) -> list[Message]:
    """The next `count` records, or an assertion once the deadline passes."""
    taken: list[Message] = []
    deadline = time.monotonic() + timeout_s
    while len(taken) < count:
        assert time.monotonic() < deadline, f"{len(taken)} of {count} records within {timeout_s} s"
        message = source.poll(0.1)
        if message is None:
            continue
        error = message.error()
        if error is not None and error.code() in (KafkaError._PARTITION_EOF, KafkaError.UNKNOWN_TOPIC_OR_PART):
            continue
        assert error is None, error
        taken.append(message)
    return taken


def code_of(message: Message) -> int:
    """The code of the error that this message must carry."""
    error = message.error()
    assert error is not None, "a record instead of an error"
    code: int = error.code()
    return code


def read_all(bootstrap: str, topic: str, count: int, config: Mapping[str, Any] | None = None) -> list[Message]:
    """`count` records from the beginning of partition 0, outside of any group's offsets."""
    source = consumer(bootstrap, f"{topic}-reader", config)
    source.assign([TopicPartition(topic, 0, 0)])
    try:
        return take(source, count)
    finally:
        source.close()
