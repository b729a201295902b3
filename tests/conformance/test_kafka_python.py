"""kafka-python: producing, reading back, seeking, timestamps, limits and errors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import kafka.errors  # type: ignore[import-untyped]
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.codec import has_lz4, has_snappy, has_zstd  # type: ignore[import-untyped]

from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

TIMEOUT_S = 20
# A poll shorter than a commit's round trip makes this client give up its rejoin, again and again, on any broker.
POLL_MS = 1_000
MANUAL = {"enable_auto_commit": False}
MISSING = {"snappy": not has_snappy(), "lz4": not has_lz4(), "zstd": not has_zstd()}


@pytest.fixture
def topic(broker: RunningBroker, name: str) -> str:
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
        client.create_topics({name: {"num_partitions": 2, "replication_factor": 1}}, wait_for_metadata=True)
    return name


@pytest.fixture
def producer(broker: RunningBroker) -> Iterator[KafkaProducer]:
    client = KafkaProducer(bootstrap_servers=broker.bootstrap)
    yield client
    client.close(timeout=TIMEOUT_S)


@pytest.fixture
def reader(broker: RunningBroker) -> Iterator[KafkaConsumer]:
    client = KafkaConsumer(bootstrap_servers=broker.bootstrap, auto_offset_reset="earliest", enable_auto_commit=False)
    yield client
    client.close()


def take(source: KafkaConsumer, count: int) -> list[Any]:
    taken: list[Any] = []
    deadline = time.monotonic() + TIMEOUT_S
    while len(taken) < count:
        assert time.monotonic() < deadline, f"{len(taken)} of {count} records within {TIMEOUT_S} s"
        for records in source.poll(timeout_ms=POLL_MS).values():
            taken.extend(records)
    return taken


def fill(broker: RunningBroker, topic: str, count: int, partition: int = 0, **config: Any) -> list[Any]:
    client = KafkaProducer(bootstrap_servers=broker.bootstrap, **config)
    futures = [client.send(topic, b"%d" % number, partition=partition) for number in range(count)]
    client.flush(TIMEOUT_S)
    results = [future.get(TIMEOUT_S) for future in futures]
    client.close(timeout=TIMEOUT_S)
    return results


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_every_acks_level(broker: RunningBroker, topic: str, reader: KafkaConsumer, acks: int | str) -> None:
    fill(broker, topic, 200, acks=acks, enable_idempotence=False)
    reader.assign([TopicPartition(topic, 0)])
    assert [record.value for record in take(reader, 200)] == [b"%d" % number for number in range(200)]


def test_idempotent_producer(broker: RunningBroker, topic: str) -> None:
    stored = fill(broker, topic, 300, enable_idempotence=True, batch_size=200)
    assert [record.offset for record in stored] == list(range(300))


@pytest.mark.parametrize("codec", [None, "gzip", "snappy", "lz4", "zstd"])
def test_every_codec(broker: RunningBroker, topic: str, reader: KafkaConsumer, codec: str | None) -> None:
    if codec is not None and MISSING.get(codec):
        pytest.skip(f"kafka-python finds no library for {codec} here")
    fill(broker, topic, 300, compression_type=codec, linger_ms=50)
    reader.assign([TopicPartition(topic, 0)])
    assert [record.value for record in take(reader, 300)] == [b"%d" % number for number in range(300)]


def test_keys_values_headers_and_nulls(topic: str, producer: KafkaProducer, reader: KafkaConsumer) -> None:
    headers = [("plain", b"one"), ("plain", b"two"), ("empty", b"")]
    sent: list[dict[str, Any]] = [
        {"key": b"key", "value": b"value", "headers": headers},
        {"key": b"deleted", "value": None},
        {"key": None, "value": b"keyless"},
    ]
    for record in sent:
        producer.send(topic, partition=1, **record)
    producer.flush(TIMEOUT_S)
    reader.assign([TopicPartition(topic, 1)])
    received = take(reader, 3)
    assert [(record.key, record.value) for record in received] == [(each["key"], each["value"]) for each in sent]
    assert [tuple(header) for header in received[0].headers] == headers


def test_timestamps_and_offsets_for_times(topic: str, producer: KafkaProducer, reader: KafkaConsumer) -> None:
    for number in range(5):
        producer.send(topic, b"x", partition=0, timestamp_ms=1_000 + number * 100).get(TIMEOUT_S)
    partition = TopicPartition(topic, 0)
    found = reader.offsets_for_times({partition: 1_150})[partition]
    assert (found.offset, found.timestamp) == (2, 1_200)
    assert reader.offsets_for_times({partition: 9_999})[partition] is None
    assert reader.beginning_offsets([partition]) == {partition: 0}
    assert reader.end_offsets([partition]) == {partition: 5}
    reader.assign([partition])
    assert [record.timestamp for record in take(reader, 5)] == [1_000, 1_100, 1_200, 1_300, 1_400]


def test_seek_pause_and_resume(broker: RunningBroker, topic: str, reader: KafkaConsumer) -> None:
    for partition in (0, 1):
        fill(broker, topic, 10, partition)
    both = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    reader.assign(both)
    reader.pause(both[0])
    assert {record.partition for record in take(reader, 10)} == {1}
    assert reader.poll(timeout_ms=200) == {}
    reader.resume(both[0])
    assert {record.partition for record in take(reader, 10)} == {0}
    reader.seek(both[0], 7)
    assert [record.offset for record in take(reader, 3)] == [7, 8, 9]
    reader.seek_to_beginning(both[1])
    assert take(reader, 10)[0].offset == 0
    reader.seek_to_end(*both)
    assert [reader.position(partition) for partition in both] == [10, 10]


def test_too_large_a_message_is_refused(broker: RunningBroker, topic: str, reader: KafkaConsumer) -> None:
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, max_request_size=5_000_000)) as producer:
        near = b"n" * (1_048_588 - 100)
        producer.send(topic, near, partition=0).get(TIMEOUT_S)
        with pytest.raises(kafka.errors.MessageSizeTooLargeError):
            producer.send(topic, b"a" * 1_048_600, partition=0).get(TIMEOUT_S)
    reader.assign([TopicPartition(topic, 0)])
    assert take(reader, 1)[0].value == near


def test_a_keyless_record_is_refused_by_a_compacted_topic(broker: RunningBroker, name: str) -> None:
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
        client.create_topics(
            {name: {"num_partitions": 1, "configs": {"cleanup.policy": "compact"}}}, wait_for_metadata=True
        )
    # not idempotent: this client takes the refusal for fatal when it is
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, enable_idempotence=False)) as producer:
        with pytest.raises(kafka.errors.InvalidRecordError):
            producer.send(name, b"keyless").get(TIMEOUT_S)
        assert producer.send(name, b"value", key=b"key").get(TIMEOUT_S).offset == 0


def test_a_topic_is_created_by_the_first_record(name: str, producer: KafkaProducer, reader: KafkaConsumer) -> None:
    assert producer.send(name, b"first").get(TIMEOUT_S).offset == 0
    reader.assign([TopicPartition(name, 0)])
    assert take(reader, 1)[0].value == b"first"


def test_an_unknown_topic_has_no_partitions(broker: RunningBroker, name: str) -> None:
    config = {"bootstrap_servers": broker.bootstrap, "allow_auto_create_topics": False}
    with closing(KafkaConsumer(**config)) as reader:
        assert not reader.partitions_for_topic(name)
        assert name not in reader.topics()


def test_a_group_continues_where_it_committed(broker: RunningBroker, topic: str) -> None:
    fill(broker, topic, 10)
    config: dict[str, Any] = {
        "bootstrap_servers": broker.bootstrap,
        "group_id": topic,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "max_poll_records": 4,
    }
    partition = TopicPartition(topic, 0)
    with closing(KafkaConsumer(topic, **config)) as first:
        assert len(take(first, 4)) == 4
        first.commit({partition: kafka.OffsetAndMetadata(4, "so far", 0)})
        assert first.committed(partition) == 4
    with closing(KafkaConsumer(topic, **config)) as second:
        assert [record.offset for record in take(second, 6)] == [4, 5, 6, 7, 8, 9]
        kept = second.committed(partition, metadata=True)
        assert (kept.offset, kept.metadata, kept.leader_epoch) == (4, "so far", 0)


def test_a_pattern_finds_topics_made_later(broker: RunningBroker, name: str, producer: KafkaProducer) -> None:
    config = {"group_id": name, "auto_offset_reset": "earliest", "metadata_max_age_ms": 500, **MANUAL}
    producer.send(f"{name}-one", b"1").get(TIMEOUT_S)
    with closing(KafkaConsumer(bootstrap_servers=broker.bootstrap, **config)) as member:
        member.subscribe(pattern=f"^{name}-.*")
        assert take(member, 1)[0].topic == f"{name}-one"
        member.commit()
        producer.send(f"{name}-two", b"2").get(TIMEOUT_S)
        assert take(member, 1)[0].topic == f"{name}-two"


def test_a_consumer_sees_added_partitions(broker: RunningBroker, topic: str, producer: KafkaProducer) -> None:
    config = {"group_id": topic, "auto_offset_reset": "earliest", "metadata_max_age_ms": 500, **MANUAL}
    with closing(KafkaConsumer(topic, bootstrap_servers=broker.bootstrap, **config)) as member:
        eventually(lambda: member.poll(timeout_ms=POLL_MS) == {} and len(member.assignment()) == 2)
        with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
            client.create_partitions({topic: 4})
        eventually(lambda: member.poll(timeout_ms=POLL_MS) == {} and len(member.assignment()) == 4)
    eventually(lambda: producer.partitions_for(topic))
