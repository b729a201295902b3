"""librdkafka's transactional producer through confluent-kafka: commit, abort, isolation, fencing, offsets, timeouts."""

from __future__ import annotations

import time
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

from conformance.confluent import TIMEOUT_S, admin, consumer, create_topic, produce, read_all, take
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

COMMITTED = {"isolation.level": "read_committed"}


def transactional(broker: RunningBroker, transactional_id: str, **config: Any) -> Producer:
    named = {key.replace("_", "."): value for key, value in config.items()}
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": transactional_id} | named)
    producer.init_transactions(TIMEOUT_S)
    return producer


def committed_values(broker: RunningBroker, topic: str, count: int, partitions: int = 1) -> list[bytes | None]:
    """Exactly these: nothing more comes up to the last stable offset."""
    source = consumer(broker.bootstrap, f"{topic}-committed", COMMITTED | {"enable.partition.eof": True})
    source.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    values, ends = [], 0
    deadline = time.monotonic() + TIMEOUT_S
    try:
        while ends < partitions or len(values) < count:
            assert time.monotonic() < deadline, f"{len(values)} of {count} records"
            message = source.poll(0.1)
            if message is None:
                continue
            if message.error() is not None:
                ends += 1
            else:
                values.append(message.value())
    finally:
        source.close()
    return values


def stable_end(broker: RunningBroker, topic: str) -> int:
    source = consumer(broker.bootstrap, f"{topic}-end", COMMITTED)
    try:
        end: int = source.get_watermark_offsets(TopicPartition(topic, 0), TIMEOUT_S)[1]
        return end
    finally:
        source.close()


def error_of(call: Any) -> Any:
    with pytest.raises(KafkaException) as raised:
        call()
    return raised.value.args[0]


def test_only_committed_records_are_seen(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=3)
    producer = transactional(broker, name)
    expected = set()
    for number in range(12):
        producer.begin_transaction()
        for index in range(3):
            value = b"%d-%d" % (number, index)
            producer.produce(name, value, partition=index)
            if number % 3:
                expected.add(value)
        assert producer.flush(TIMEOUT_S) == 0
        if number % 3:
            producer.commit_transaction(TIMEOUT_S)
        else:
            producer.abort_transaction(TIMEOUT_S)
    assert set(committed_values(broker, name, len(expected), 3)) == expected
    # Markers take offsets too: 12 records and 12 markers on each partition.
    assert consumer(broker.bootstrap, name).get_watermark_offsets(TopicPartition(name, 0), TIMEOUT_S) == (0, 24)


def test_read_uncommitted_sees_everything(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    producer = transactional(broker, name)
    producer.begin_transaction()
    producer.produce(name, b"given up")
    assert producer.flush(TIMEOUT_S) == 0
    producer.abort_transaction(TIMEOUT_S)
    found = read_all(broker.bootstrap, name, 1, {"isolation.level": "read_uncommitted"})
    assert [message.value() for message in found] == [b"given up"]


def test_an_open_transaction_holds_back_what_comes_after_it(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    producer = transactional(broker, name)
    producer.begin_transaction()
    producer.produce(name, b"open")
    assert producer.flush(TIMEOUT_S) == 0
    produce(broker.bootstrap, name, [{"value": b"plain"}])
    assert stable_end(broker, name) == 0
    producer.commit_transaction(TIMEOUT_S)
    eventually(lambda: stable_end(broker, name) == 3)
    assert committed_values(broker, name, 2) == [b"open", b"plain"]


def test_transactions_over_many_batches_keep_their_order(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    producer = transactional(broker, name, batch_num_messages=5, linger_ms=0)
    sent = [b"%d" % number for number in range(2_000)]
    for start in range(0, len(sent), 500):
        producer.begin_transaction()
        for value in sent[start : start + 500]:
            producer.produce(name, value)
        producer.commit_transaction(TIMEOUT_S)
    assert committed_values(broker, name, len(sent)) == sent


def test_a_second_producer_fences_the_first(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    first = transactional(broker, name)
    first.begin_transaction()
    first.produce(name, b"zombie")
    assert first.flush(TIMEOUT_S) == 0
    second = transactional(broker, name)
    second.begin_transaction()
    second.produce(name, b"heir")
    second.commit_transaction(TIMEOUT_S)
    error = error_of(lambda: first.commit_transaction(TIMEOUT_S))
    assert error.fatal() or error.txn_requires_abort()
    assert committed_values(broker, name, 1) == [b"heir"]


def consumed(broker: RunningBroker, group: str, topic: str, count: int) -> Consumer:
    source = consumer(broker.bootstrap, group, COMMITTED)
    source.subscribe([topic])
    take(source, count)
    return source


def test_offsets_are_committed_with_the_transaction(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    create_topic(broker.bootstrap, f"{name}-out")
    produce(broker.bootstrap, name, [{"value": b"%d" % number} for number in range(5)])
    source = consumed(broker, name, name, 5)
    producer = transactional(broker, name)
    where = TopicPartition(name, 0)
    try:
        for is_committed in (False, True):
            producer.begin_transaction()
            producer.produce(f"{name}-out", b"%d" % is_committed)
            position = source.position(source.assignment())
            producer.send_offsets_to_transaction(position, source.consumer_group_metadata(), TIMEOUT_S)
            if is_committed:
                producer.commit_transaction(TIMEOUT_S)
            else:
                producer.abort_transaction(TIMEOUT_S)
            [committed] = source.committed([where], TIMEOUT_S)
            assert committed.offset == (5 if is_committed else -1001)
    finally:
        source.close()
    assert committed_values(broker, f"{name}-out", 1) == [b"1"]


def test_offsets_of_a_member_that_is_gone_are_refused(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"one"}])
    source = consumed(broker, name, name, 1)
    metadata, position = source.consumer_group_metadata(), source.position(source.assignment())
    source.close()
    producer = transactional(broker, name)
    producer.begin_transaction()
    error = error_of(lambda: producer.send_offsets_to_transaction(position, metadata, TIMEOUT_S))
    assert error.txn_requires_abort()
    producer.abort_transaction(TIMEOUT_S)


def test_a_transaction_that_takes_too_long_is_aborted(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    producer = transactional(broker, name, transaction_timeout_ms=1_000)
    producer.begin_transaction()
    producer.produce(name, b"late")
    assert producer.flush(TIMEOUT_S) == 0
    eventually(lambda: stable_end(broker, name) == 2)
    error = error_of(lambda: producer.commit_transaction(TIMEOUT_S))
    assert error.fatal() or error.txn_requires_abort()
    assert committed_values(broker, name, 0) == []


def test_a_timeout_above_the_maximum_is_refused(broker: RunningBroker, name: str) -> None:
    producer = Producer(
        {"bootstrap.servers": broker.bootstrap, "transactional.id": name, "transaction.timeout.ms": 900_001}
    )
    error = error_of(lambda: producer.init_transactions(TIMEOUT_S))
    assert error.name() == "INVALID_TRANSACTION_TIMEOUT"


def test_a_topic_deleted_meanwhile_does_not_hold_up_the_next_transaction(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    create_topic(broker.bootstrap, f"{name}-kept")
    producer = transactional(broker, name)
    producer.begin_transaction()
    producer.produce(name, b"lost")
    producer.produce(f"{name}-kept", b"kept")
    assert producer.flush(TIMEOUT_S) == 0
    client = admin(broker.bootstrap)
    client.delete_topics([name], operation_timeout=TIMEOUT_S)[name].result(TIMEOUT_S)
    producer.commit_transaction(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(f"{name}-kept", b"next")
    producer.commit_transaction(TIMEOUT_S)
    assert committed_values(broker, f"{name}-kept", 2) == [b"kept", b"next"]


def test_offsets_by_isolation_level(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    producer = transactional(broker, name)
    producer.begin_transaction()
    producer.produce(name, b"open")
    assert producer.flush(TIMEOUT_S) == 0
    client = admin(broker.bootstrap)
    where = TopicPartition(name, 0)
    latest = client.list_offsets({where: OffsetSpec.latest()})[where].result(TIMEOUT_S)
    assert latest.offset == 1
    producer.abort_transaction(TIMEOUT_S)
    eventually(lambda: stable_end(broker, name) == 2)
