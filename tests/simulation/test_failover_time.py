"""How long producers and readers are held up when the leader of their partition goes, with Kafka's default timeouts."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from support.simulated_client import SimulatedClient
from support.simulated_history import History
from support.simulated_producer import SimulatedProducer
from support.simulated_seeds import seeds
from support.simulated_world import World

TOPIC = "events"
REPLAY = "tests/simulation/test_failover_time.py"
PROPERTIES = {"min.insync.replicas": "2"}


def longest_stall_s(seed: int, how: str, run_s: float, *, is_controller: bool) -> float:
    history = History()
    with (
        World(seed, brokers=3, properties=PROPERTIES, replay=REPLAY) as world,
    ):

        async def scenario() -> None:
            await world.start_all()
            setup = SimulatedClient(world, "setup")
            await setup.create_topic(TOPIC, 6, 3)
            await world.whole()
            controller = next(node for node in world.up if node.raft.node.is_leader)
            partitions = controller.metadata.image.topics[TOPIC].partitions
            index = next(
                at for at, partition in enumerate(partitions) if (partition.leader == controller.id) == is_controller
            )
            client = SimulatedClient(world, "producer")
            producer = SimulatedProducer(client, history, TOPIC, index, pause_s=0.05)
            task = world.start_client("producer", producer.run)
            await asyncio.sleep(2)
            node = world.nodes[partitions[index].leader]
            if how == "stop":
                await node.stop()
            else:
                node.crash(silently=how == "power failure")
            await asyncio.sleep(run_s)
            producer.is_stopping = True
            await asyncio.wait((task,))

        world.run(scenario())
    times_us = [acked.at_us for acked in history.acked]
    return max(after - before for before, after in pairwise(times_us)) / 1_000_000


@pytest.mark.parametrize("seed", seeds(2))
@pytest.mark.parametrize("is_controller", [False, True], ids=["broker", "controller"])
@pytest.mark.parametrize(
    ("how", "limit_s"),
    # A dead process is noticed by its closed port; a dead machine by its session, or by what it no longer fetches.
    [("kill", 1.5), ("stop", 1.0), ("power failure", 25.0)],
)
def test_a_new_leader_serves_soon(seed: int, how: str, limit_s: float, is_controller: bool) -> None:
    stall_s = longest_stall_s(seed, how, limit_s + 3, is_controller=is_controller)
    assert stall_s < limit_s
