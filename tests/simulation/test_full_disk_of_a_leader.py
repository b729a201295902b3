"""A partition's leader whose disk is full: another replica in sync leads, until there is room, and nobody flaps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topics import Partition
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.records import Record, build_batch
from support.simulated_client import SimulatedClient
from support.simulated_node import SimulatedNode
from support.simulated_world import World

REPLAY = "tests/simulation/test_full_disk_of_a_leader.py"
TOPIC = "a"
VALUE = bytes(20_000)
PROPERTIES = {"auto.leader.rebalance.enable": "false"}


class Writer(SimulatedClient):
    def __init__(self, world: World) -> None:
        super().__init__(world, "writer")
        self.acked = 0

    async def attempt(self) -> ErrorCode:
        batch = build_batch([Record(0, 0, None, VALUE)], base_timestamp=1_000)
        data = [PartitionProduceData(index=0, records=memoryview(batch))]
        peer, _ = await self.leader(TOPIC, 0)
        request = ProduceRequest(
            acks=-1,
            timeout_ms=5_000,
            topic_data=[TopicProduceData(topic_id=self.topic_ids[TOPIC], partition_data=data)],
        )
        try:
            response = await peer.send(request)
        except KafkaError as error:
            return error.code
        code = ErrorCode(response.responses[0].partition_responses[0].error_code)
        self.acked += code is ErrorCode.NONE
        return code

    async def write(self, count: int) -> None:
        until = self.acked + count
        while self.acked < until:
            code = await self.attempt()
            if code:
                self.check_passing(code)
                self.forget_leader(TOPIC, 0)
                await self.back_off()


def partition(world: World) -> Partition:
    """As the active controller has it."""
    for node in world.up:
        if node.controller.is_active:
            return node.metadata.image.topics[TOPIC].partitions[0]
    raise AssertionError("no controller")


def fill(world: World, *nodes: SimulatedNode) -> None:
    for node in nodes:
        node.files.capacity_bytes = node.files.used_bytes
        world.event(f"the disk of {node.host} is full")


async def started(world: World) -> Writer:
    await world.start_all()
    writer = Writer(world)
    await writer.create_topic(TOPIC, 1, 3, {"min.insync.replicas": "2"})
    await writer.write(5)
    await world.whole()
    return writer


def ends(world: World) -> set[int]:
    return {node.replicas.find(TOPIC, 0).log.log_end_offset for node in world.up}


async def one_is_full(world: World) -> None:
    writer = await started(world)
    before = partition(world)
    full = world.nodes[before.leader]
    fill(world, full)
    await asyncio.wait_for(writer.write(50), 60)
    after = partition(world)
    assert after.leader != full.id
    assert full.id not in after.isr
    assert after.leader_epoch == before.leader_epoch + 1, "it moved once"
    assert full.replicas.find(TOPIC, 0).log.log_end_offset >= 5, "what it has stays"
    full.files.heal()
    await world.whole()
    assert set(partition(world).isr) == {1, 2, 3}
    assert len(ends(world)) == 1
    # It may lead again: now the next one is full.
    fill(world, world.nodes[after.leader])
    await asyncio.wait_for(writer.write(20), 60)
    assert full.id in partition(world).isr
    writer.close()


async def all_are_full(world: World) -> None:
    writer = await started(world)
    before = partition(world)
    fill(world, *world.up)
    refused = 0
    until = world.loop.time() + 60
    while world.loop.time() < until:
        code = await writer.attempt()
        refused += code is ErrorCode.KAFKA_STORAGE_ERROR
        if code:
            writer.forget_leader(TOPIC, 0)
        await writer.back_off()
    after = partition(world)
    assert refused > 100
    assert after.leader_epoch <= before.leader_epoch + 2, "leadership comes to rest"
    assert after.partition_epoch <= before.partition_epoch + 4, "and nobody goes in and out of the ISR"
    assert len(after.isr) >= 2, "copies that count are kept"
    for node in world.up:
        node.files.heal()
    await asyncio.wait_for(writer.write(20), 60)
    await world.whole()
    assert len(ends(world)) == 1
    writer.close()


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("scenario", [one_is_full, all_are_full], ids=["one", "all"])
def test_leadership_goes_where_there_is_room(seed: int, scenario: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    with World(seed, brokers=3, properties=PROPERTIES, replay=REPLAY) as world:
        world.run(scenario(world))
