"""aiokafka: producing, reading back, groups, seeking, limits, errors and its admin client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import aiokafka.errors  # type: ignore[import-untyped]
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, OffsetAndMetadata, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic  # type: ignore[import-untyped]
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType  # type: ignore[import-untyped]
from aiokafka.admin.records_to_delete import RecordsToDelete  # type: ignore[import-untyped]

from conformance.running_broker import RunningBroker

TIMEOUT_S = 20


@asynccontextmanager
async def started(client: Any) -> Any:
    await client.start()
    try:
        yield client
    finally:
        await (client.close() if isinstance(client, AIOKafkaAdminClient) else client.stop())


async def create(broker: RunningBroker, topic: str, partitions: int = 1, **configs: str) -> None:
    named = {key.replace("_", "."): value for key, value in configs.items()}
    async with started(AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
        await client.create_topics([NewTopic(topic, partitions, 1, topic_configs=named)])
        await until(lambda: is_led(client, topic, partitions))


async def is_led(client: AIOKafkaAdminClient, topic: str, partitions: int) -> bool:
    [described] = await client.describe_topics([topic])
    return len([each for each in described["partitions"] if each["leader"] >= 0]) == partitions


async def until(question: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while not await question():
            await asyncio.sleep(0.05)


async def take(source: AIOKafkaConsumer, count: int) -> list[Any]:
    taken: list[Any] = []
    async with asyncio.timeout(TIMEOUT_S):
        while len(taken) < count:
            for records in (await source.getmany(timeout_ms=200)).values():
                taken.extend(records)
    return taken


async def fill(broker: RunningBroker, topic: str, count: int, partition: int = 0, **config: Any) -> list[Any]:
    async with started(AIOKafkaProducer(bootstrap_servers=broker.bootstrap, **config)) as producer:
        sent = [await producer.send(topic, b"%d" % number, partition=partition) for number in range(count)]
        return list(await asyncio.gather(*sent))


def reader_of(broker: RunningBroker, **config: Any) -> AIOKafkaConsumer:
    defaults = {"auto_offset_reset": "earliest", "enable_auto_commit": False}
    return AIOKafkaConsumer(bootstrap_servers=broker.bootstrap, **(defaults | config))


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_every_acks_level(broker: RunningBroker, name: str, acks: int | str) -> None:
    async def conversation() -> None:
        await create(broker, name)
        await fill(broker, name, 200, acks=acks)
        async with started(reader_of(broker)) as reader:
            reader.assign([TopicPartition(name, 0)])
            assert [record.value for record in await take(reader, 200)] == [b"%d" % number for number in range(200)]

    asyncio.run(conversation())


@pytest.mark.parametrize("codec", [None, "gzip", "snappy", "lz4", "zstd"])
def test_every_codec_and_idempotence(broker: RunningBroker, name: str, codec: str | None) -> None:
    async def conversation() -> None:
        await create(broker, name)
        stored = await fill(broker, name, 300, compression_type=codec, enable_idempotence=True, linger_ms=20)
        assert [record.offset for record in stored] == list(range(300))
        async with started(reader_of(broker)) as reader:
            reader.assign([TopicPartition(name, 0)])
            assert [record.value for record in await take(reader, 300)] == [b"%d" % number for number in range(300)]

    asyncio.run(conversation())


def test_keys_values_headers_nulls_and_timestamps(broker: RunningBroker, name: str) -> None:
    headers = [("plain", b"one"), ("plain", b"two"), ("empty", b"")]
    sent: list[dict[str, Any]] = [
        {"key": b"key", "value": b"value", "headers": headers, "timestamp_ms": 1_000},
        {"key": b"deleted", "value": None, "timestamp_ms": 2_000},
        {"key": None, "value": b"keyless", "timestamp_ms": 3_000},
    ]

    async def conversation() -> None:
        await create(broker, name)
        async with started(AIOKafkaProducer(bootstrap_servers=broker.bootstrap)) as producer:
            for record in sent:
                await producer.send_and_wait(name, **record)
        async with started(reader_of(broker)) as reader:
            partition = TopicPartition(name, 0)
            reader.assign([partition])
            received = await take(reader, 3)
            for record, original in zip(received, sent, strict=True):
                assert (record.key, record.value, record.timestamp) == (
                    original["key"],
                    original["value"],
                    original["timestamp_ms"],
                )
            assert list(received[0].headers) == headers
            found = await reader.offsets_for_times({partition: 1_500})
            assert (found[partition].offset, found[partition].timestamp) == (1, 2_000)
            assert await reader.beginning_offsets([partition]) == {partition: 0}
            assert await reader.end_offsets([partition]) == {partition: 3}

    asyncio.run(conversation())


def test_log_append_time(broker: RunningBroker, name: str) -> None:
    async def conversation() -> None:
        await create(broker, name, message_timestamp_type="LogAppendTime")
        before_ms = int(time.time() * 1000) - 5
        async with started(AIOKafkaProducer(bootstrap_servers=broker.bootstrap)) as producer:
            stored = await producer.send_and_wait(name, b"x", timestamp_ms=5)
        assert stored.timestamp_type == 1
        assert stored.timestamp >= before_ms

    asyncio.run(conversation())


def test_seek_pause_and_resume(broker: RunningBroker, name: str) -> None:
    async def conversation() -> None:
        await create(broker, name, 2)
        for partition in (0, 1):
            await fill(broker, name, 10, partition)
        both = [TopicPartition(name, 0), TopicPartition(name, 1)]
        async with started(reader_of(broker)) as reader:
            reader.assign(both)
            reader.pause(both[0])
            assert {record.partition for record in await take(reader, 10)} == {1}
            reader.resume(both[0])
            assert {record.partition for record in await take(reader, 10)} == {0}
            reader.seek(both[0], 7)
            assert [record.offset for record in await take(reader, 3)] == [7, 8, 9]
            await reader.seek_to_beginning(both[1])
            assert (await take(reader, 10))[0].offset == 0
            await reader.seek_to_end(both[1])
            assert await reader.position(both[1]) == 10

    asyncio.run(conversation())


def test_a_group_continues_where_it_committed(broker: RunningBroker, name: str) -> None:
    async def conversation() -> None:
        await create(broker, name)
        await fill(broker, name, 10)
        partition = TopicPartition(name, 0)
        async with started(member_of(broker, name)) as first:
            assert len(await take(first, 4)) >= 4
            await first.commit({partition: OffsetAndMetadata(4, "so far")})
        async with started(member_of(broker, name)) as second:
            assert [record.offset for record in await take(second, 6)] == [4, 5, 6, 7, 8, 9]
            assert await second.committed(partition) == 4
        async with started(AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
            assert name in [group[0] for group in await client.list_consumer_groups()]
            offsets = await client.list_consumer_group_offsets(name)
            assert (offsets[partition].offset, offsets[partition].metadata) == (4, "so far")
            [described] = await client.describe_consumer_groups([name])
            assert described.groups[0][1:3] == (name, "Empty")

    asyncio.run(conversation())


def member_of(broker: RunningBroker, name: str) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        name,
        bootstrap_servers=broker.bootstrap,
        group_id=name,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )


def test_limits_and_refusals(broker: RunningBroker, name: str) -> None:
    async def conversation() -> None:
        await create(broker, name, cleanup_policy="compact")
        roomy = AIOKafkaProducer(bootstrap_servers=broker.bootstrap, max_request_size=5_000_000)
        async with started(roomy) as producer:
            with pytest.raises(aiokafka.errors.MessageSizeTooLargeError):
                await producer.send_and_wait(name, b"a" * 1_048_600, key=b"k")
            await producer.send_and_wait(name, b"n" * (1_048_588 - 100), key=b"k")
            with pytest.raises(aiokafka.errors.BrokerResponseError):  # this client has no name for code 87
                await producer.send_and_wait(name, b"keyless")
            stored = await producer.send_and_wait(f"{name}-new", b"made by the first record")
            assert stored.offset == 0

    asyncio.run(conversation())


def test_admin(broker: RunningBroker, name: str) -> None:
    async def conversation() -> None:
        await create(broker, name, 2, retention_ms="5000")
        await fill(broker, name, 10)
        partition = TopicPartition(name, 0)
        async with started(AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap)) as client:
            assert name in await client.list_topics()
            cluster = await client.describe_cluster()
            assert [f"{node['host']}:{node['port']}" for node in cluster["brokers"]] == [broker.bootstrap]
            await client.create_partitions({name: NewPartitions(3)})
            await until(lambda: is_led(client, name, 3))
            deleted = await client.delete_records({partition: RecordsToDelete(before_offset=4)})
            assert deleted[partition] == 4
            resource = ConfigResource(ConfigResourceType.TOPIC, name)
            [answer] = await client.describe_configs([resource])
            values = {config[0]: config[1] for config in answer.resources[0][4]}
            assert values["retention.ms"] == "5000"
            await client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, {"retention.ms": "7000"})])
            [answer] = await client.describe_configs([resource])
            await client.delete_topics([name])

            async def is_gone() -> bool:
                return name not in await client.list_topics()

            await until(is_gone)

    asyncio.run(conversation())
