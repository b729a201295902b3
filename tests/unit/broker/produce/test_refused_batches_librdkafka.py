"""What librdkafka makes of a broker that learns of its office between two of its batches: nothing twice, nothing lost.

The broker plays a change of leaders; its client is the real one, with several requests on their way. Were what follows
a refused batch called out of order, or taken, there would be a value twice or none
(`broker/requests/refused_batches.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from riacho.base.errors import ErrorCode
from riacho.base.errors import KafkaError as BrokerError
from riacho.broker.handlers import produce
from riacho.testing import KafkaCluster
from riacho.wire.batch import read_header
from riacho.wire.records import decode_records, records_section

TOPIC = "events"
VALUES = [b"%d" % number for number in range(5)]
WAIT_S = 60
# Given the value of a batch: whether it is stored, and whether its client hears so.
TAKEN, REFUSED, TAKEN_AND_REFUSED = (True, True), (False, False), (True, False)
Play = Callable[[bytes], tuple[bool, bool]]


def stage(monkeypatch: pytest.MonkeyPatch, play: Play) -> None:
    usual = produce._append

    def append(ctx: Any, partition: Any, data: Any, *rest: Any) -> Any:
        is_stored, is_acknowledged = play(value_of(data.records)) if partition.topic == TOPIC else TAKEN
        answer = usual(ctx, partition, data, *rest) if is_stored else None
        if not is_acknowledged:
            raise BrokerError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        return answer

    monkeypatch.setattr(produce, "_append", append)


def value_of(records: Any) -> bytes:
    """Of a batch with one record."""
    [record] = decode_records(records_section(records, read_header(records)), 1)
    assert record.value is not None
    return bytes(record.value)


class ChangeOfLeaders:
    """The old leader stores the first of five and is deposed while it waits for its followers; the rest come too late.
    The new one has not heard of its office when the first two come again."""

    def __init__(self) -> None:
        self._is_deposed = False
        self._refused_by_new = 0

    def __call__(self, value: bytes) -> tuple[bool, bool]:
        if value not in VALUES or self._refused_by_new == 2:
            return TAKEN
        if not self._is_deposed:
            # All of them must be on their way together, then and later.
            self._is_deposed = value == VALUES[-1]
            return REFUSED if value != VALUES[0] else TAKEN_AND_REFUSED
        self._refused_by_new += 1
        return REFUSED


class LateLeader:
    """It has not heard of its office when the very first batch comes."""

    def __init__(self) -> None:
        self._knows = False

    def __call__(self, value: bytes) -> tuple[bool, bool]:
        if self._knows:
            return TAKEN
        self._knows = True
        return REFUSED


class Client:
    def __init__(self, cluster: KafkaCluster) -> None:
        self._bootstrap = cluster.bootstrap_servers
        config = {
            "bootstrap.servers": self._bootstrap,
            "enable.idempotence": True,
            "linger.ms": 0,
            "batch.num.messages": 1,
            "retry.backoff.ms": 20,
        }
        self._producer = Producer(config)
        self.verdicts: list[tuple[bytes | None, KafkaError | None]] = []

    def send(self, *values: bytes) -> None:
        for value in values:
            self._producer.produce(TOPIC, value, partition=0, on_delivery=self._settle)
        assert self._producer.flush(WAIT_S) == 0

    def _settle(self, error: KafkaError | None, message: Message) -> None:
        self.verdicts.append((message.value(), error))

    def read(self) -> list[bytes | None]:
        config = {"bootstrap.servers": self._bootstrap, "group.id": "reader", "enable.partition.eof": True}
        consumer = Consumer(config)
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        found: list[bytes | None] = []
        try:
            while True:
                message = consumer.poll(WAIT_S)
                assert message is not None, f"nothing more within {WAIT_S} s, after {found}"
                error = message.error()
                if error is not None:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    return found
                found.append(message.value())
        finally:
            consumer.close()


def test_a_stored_batch_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stage(monkeypatch, ChangeOfLeaders())
    with KafkaCluster() as cluster:
        cluster.create_topic(TOPIC)
        client = Client(cluster)
        client.send(b"before")
        client.send(*VALUES)
        assert client.read() == [b"before", *VALUES]
        assert client.verdicts == [(value, None) for value in (b"before", *VALUES)]


def test_a_new_producers_first_batch_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A success of the second tells librdkafka that the first is stored too."""
    stage(monkeypatch, LateLeader())
    with KafkaCluster() as cluster:
        cluster.create_topic(TOPIC)
        client = Client(cluster)
        client.send(*VALUES)
        assert client.read() == VALUES
        assert client.verdicts == [(value, None) for value in VALUES]
