"""The active controller's disk is full, and what it kept in reserve for metadata is used up: another one takes over."""

from __future__ import annotations

import asyncio

import pytest

from riacho.base.errors import ErrorCode
from riacho.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from support.simulated_client import SimulatedClient
from support.simulated_node import SimulatedNode
from support.simulated_world import World

TOPIC, KEY = "a", "leader.replication.throttled.replicas"
RESERVE_SIZE_BYTES = 1 << 19
VALUE_SIZE_BYTES = 24_000


def value(number: int) -> str:
    return ",".join([f"{number}:1"] * (VALUE_SIZE_BYTES // 6))


async def alter(client: SimulatedClient, number: int) -> None:
    """A change of metadata that takes much room; asked until it is made."""
    config = AlterableConfig(name=KEY, config_operation=0, value=value(number))
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type=2, resource_name=TOPIC, configs=[config])]
    )
    while True:
        response = await client.ask_any(request)
        code = ErrorCode(response.responses[0].error_code)
        if code is ErrorCode.NONE:
            return
        client.check_passing(code)
        await client.back_off()


async def controller(world: World, *, other_than: SimulatedNode | None = None) -> SimulatedNode:
    while True:
        for node in world.up:
            if node is not other_than and node.controller.is_active:
                return node
        await asyncio.sleep(0.05)


async def scenario(world: World) -> None:
    await world.start_all()
    client = SimulatedClient(world, "operator")
    await client.create_topic(TOPIC, 1, 3)
    await world.whole()
    full = await controller(world)
    full.files.capacity_bytes = full.files.used_bytes
    world.event(f"the disk of {full.host} is full")
    count = 2 * RESERVE_SIZE_BYTES // VALUE_SIZE_BYTES
    for number in range(count):
        await asyncio.wait_for(alter(client, 100 + number), 30)
    other = await controller(world, other_than=full)
    assert not full.controller.is_active
    full.files.heal()
    await world.whole()
    for node in world.up:
        assert node.metadata.image.overrides(2, TOPIC)[KEY] == value(100 + count - 1), node.host
    # With room it is one of those who may lead again.
    assert full.raft.log.has_free_space
    other.crash()
    await asyncio.wait_for(controller(world, other_than=other), 30)
    await alter(client, 999)
    await other.start()
    await world.whole()
    client.close()


@pytest.mark.parametrize("seed", range(1, 6))
def test_another_controller_takes_over(seed: int) -> None:
    with World(seed, brokers=3, replay="tests/simulation/test_full_disk_of_the_controller.py") as world:
        world.run(scenario(world))
