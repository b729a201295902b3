"""kafka-python's transactional producer: commit, abort, isolation, fencing and offsets within transactions."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import kafka.errors  # type: ignore[import-untyped]
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

from conformance.running_broker import RunningBroker
from conformance.test_kafka_python import TIMEOUT_S, take


@pytest.fixture
def topic(broker: RunningBroker, name: str) -> str:
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
        client.create_topics({name: {"num_partitions": 1, "replication_factor": 1}}, wait_for_metadata=True)
    return name


def transactional(broker: RunningBroker, transactional_id: str) -> KafkaProducer:
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=transactional_id)
    producer.init_transactions()
    return producer


def reader(broker: RunningBroker, **config: Any) -> KafkaConsumer:
    return KafkaConsumer(
        bootstrap_servers=broker.bootstrap,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
        **config,
    )


def committed_values(broker: RunningBroker, topic: str, count: int) -> list[bytes]:
    with closing(reader(broker)) as source:
        source.assign([TopicPartition(topic, 0)])
        return [record.value for record in take(source, count)]


def test_only_committed_records_are_seen(broker: RunningBroker, topic: str) -> None:
    with closing(transactional(broker, topic)) as producer:
        for number in range(6):
            producer.begin_transaction()
            producer.send(topic, b"%d" % number, partition=0).get(TIMEOUT_S)
            if number % 2:
                producer.abort_transaction()
            else:
                producer.commit_transaction()
    assert committed_values(broker, topic, 3) == [b"0", b"2", b"4"]


def test_a_second_producer_fences_the_first(broker: RunningBroker, topic: str) -> None:
    with closing(transactional(broker, topic)) as first:
        first.begin_transaction()
        first.send(topic, b"zombie", partition=0).get(TIMEOUT_S)
        with closing(transactional(broker, topic)) as second:
            second.begin_transaction()
            second.send(topic, b"heir", partition=0).get(TIMEOUT_S)
            second.commit_transaction()
        with pytest.raises((kafka.errors.ProducerFencedError, kafka.errors.InvalidProducerEpochError)):
            first.commit_transaction()
    assert committed_values(broker, topic, 1) == [b"heir"]


def test_offsets_are_committed_with_the_transaction(broker: RunningBroker, topic: str) -> None:
    where = TopicPartition(topic, 0)
    with closing(transactional(broker, topic)) as producer, closing(reader(broker, group_id=topic)) as source:
        producer.begin_transaction()
        for number in range(5):
            producer.send(topic, b"%d" % number, partition=0)
        producer.commit_transaction()
        source.subscribe([topic])
        take(source, 5)
        producer.begin_transaction()
        producer.send_offsets_to_transaction({where: OffsetAndMetadata(3, "", -1)}, source.group_metadata())
        producer.abort_transaction()
        assert source.committed(where) is None
        producer.begin_transaction()
        producer.send_offsets_to_transaction({where: OffsetAndMetadata(5, "", -1)}, source.group_metadata())
        producer.commit_transaction()
        assert source.committed(where) == 5
