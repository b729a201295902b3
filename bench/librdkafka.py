"""The same loads through librdkafka (confluent-kafka), as a second opinion: a real client's own costs included."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from bench.batches import payloads

CHUNK = 2_000


class _Acks:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            raise RuntimeError(f"a message was not delivered: {error}")
        self.count += 1


def produce_rate(
    place: dict[str, str],
    topic: str,
    *,
    size_bytes: int,
    acks: str,
    codec: str,
    duration_s: float,
    partitions: int,
    limit: int,
) -> tuple[int, float]:
    """Messages acknowledged and the seconds they took, batching as librdkafka does by itself."""
    producer = Producer(
        {
            **place,
            "acks": acks,
            "compression.type": codec,
            "linger.ms": 5,
            "queue.buffering.max.messages": 1_000_000,
            "queue.buffering.max.kbytes": 256 << 10,
        }
    )
    chunk: list[dict[str, Any]] = [{"value": value} for value in payloads(CHUNK, size_bytes)]
    sent, partition, started = 0, 0, time.perf_counter()
    while time.perf_counter() < started + duration_s and sent < limit:
        # Bounded here rather than by the queue, so that the drain at the end stays short.
        if len(producer) * size_bytes > 64 << 20 or len(producer) > 400_000:
            producer.poll(0.002)
            continue
        sent += _produce_chunk(producer, topic, partition, chunk)
        partition = (partition + 1) % partitions
    if producer.flush(60) != 0:
        raise TimeoutError("messages were never acknowledged")
    return sent, time.perf_counter() - started


def _produce_chunk(producer: Producer, topic: str, partition: int, chunk: list[dict[str, Any]]) -> int:
    taken: int = producer.produce_batch(topic, chunk, partition=partition)
    return taken


def request_rate(port: int, topic: str, *, size_bytes: int, in_flight: int, duration_s: float) -> tuple[int, float]:
    """One message a request: no batching, `in_flight` requests at most."""
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{port}",
            "acks": 1,
            "linger.ms": 0,
            "batch.num.messages": 1,
            "socket.nagle.disable": True,
        }
    )
    value, acks = payloads(1, size_bytes)[0], _Acks()
    sent, started = 0, time.perf_counter()
    while time.perf_counter() < started + duration_s:
        while sent - acks.count < in_flight:
            producer.produce(topic, value, partition=0, on_delivery=acks)
            sent += 1
        producer.poll(1)
    counted, elapsed_s = acks.count, time.perf_counter() - started
    if producer.flush(60) != 0:
        raise TimeoutError("messages were never acknowledged")
    return counted, elapsed_s


def transactions(
    port: int, topic: str, *, size_bytes: int, commit_interval_ms: int, duration_s: float, partitions: int
) -> tuple[int, int, float]:
    """Messages committed, commits, and the seconds they took; an interval of 0 is a message a transaction."""
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{port}",
            "transactional.id": f"bench-{size_bytes}-{commit_interval_ms}",
            "linger.ms": 5 if commit_interval_ms else 0,
            "queue.buffering.max.messages": 1_000_000,
            "queue.buffering.max.kbytes": 256 << 10,
        }
    )
    producer.init_transactions(60)
    chunk: list[dict[str, Any]] = [
        {"value": value} for value in payloads(CHUNK if commit_interval_ms else 1, size_bytes)
    ]
    sent = commits = partition = 0
    started = time.perf_counter()
    while time.perf_counter() < started + duration_s:
        producer.begin_transaction()
        due = time.perf_counter() + commit_interval_ms / 1000
        while True:
            if len(producer) * size_bytes > 64 << 20 or len(producer) > 400_000:
                producer.poll(0.002)
            else:
                sent += _produce_chunk(producer, topic, partition, chunk)
                partition = (partition + 1) % partitions
            if time.perf_counter() >= due:
                break
        producer.commit_transaction(60)
        commits += 1
    return sent, commits, time.perf_counter() - started


def consume_rate(place: dict[str, str], topic: str, *, duration_s: float, partitions: int) -> tuple[int, int, float]:
    """Messages, payload bytes and seconds, reading from the beginning and again from there when the end is reached."""
    consumer = Consumer(
        {
            **place,
            "group.id": "bench",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "queued.max.messages.kbytes": 256 << 10,
            # A seek waits for the fetch that is under way, which at the end of a partition finds nothing.
            "fetch.wait.max.ms": 10,
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    messages = size_bytes = 0
    started: float | None = None  # the clock starts with the first messages: connecting is not part of the rate
    deadline = time.perf_counter() + 30
    while time.perf_counter() < deadline:
        for message in consumer.consume(10_000, timeout=0.2):
            if message.error() is not None:
                _rewind(consumer, topic, message)
                continue
            messages += 1
            size_bytes += len(message.value() or b"")
        if started is None and messages:
            started, messages, size_bytes = time.perf_counter(), 0, 0
            deadline = started + duration_s
    if started is None:
        raise TimeoutError("the consumer got nothing")
    elapsed_s = time.perf_counter() - started
    consumer.close()
    return messages, size_bytes, elapsed_s


def consume_once(
    place: dict[str, str], topic: str, *, partitions: int, timeout_s: float = 120
) -> tuple[int, int, float]:
    """Messages, payload bytes and seconds from the first message to the end of every partition."""
    consumer = Consumer({**place, "group.id": "bench", "enable.auto.commit": False, "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    messages = size_bytes = 0
    ended: set[int | None] = set()
    started: float | None = None  # as above
    deadline = time.perf_counter() + timeout_s
    while len(ended) < partitions:
        if time.perf_counter() > deadline:
            raise TimeoutError("the end was not reached")
        for message in consumer.consume(10_000, timeout=0.2):
            error = message.error()
            if error is None:
                messages += 1
                size_bytes += len(message.value() or b"")
            elif error.code() == KafkaError._PARTITION_EOF:
                ended.add(message.partition())
            else:
                raise RuntimeError(f"the consumer failed: {error}")
        if started is None and messages:
            started, messages, size_bytes = time.perf_counter(), 0, 0
    assert started is not None
    elapsed_s = time.perf_counter() - started
    consumer.close()
    return messages, size_bytes, elapsed_s


def _rewind(consumer: Consumer, topic: str, message: Message) -> None:
    error = message.error()
    partition = message.partition()
    if error is None or error.code() != KafkaError._PARTITION_EOF or partition is None:
        raise RuntimeError(f"the consumer failed: {error}")
    consumer.seek(TopicPartition(topic, partition, 0))
