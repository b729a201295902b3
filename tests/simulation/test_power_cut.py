"""All three go at once, and one comes back with less than it had, or not at all: what the other two have stays."""

from __future__ import annotations

import pytest

from support.simulated_cluster import PROPERTIES
from support.simulated_faults import ALL_AT_ONCE
from support.simulated_scenario import Scenario
from support.simulated_seeds import seeds
from support.simulated_world import World

REPLAY = "tests/simulation/test_power_cut.py"


@pytest.mark.parametrize("seed", seeds(20))
def test_what_two_of_three_have_is_not_lost(seed: int) -> None:
    # With one replica enough to acknowledge, an order of failures would leave but one in sync.
    properties = PROPERTIES | {"min.insync.replicas": str(1 + seed % 2)}
    with World(seed, brokers=3, properties=properties, replay=REPLAY) as world:
        scenario = Scenario(world, ALL_AT_ONCE, replication_factor=3, duration_s=8, pause_s=0.3)
        world.run(scenario.run())
        assert scenario.history.acked
