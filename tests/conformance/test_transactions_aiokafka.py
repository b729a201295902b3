"""aiokafka's transactional producer: commit, abort, isolation, fencing and offsets within transactions."""

from __future__ import annotations

import asyncio
from typing import Any

import aiokafka.errors  # type: ignore[import-untyped]
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from conformance.running_broker import RunningBroker
from conformance.test_aiokafka import create, fill, started, take


def transactional(broker: RunningBroker, transactional_id: str) -> AIOKafkaProducer:
    return AIOKafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=transactional_id)


def reader(broker: RunningBroker, **config: Any) -> AIOKafkaConsumer:
    return AIOKafkaConsumer(
        bootstrap_servers=broker.bootstrap,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        isolation_level="read_committed",
        **config,
    )


async def committed_values(broker: RunningBroker, topic: str, count: int) -> list[bytes]:
    async with started(reader(broker)) as source:
        source.assign([TopicPartition(topic, 0)])
        await source.seek_to_beginning()
        return [record.value for record in await take(source, count)]


def test_only_committed_records_are_seen(broker: RunningBroker, name: str) -> None:
    async def main() -> None:
        await create(broker, name)
        async with started(transactional(broker, name)) as producer:
            for number in range(6):
                await producer.begin_transaction()
                await producer.send_and_wait(name, b"%d" % number, partition=0)
                await (producer.abort_transaction() if number % 2 else producer.commit_transaction())
        assert await committed_values(broker, name, 3) == [b"0", b"2", b"4"]

    asyncio.run(main())


def test_an_error_inside_aborts(broker: RunningBroker, name: str) -> None:
    async def fail_within(producer: AIOKafkaProducer) -> None:
        async with producer.transaction():
            await producer.send_and_wait(name, b"lost", partition=0)
            raise ZeroDivisionError

    async def main() -> None:
        await create(broker, name)
        async with started(transactional(broker, name)) as producer:
            with pytest.raises(ZeroDivisionError):
                await fail_within(producer)
            async with producer.transaction():
                await producer.send_and_wait(name, b"kept", partition=0)
        assert await committed_values(broker, name, 1) == [b"kept"]

    asyncio.run(main())


def test_a_second_producer_fences_the_first(broker: RunningBroker, name: str) -> None:
    async def main() -> None:
        await create(broker, name)
        async with started(transactional(broker, name)) as first:
            await first.begin_transaction()
            await first.send_and_wait(name, b"zombie", partition=0)
            async with started(transactional(broker, name)) as second, second.transaction():
                await second.send_and_wait(name, b"heir", partition=0)
            with pytest.raises(aiokafka.errors.ProducerFenced):
                await first.commit_transaction()
        assert await committed_values(broker, name, 1) == [b"heir"]

    asyncio.run(main())


def test_offsets_are_committed_with_the_transaction(broker: RunningBroker, name: str) -> None:
    async def main() -> None:
        await create(broker, name)
        await fill(broker, name, 5)
        where = TopicPartition(name, 0)
        async with started(reader(broker, group_id=name)) as source, started(transactional(broker, name)) as producer:
            source.subscribe([name])
            await take(source, 5)
            await producer.begin_transaction()
            await producer.send_offsets_to_transaction({where: 3}, name)
            await producer.abort_transaction()
            assert await source.committed(where) is None
            async with producer.transaction():
                await producer.send_offsets_to_transaction({where: 5}, name)
            assert await source.committed(where) == 5

    asyncio.run(main())
