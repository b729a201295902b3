"""kafka-e2e-latency: how long a record takes from producer to consumer, one record at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.deserializers import java_float
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.progress import Progress, progress
from riacho.client.librdkafka.fatal_errors import flush

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

_TIMEOUT_S = 60.0
_CREATE_TIMEOUT_S = 30.0
_REPORT_EVERY = 1000


def main() -> None:
    launch("kafka-e2e-latency", run)


def run(arguments: Arguments) -> int:
    properties = client_properties(arguments)
    topic, count = arguments.need("topic"), arguments.need_number("num-records")
    from confluent_kafka import Consumer, Producer

    consumer: Consumer = make_client(
        Consumer,
        translate(
            {
                **properties,
                "group.id": f"test-group-{time.time_ns() // 1_000_000}",
                "enable.auto.commit": "false",
                "auto.offset.reset": "latest",
                # The broker answers at once, or the wait for more bytes would be what is measured.
                "fetch.max.wait.ms": "0",
            }
        ),
    )
    producer: Producer = make_client(
        Producer,
        translate(
            {
                **properties,
                "linger.ms": "0",
                "acks": arguments.need("producer-acks"),
                "message.timeout.ms": str(int(_TIMEOUT_S * 1000)),
            }
        ),
    )
    try:
        _make_topic(consumer, properties, topic)
        _assign_ends(consumer, topic)
        # Off a terminal its lines are Kafka's and tell enough.
        with progress("Measuring", count, has_lines=False) as bar:
            latencies_ms = _measure(producer, consumer, arguments, topic, bar)
        _print(latencies_ms)
    finally:
        consumer.close()
    return 0


def _make_topic(consumer: Consumer, properties: Mapping[str, str], topic: str) -> None:
    metadata = reach(consumer, properties, REACH_TIMEOUT_S)
    if topic in metadata.topics:
        return
    print(f'Topic "{topic}" does not exist. Will create topic with 1 partition(s) and replication factor = 1')
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

    admin = make_client(AdminClient, translate(properties))
    try:
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(_CREATE_TIMEOUT_S)
    except KafkaException as error:
        raise ToolError(f"Error: topic '{topic}' cannot be created: {error.args[0].str()}") from None


def _assign_ends(consumer: Consumer, topic: str) -> None:
    from confluent_kafka import TopicPartition

    deadline = time.monotonic() + _CREATE_TIMEOUT_S
    while not (partitions := consumer.list_topics(topic, timeout=REACH_TIMEOUT_S).topics[topic].partitions):
        if time.monotonic() > deadline:
            raise ToolError(f"Error: topic '{topic}' has no partitions yet.")
    ends = []
    for index in partitions:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, index), timeout=_CREATE_TIMEOUT_S)
        ends.append(TopicPartition(topic, index, end))
    consumer.assign(ends)


def _measure(producer: Producer, consumer: Consumer, arguments: Arguments, topic: str, bar: Progress) -> list[float]:
    key_size, headers = arguments.need_number("record-key-size"), _headers(arguments)
    latencies_ms = []
    for number in range(arguments.need_number("num-records")):
        value, key = _letters(arguments.need_number("record-size")), _letters(key_size) if key_size else None
        started = time.perf_counter()
        producer.produce(topic, value, key, headers=headers or None, on_delivery=_delivered)  # type: ignore[arg-type]
        flush(producer, _TIMEOUT_S)
        message = consumer.poll(_TIMEOUT_S)
        elapsed_ms = (time.perf_counter() - started) * 1000
        if message is None:
            raise ToolError(f"poll() timed out before finding a result (timeout:[{int(_TIMEOUT_S * 1000)}ms])")
        if message.error() is not None:
            raise ToolError(f"Error: {message.error().str()}")  # type: ignore[union-attr]
        if message.value() != value or message.key() != key:
            raise ToolError("The record that came back is not the one that was sent: another producer uses the topic.")
        if number % _REPORT_EVERY == 0:
            print(f"{number}\t{java_float(elapsed_ms, repr(elapsed_ms))}", flush=True)
        latencies_ms.append(elapsed_ms)
        bar.advance()
    return latencies_ms


def _delivered(error: Any, message: Any) -> None:
    if error is not None:
        raise ToolError(f"Error: the record was not taken: {error.str()}")


def _letters(size: int) -> bytes:
    return bytes(65 + byte % 26 for byte in os.urandom(size))


def _headers(arguments: Arguments) -> list[tuple[str, bytes]]:
    key_size, value_size = (arguments.need_number(f"record-header-{part}") for part in ("key-size", "size"))
    return [(_letters(key_size).decode(), _letters(value_size)) for _ in range(arguments.need_number("num-headers"))]


def _print(latencies_ms: list[float]) -> None:
    if not latencies_ms:
        raise ToolError("Error: --num-records must be above 0.")
    ordered = sorted(latencies_ms)
    p50, p99, p999 = (int(ordered[min(int(len(ordered) * share), len(ordered) - 1)]) for share in (0.5, 0.99, 0.999))
    print(f"Avg latency: {sum(ordered) / len(ordered):.4f} ms")
    print(f"Percentiles: 50th = {p50}, 99th = {p99}, 99.9th = {p999}")
