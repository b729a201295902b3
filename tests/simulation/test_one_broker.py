"""One broker under crashes, power failures and lost connections: what it acknowledged stays, once, in its order."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from support.simulated_faults import ALONE
from support.simulated_scenario import Scenario
from support.simulated_seeds import seeds
from support.simulated_world import SimulationFailed, World

REPLAY = "tests/simulation/test_one_broker.py"


def digest_of(seed: int) -> str:
    with World(seed, replay=REPLAY) as world:
        scenario = Scenario(world, ALONE, duration_s=10)
        world.run(scenario.run())
        assert scenario.history.acked
        assert scenario.history.reads
        assert scenario.history.commits
        return world.trace.digest()


@pytest.mark.parametrize("seed", seeds(10))
def test_what_is_acknowledged_stays(seed: int) -> None:
    digest_of(seed)


def test_the_same_seed_gives_the_same_run() -> None:
    assert digest_of(1) == digest_of(1)
    assert digest_of(1) != digest_of(2)


def test_the_same_seed_gives_the_same_run_in_another_process() -> None:
    """With other hashes of strings, and another history behind it."""
    program = "import test_one_broker; print(test_one_broker.digest_of(3))"
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for hash_seed in ("1", "2")
    }
    assert found == {digest_of(3)}


def test_a_lost_disk_is_noticed() -> None:
    """The simulation finds a broker that forgets, and tells how to see it again."""

    async def forget(world: World, *_: object) -> None:
        [node] = world.nodes.values()
        while node.replicas.partition_count() < 2:
            await asyncio.sleep(0.1)
        await asyncio.sleep(5)
        node.crash()
        node.wipe()
        await node.start()

    with World(11, replay=REPLAY) as world:
        scenario = Scenario(world, (forget,), duration_s=4)
        with pytest.raises(SimulationFailed) as failure:
            world.run(scenario.run())
    assert f"RIACHO_SIMULATION_SEED=11 python -m pytest {REPLAY}" in str(failure.value)
    assert "node1 loses its disk" in str(failure.value)


def test_a_broker_that_never_comes_back_is_noticed() -> None:
    async def stay_away(world: World, *_: object) -> None:
        if world.nodes[1].is_up:
            world.nodes[1].crash()
        await asyncio.sleep(10)

    with (
        World(12, replay=REPLAY) as world,
        pytest.raises(SimulationFailed, match="not whole within"),
    ):
        world.run(Scenario(world, (stay_away,), duration_s=5).run())
