"""A node that was away while epochs came and went, and the log that it knew was replaced by a snapshot."""

from __future__ import annotations

import asyncio

import pytest

from support.simulated_client import SimulatedClient
from support.simulated_world import World

PROPERTIES = {
    "metadata.log.max.record.bytes.between.snapshots": "1500",
    "metadata.log.segment.ms": "1000",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
}


async def scenario(world: World) -> None:
    await world.start_all()
    client = SimulatedClient(world, "operator")
    await client.create_topic("a", 2, 3)
    await world.whole()
    away = world.rng.choice(list(world.nodes.values()))
    end_offset = away.raft.log.end_offset
    away.crash()
    for number in range(12):
        await client.create_topic(f"t{number}", 3, 2)
        leaders = [node for node in world.up if node.raft.node.is_leader]
        if number % 4 == 1 and leaders:
            leaders[0].crash()
            await asyncio.sleep(0.5)
            await leaders[0].start()
    await away.start()
    await world.whole(60)
    assert away.raft.log.start_offset > end_offset, "it needed no snapshot"
    client.close()


@pytest.mark.parametrize("seed", range(1, 4))
def test_it_takes_the_snapshot_once_and_follows(seed: int) -> None:
    replay = "tests/simulation/test_snapshot_after_absence.py"
    with (
        World(seed, brokers=3, properties=PROPERTIES, replay=replay) as world,
    ):
        world.run(scenario(world))
