"""What one partition of this cluster takes and gives: one producer, one consumer, on a topic made for it."""

from __future__ import annotations

import os
import time
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.librdkafka_client import make_consumer, make_producer, reach, refused
from riacho.cli.partition_plan import Measured
from riacho.cli.progress import Advance
from riacho.cli.target import Target

# Looked at the clock so often: not for every record, which would be measured along.
_STRIDE = 200
_FIRST_RECORD_TIMEOUT_S = 10.0


def measure_producer(target: Target, topic: str, record_size_bytes: int, seconds: float, advance: Advance) -> Measured:
    """Records of that size into partition 0, acks=all, for so long; counted when the broker has taken them."""
    producer = make_producer(target, {"queue.buffering.max.kbytes": 65_536, "batch.size": 1_000_000})
    reach(target)
    value = os.urandom(record_size_bytes)
    failures: list[Any] = []

    def on_delivery(error: Any, message: Any) -> None:
        if error is not None:
            failures.append(error)

    # The first record finds the leader and opens the connection, and is not counted.
    producer.produce(topic, value, partition=0, on_delivery=on_delivery)
    producer.flush(_FIRST_RECORD_TIMEOUT_S)
    count = 0
    started = looked = time.monotonic()
    while not failures and looked - started < seconds:
        for _ in range(_STRIDE):
            try:
                producer.produce(topic, value, partition=0, on_delivery=on_delivery)
                count += 1
            except BufferError:
                producer.poll(0.01)
        producer.poll(0)
        now = time.monotonic()
        advance(int((now - looked) * 1000))
        looked = now
    while producer.flush(1.0) and not failures:
        pass
    elapsed_s = time.monotonic() - started
    if failures:
        producer.purge()
        raise refused(failures[0], "The measurement failed")
    return Measured(count, count * record_size_bytes, elapsed_s)


def measure_consumer(target: Target, topic: str, seconds: float, advance: Advance) -> Measured:
    """What is in partition 0, read from the start, until it ends or the time is up."""
    from confluent_kafka import KafkaError as ClientError
    from confluent_kafka import TopicPartition

    consumer = make_consumer(target, settings={"fetch.max.bytes": 52_428_800, "max.partition.fetch.bytes": 10_485_760})
    try:
        reach(target)
        count = size_bytes = 0
        is_end = False
        started = looked = time.monotonic()
        consumer.assign([TopicPartition(topic, 0, 0)])
        while not is_end and looked - started < (seconds if count else _FIRST_RECORD_TIMEOUT_S):
            for message in consumer.consume(_STRIDE, timeout=0.1):
                error = message.error()
                if error is None:
                    count += 1
                    size_bytes += len(message.value() or b"")
                elif error.code() == ClientError._PARTITION_EOF:
                    is_end = True
                elif not error.retriable():
                    raise refused(error, "The measurement failed")
            now = time.monotonic()
            advance(int((now - looked) * 1000))
            looked = now
        elapsed_s = time.monotonic() - started
    finally:
        consumer.close()
    if not count:
        raise KafkaError(ErrorCode.REQUEST_TIMED_OUT, "The measurement failed: no record came back.")
    return Measured(count, size_bytes, elapsed_s)
