"""Topics with records in them, made by confluent-kafka: another client than the one under test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

TIMEOUT_S = 180


def create_topic(bootstrap: str, name: str, partitions: int) -> None:
    # The client has a name: one that is collected while its request is out takes the answer with it.
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(name, partitions, 1)])[name].result(TIMEOUT_S)


def add_partitions(bootstrap: str, name: str, total: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_partitions([NewPartitions(name, total)])[name].result(TIMEOUT_S)


def delete_records(bootstrap: str, name: str, partition: int, before: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.delete_records([TopicPartition(name, partition, before)]).values():
        future.result(TIMEOUT_S)


def delete_topic(bootstrap: str, name: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.delete_topics([name])[name].result(TIMEOUT_S)


def produce(bootstrap: str, name: str, records: Iterable[dict[str, Any]], **config: Any) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, **config})
    for record in records:
        producer.produce(name, **record)
    assert producer.flush(TIMEOUT_S) == 0


def numbered(count: int, partitions: int, first: int = 0, **same: Any) -> list[dict[str, Any]]:
    """Values that tell one another apart, dealt to the partitions in turn."""
    return [
        {"value": f"v{n}", "key": f"k{n}" if n % 3 else None, "partition": n % partitions, **same}
        for n in range(first, first + count)
    ]


def transactions(bootstrap: str, name: str, outcomes: Iterable[tuple[str, bool]]) -> None:
    """For each (value, whether it commits) one transaction of three records with that value."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"tx-{name}"})
    producer.init_transactions(TIMEOUT_S)
    for value, commits in outcomes:
        producer.begin_transaction()
        for _ in range(3):
            producer.produce(name, value, partition=0)
        producer.flush(TIMEOUT_S)
        if commits:
            producer.commit_transaction(TIMEOUT_S)
        else:
            producer.abort_transaction(TIMEOUT_S)
