"""A process that reads, transforms and writes in transactions: BOOTSTRAP GROUP TRANSACTIONAL_ID SOURCE TARGET.

Every value becomes two records, a debit in one partition of the target and a credit in the next: money that leaves one
account and reaches another. Both, and the offset, are one transaction. One transaction in ten is aborted for no reason
and done again. It ends on what it cannot go on after, such as being fenced; whoever runs it starts another.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

BATCH = 25
PATIENCE_S = 15.0


def main(bootstrap: str, group: str, transactional_id: str, source: str, target: str) -> None:
    common: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "reconnect.backoff.max.ms": 300,
        "topic.metadata.refresh.interval.ms": 2_000,
    }
    consumer = Consumer(
        common
        | {
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "session.timeout.ms": 6_000,
            "heartbeat.interval.ms": 300,
            # librdkafka may wait for a group coordinator that is gone: the others must not wait for this one for long.
            "max.poll.interval.ms": 10_000,
        }
    )
    producer = Producer(
        common | {"transactional.id": transactional_id, "transaction.timeout.ms": 3_000, "retry.backoff.ms": 50}
    )
    _patiently(lambda: producer.init_transactions(PATIENCE_S))
    consumer.subscribe([source])
    print("ready", flush=True)
    while True:
        messages = [message for message in consumer.consume(BATCH, 0.2) if message.error() is None]
        if messages:
            transact(consumer, producer, messages, target)


def transact(consumer: Consumer, producer: Producer, messages: list[Message], target: str) -> None:
    """These messages in one transaction; where that must be aborted, they are read again."""
    partitions = len(producer.list_topics(target, PATIENCE_S).topics[target].partitions)
    try:
        producer.begin_transaction()
        for message in messages:
            value = message.value() or b""
            account = int(value) % partitions
            producer.produce(target, b"debit %s" % value, partition=account)
            producer.produce(target, b"credit %s" % value, partition=(account + 1) % partitions)
        ends = {
            (message.topic(), message.partition()): TopicPartition(
                message.topic() or "", message.partition() or 0, (message.offset() or 0) + 1
            )
            for message in messages
        }
        metadata = consumer.consumer_group_metadata()
        _patiently(lambda: producer.send_offsets_to_transaction(list(ends.values()), metadata, PATIENCE_S))
        if random.random() < 0.1:
            _abort(consumer, producer)
        else:
            _patiently(lambda: producer.commit_transaction(PATIENCE_S))
            print("committed", len(messages), flush=True)
    except KafkaException as error:
        if not error.args[0].txn_requires_abort():
            raise
        _abort(consumer, producer)


def _abort(consumer: Consumer, producer: Producer) -> None:
    _patiently(lambda: producer.abort_transaction(PATIENCE_S))
    for place in consumer.committed(consumer.assignment(), PATIENCE_S):
        if place.offset < 0:
            place.offset = 0
        consumer.seek(place)


def _patiently(act: Any) -> None:
    """Where the client says that it may be tried again, it is. Not when it took all its time: another process may find
    the new coordinator at once."""
    while True:
        try:
            act()
        except KafkaException as error:
            if not error.args[0].retriable() or error.args[0].code() == KafkaError._TIMED_OUT:
                raise
        else:
            return


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KafkaException as error:
        print("ended", error.args[0], flush=True)
        sys.exit(3)
