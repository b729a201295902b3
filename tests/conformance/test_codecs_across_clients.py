"""Every Python client reads what every other wrote, in every codec, with keys, nulls and headers intact."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import confluent_kafka
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer  # type: ignore[import-untyped]
from kafka import KafkaConsumer, KafkaProducer, TopicPartition  # type: ignore[import-untyped]
from kafka.codec import has_lz4, has_snappy, has_zstd  # type: ignore[import-untyped]

from conformance import confluent
from conformance.running_broker import RunningBroker

Record = tuple[bytes | None, bytes | None, tuple[tuple[str, bytes], ...]]
CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
KAFKA_PYTHON_LACKS = {"snappy": not has_snappy(), "lz4": not has_lz4(), "zstd": not has_zstd()}

RECORDS: list[Record] = [
    *((b"key-%d" % number, b"compress me, compress me " * 20, (("number", b"%d" % number),)) for number in range(100)),
    (b"tombstone", None, ()),
    (None, b"keyless", ()),
    (b"empty", b"", (("empty", b""),)),
]


def write_confluent(bootstrap: str, topic: str, codec: str) -> None:
    records = [{"key": key, "value": value, "headers": list(headers)} for key, value, headers in RECORDS]
    confluent.produce(bootstrap, topic, records, {"compression.type": codec, "linger.ms": 50})


def write_kafka_python(bootstrap: str, topic: str, codec: str) -> None:
    kind = None if codec == "none" else codec
    with closing(KafkaProducer(bootstrap_servers=bootstrap, compression_type=kind, linger_ms=50)) as producer:
        for key, value, headers in RECORDS:
            producer.send(topic, value, key=key, headers=list(headers), partition=0)
        producer.flush(20)


def write_aiokafka(bootstrap: str, topic: str, codec: str) -> None:
    async def write() -> None:
        kind = None if codec == "none" else codec
        producer = AIOKafkaProducer(bootstrap_servers=bootstrap, compression_type=kind, linger_ms=50)
        await producer.start()
        try:
            for key, value, headers in RECORDS:
                await producer.send(topic, value, key=key, headers=list(headers), partition=0)
            await producer.flush()
        finally:
            await producer.stop()

    asyncio.run(write())


def read_confluent(bootstrap: str, topic: str) -> list[Record]:
    messages: list[confluent_kafka.Message] = confluent.read_all(bootstrap, topic, len(RECORDS), {"check.crcs": True})
    return [(message.key(), message.value(), tuple(message.headers() or ())) for message in messages]  # type: ignore


def read_kafka_python(bootstrap: str, topic: str) -> list[Record]:
    found: list[Any] = []
    with closing(KafkaConsumer(bootstrap_servers=bootstrap, check_crcs=True)) as reader:
        reader.assign([TopicPartition(topic, 0)])
        reader.seek(TopicPartition(topic, 0), 0)
        deadline = time.monotonic() + 20
        while len(found) < len(RECORDS):
            assert time.monotonic() < deadline, f"{len(found)} of {len(RECORDS)} records"
            for records in reader.poll(200).values():
                found.extend(records)
    return [(record.key, record.value, tuple(map(tuple, record.headers))) for record in found]


def read_aiokafka(bootstrap: str, topic: str) -> list[Record]:
    async def read() -> list[Any]:
        reader = AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", check_crcs=True)
        await reader.start()
        try:
            async with asyncio.timeout(20):
                return [await reader.getone() for _ in RECORDS]
        finally:
            await reader.stop()

    return [(record.key, record.value, tuple(record.headers)) for record in asyncio.run(read())]


WRITERS: dict[str, Callable[[str, str, str], None]] = {
    "confluent": write_confluent,
    "kafka-python": write_kafka_python,
    "aiokafka": write_aiokafka,
}
READERS: dict[str, Callable[[str, str], list[Record]]] = {
    "confluent": read_confluent,
    "kafka-python": read_kafka_python,
    "aiokafka": read_aiokafka,
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("writer", WRITERS)
def test_all_clients_read_what_one_wrote(broker: RunningBroker, name: str, writer: str, codec: str) -> None:
    lacking = KAFKA_PYTHON_LACKS.get(codec, False)
    if writer == "kafka-python" and lacking:
        pytest.skip(f"kafka-python finds no library for {codec} here")
    confluent.create_topic(broker.bootstrap, name)
    WRITERS[writer](broker.bootstrap, name, codec)
    for reader, read in READERS.items():
        if reader == "kafka-python" and lacking:
            continue
        assert read(broker.bootstrap, name) == RECORDS, f"{writer} -> {reader}"
