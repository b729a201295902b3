"""A message once more: its bytes as they are, whatever they would be decoded as."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService

# No text, and no JSON that would come out as it went in.
KEY = b"\xff\x00\xfekey"
VALUE = b'{"b": 1.0, "a": 1e2,  "a": 2}\x80'
HEADERS = [("trace", b"\x80\xff"), ("none", None), ("empty", b""), ("trace", b"twice")]
ERRORS = [("__connect.errors.topic", b"orders"), ("__connect.errors.stage", b"VALUE_CONVERTER")]


def write(brokers: KafkaCluster, topic: str, headers: list[tuple[str, bytes | None]], value: bytes = VALUE) -> None:
    producer = Producer(brokers.client_settings())
    producer.produce(topic, value, KEY, partition=2, headers=headers)
    assert producer.flush(60) == 0


def read(brokers: KafkaCluster, topic: str, partition: int, offset: int) -> Any:
    consumer = Consumer({**brokers.client_settings(), "group.id": "reads-what-was-replayed"})
    try:
        consumer.assign([TopicPartition(topic, partition, offset)])
        found = consumer.poll(60)
        assert found is not None
        assert found.error() is None
        return found
    finally:
        consumer.close()


def replay(console: ControlCenterService, name: str, offset: int = 0, /, **body: Any) -> Any:
    return console.post(f"{CLUSTER}/topics/{name}/messages/2/{offset}/replay", body)


def test_key_value_and_headers_are_the_same_bytes(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    write(brokers, topic, HEADERS)
    answer = replay(console, topic, partition=0)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["partition"], told["offset"], told["error"]) == (0, 0, None)
    again = read(brokers, topic, 0, 0)
    assert (again.key(), again.value(), again.headers()) == (KEY, VALUE, HEADERS)


def test_a_dead_letter_goes_back_without_what_was_said_of_it(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    other = f"{topic}-orders"
    brokers.create_topic(other, partitions=1)
    write(brokers, topic, [*HEADERS, *ERRORS])
    assert replay(console, topic, topic=other, drop_error_headers=True).json()["partition"] == 0
    assert read(brokers, other, 0, 0).headers() == HEADERS
    assert replay(console, topic, topic=other).status_code == 200
    assert read(brokers, other, 0, 1).headers() == [*HEADERS, *ERRORS]


def test_a_large_one_goes_though_its_hex_would_be_no_body(
    console: ControlCenterService, brokers: KafkaCluster, topic: str
) -> None:
    large = f"{topic}-large"
    brokers.create_topic(large, partitions=3, configs={"max.message.bytes": str(12 * 1024 * 1024)})
    value = bytes(range(256)) * (6 * 4096)
    producer = Producer({**brokers.client_settings(), "message.max.bytes": 16 * 1024 * 1024})
    producer.produce(large, value, partition=2)
    assert producer.flush(60) == 0
    assert replay(console, large, partition=1).status_code == 200
    assert read(brokers, large, 1, 0).value() == value


def test_what_is_hidden_is_not_sent_on(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    masked, open_ = f"masked-{topic}", f"{topic}-open"
    for name in (masked, open_):
        brokers.create_topic(name, partitions=3)
    write(brokers, masked, [], b'{"card": "4111"}')
    refused = replay(console, masked, topic=open_)
    assert (refused.status_code, refused.json()["error_code"]) == (403, 40304)
    assert console.get(f"{CLUSTER}/topics/{open_}/messages?from=oldest").text.count("event: message") == 0


def test_replays_that_cannot_be(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    write(brokers, topic, [])
    assert replay(console, topic, 9).status_code == 404
    assert replay(console, topic, topic="nothing-here").status_code == 404
    assert replay(console, topic, topic="../x").status_code == 404
    assert replay(console, topic, partition=77).status_code == 404
    assert replay(console, topic, partition=-1).status_code == 404
    assert replay(console, topic, ziel="x").status_code == 422
