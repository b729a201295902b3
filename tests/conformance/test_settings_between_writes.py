"""A producer that goes on while its topic's settings change: its next answers are by the new ones."""

from __future__ import annotations

from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, KafkaError, Message, Producer
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from conformance.confluent import create_topic
from conformance.running_broker import RunningBroker

WAIT_S = 60


def timestamp_types(producer: Producer, topic: str, count: int = 5) -> set[int]:
    """As the answers say, one request a record."""
    found: set[int] = set()

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None, error
        found.add(message.timestamp()[0])

    for number in range(count):
        producer.produce(topic, b"%d" % number, partition=0, on_delivery=delivered)
        assert producer.flush(WAIT_S) == 0
    return found


def test_a_setting_that_changes_the_answers_counts_at_once(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    settings = {"bootstrap.servers": broker.bootstrap}
    admin = AdminClient(settings)
    producer = Producer(settings | {"acks": "all", "enable.idempotence": True})
    assert timestamp_types(producer, name) == {TIMESTAMP_CREATE_TIME}
    for value, expected in (
        ("LogAppendTime", TIMESTAMP_LOG_APPEND_TIME),
        ("CreateTime", TIMESTAMP_CREATE_TIME),
    ):
        entry = ConfigEntry("message.timestamp.type", value, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
        for future in admin.incremental_alter_configs([resource]).values():
            future.result(WAIT_S)
        assert timestamp_types(producer, name) == {expected}
