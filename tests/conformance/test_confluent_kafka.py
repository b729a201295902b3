"""librdkafka through confluent-kafka: producing, reading back, seeking, timestamps, limits and errors."""

from __future__ import annotations

import time
from typing import Any

import pytest
from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    KafkaError,
    Producer,
    TopicPartition,
)

from conformance.confluent import TIMEOUT_S, admin, code_of, consumer, create_topic, produce, read_all, take
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_every_acks_level_stores_records_in_order(broker: RunningBroker, name: str, acks: str) -> None:
    create_topic(broker.bootstrap, name)
    sent = [f"value-{number}".encode() for number in range(500)]
    produce(broker.bootstrap, name, [{"value": value} for value in sent], {"acks": acks})
    received = read_all(broker.bootstrap, name, len(sent))
    assert [message.value() for message in received] == sent
    assert [message.offset() for message in received] == list(range(500))


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_comes_back_whole(broker: RunningBroker, name: str, codec: str) -> None:
    create_topic(broker.bootstrap, name)
    sent = [(b"%d" % number, b"squeeze me " * 40 + b"%d" % number) for number in range(300)]
    records = [{"key": key, "value": value} for key, value in sent]
    produce(broker.bootstrap, name, records, {"compression.type": codec, "linger.ms": 50})
    received = read_all(broker.bootstrap, name, len(sent), {"check.crcs": True})
    assert [(message.key(), message.value()) for message in received] == sent


def test_idempotent_producer_stores_each_record_once(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=3)
    records = [{"key": b"%d" % (number % 3), "value": b"%d" % number, "partition": number % 3} for number in range(900)]
    reports = produce(broker.bootstrap, name, records, {"enable.idempotence": True, "batch.num.messages": 10})
    for partition in range(3):
        offsets = [report.offset() for report in reports if report.partition() == partition]
        assert offsets == list(range(300))


def test_keys_values_and_headers_round_trip_with_nulls(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    headers: list[tuple[str, Any]] = [("plain", b"one"), ("plain", b"two"), ("empty", b""), ("null", None)]
    records: list[dict[str, Any]] = [
        {"key": b"key", "value": b"value", "headers": headers},
        {"key": None, "value": b"keyless"},
        {"key": b"deleted", "value": None},
        {"key": b"", "value": b""},
        {"key": None, "value": None},
    ]
    produce(broker.bootstrap, name, records)
    received = read_all(broker.bootstrap, name, len(records))
    assert [(message.key(), message.value()) for message in received] == [
        (record["key"], record["value"]) for record in records
    ]
    assert received[0].headers() == headers
    assert received[1].headers() is None


def test_create_time_is_the_producers(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    stamps = [1_700_000_000_000 + 1_000 * number for number in range(5)]
    produce(broker.bootstrap, name, [{"value": b"x", "timestamp": stamp} for stamp in stamps])
    received = read_all(broker.bootstrap, name, len(stamps))
    assert [message.timestamp() for message in received] == [(TIMESTAMP_CREATE_TIME, stamp) for stamp in stamps]


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_log_append_time_is_the_brokers(broker: RunningBroker, name: str, codec: str) -> None:
    create_topic(broker.bootstrap, name, config={"message.timestamp.type": "LogAppendTime"})
    before_ms = int(time.time() * 1000) - 5
    records = [{"value": b"x" * 100, "timestamp": 1_000} for _ in range(20)]
    produce(broker.bootstrap, name, records, {"compression.type": codec})
    after_ms = int(time.time() * 1000) + 5
    for message in read_all(broker.bootstrap, name, len(records), {"check.crcs": True}):
        kind, stamp = message.timestamp()
        assert kind == TIMESTAMP_LOG_APPEND_TIME
        assert before_ms <= stamp <= after_ms


def test_offsets_for_times_and_watermarks(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    records = [{"value": b"%d" % number, "timestamp": 10_000 + number * 100} for number in range(10)]
    for record in records:  # one batch each, so the answer must come out of the index
        produce(broker.bootstrap, name, [record])
    reader = consumer(broker.bootstrap, name)
    try:
        asked = [10_000, 10_050, 10_900, 10_901]
        found = [reader.offsets_for_times([TopicPartition(name, 0, stamp)], TIMEOUT_S)[0].offset for stamp in asked]
        assert found == [0, 1, 9, OFFSET_END]
        assert reader.get_watermark_offsets(TopicPartition(name, 0), TIMEOUT_S) == (0, 10)
    finally:
        reader.close()


def test_seek_beginning_end_and_middle(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"%d" % number} for number in range(20)])
    reader = consumer(broker.bootstrap, name, {"enable.partition.eof": True})
    try:
        reader.assign([TopicPartition(name, 0, OFFSET_BEGINNING)])
        assert take(reader, 1)[0].value() == b"0"
        reader.seek(TopicPartition(name, 0, 15))
        assert [message.value() for message in take(reader, 5)] == [b"15", b"16", b"17", b"18", b"19"]
        reader.seek(TopicPartition(name, 0, OFFSET_END))
        end = eventually(lambda: reader.poll(0.1))
        assert code_of(end) == KafkaError._PARTITION_EOF
        produce(broker.bootstrap, name, [{"value": b"new"}])
        assert take(reader, 1)[0].value() == b"new"
    finally:
        reader.close()


def test_an_offset_out_of_range_is_reset_or_reported(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, [{"value": b"first"}, {"value": b"second"}])
    reader = consumer(broker.bootstrap, name, {"auto.offset.reset": "earliest"})
    strict = consumer(broker.bootstrap, f"{name}-strict", {"auto.offset.reset": "error"})
    try:
        reader.assign([TopicPartition(name, 0, 1_000)])
        assert take(reader, 1)[0].value() == b"first"
        strict.assign([TopicPartition(name, 0, 1_000)])
        message = eventually(lambda: strict.poll(0.1))
        assert code_of(message) == KafkaError._AUTO_OFFSET_RESET
    finally:
        reader.close()
        strict.close()


def test_pause_and_resume(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    reader = consumer(broker.bootstrap, name)
    try:
        reader.assign([TopicPartition(name, partition, 0) for partition in (0, 1)])
        reader.pause([TopicPartition(name, 0)])
        both = [{"value": b"%d" % number, "partition": number % 2} for number in range(20)]
        produce(broker.bootstrap, name, both)
        assert {message.partition() for message in take(reader, 10)} == {1}
        assert reader.poll(0.3) is None
        reader.resume([TopicPartition(name, 0)])
        assert {message.partition() for message in take(reader, 10)} == {0}
    finally:
        reader.close()


def test_a_message_just_below_the_limit_passes_and_one_above_is_refused(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    roomy = {"message.max.bytes": 5_000_000}
    near = b"n" * (1_048_588 - 100)
    produce(broker.bootstrap, name, [{"value": near}], roomy)
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": broker.bootstrap} | roomy)
    producer.produce(name, b"a" * 1_048_600, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    assert [error and error.code() for error in errors] == [KafkaError.MSG_SIZE_TOO_LARGE]
    assert read_all(broker.bootstrap, name, 1)[0].value() == near


def test_a_topic_may_allow_larger_messages(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, config={"max.message.bytes": "4000000"})
    value = bytes(range(256)) * 12_000
    produce(broker.bootstrap, name, [{"value": value}], {"message.max.bytes": 4_000_000})
    small_fetch = {"fetch.message.max.bytes": 10_000, "fetch.max.bytes": 10_000, "message.max.bytes": 10_000}
    assert read_all(broker.bootstrap, name, 1, small_fetch)[0].value() == value


def test_a_keyless_record_is_refused_by_a_compacted_topic(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, config={"cleanup.policy": "compact"})
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    producer.produce(name, b"keyless", on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    producer.produce(name, b"value", key=b"key", on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    assert errors[0] is not None
    assert errors[0].code() == KafkaError.INVALID_RECORD
    assert errors[1] is None


def test_a_topic_is_created_by_the_first_record(broker: RunningBroker, name: str) -> None:
    produce(broker.bootstrap, name, [{"value": b"first"}], {"allow.auto.create.topics": True})
    assert read_all(broker.bootstrap, name, 1)[0].value() == b"first"


def test_an_unknown_topic_is_an_error_when_creation_is_off(broker: RunningBroker, name: str) -> None:
    errors: list[KafkaError | None] = []
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap,
            "allow.auto.create.topics": False,
            "topic.metadata.propagation.max.ms": 300,
            "message.timeout.ms": 5_000,
        }
    )
    producer.produce(name, b"lost", on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    assert errors[0] is not None
    assert errors[0].code() in (KafkaError._UNKNOWN_TOPIC, KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._MSG_TIMED_OUT)
    assert name not in admin(broker.bootstrap).list_topics(timeout=TIMEOUT_S).topics
    illegal = producer.list_topics("not a legal name!", TIMEOUT_S).topics["not a legal name!"]
    assert illegal.error is not None
    assert illegal.error.code() == KafkaError.TOPIC_EXCEPTION


def test_produce_to_a_partition_that_is_not_there(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": broker.bootstrap, "topic.metadata.propagation.max.ms": 300})
    producer.produce(name, b"lost", partition=7, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(TIMEOUT_S) == 0
    assert errors[0] is not None
    assert errors[0].code() == KafkaError._UNKNOWN_PARTITION
