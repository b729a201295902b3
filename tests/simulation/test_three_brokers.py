"""Three brokers, three replicas, two of them needed: nothing acknowledged is lost whatever single thing fails."""

from __future__ import annotations

import pytest

from support.simulated_cluster import run_cluster
from support.simulated_seeds import ALL_KINDS, seeds

REPLAY = "tests/simulation/test_three_brokers.py"


@pytest.mark.parametrize("seed", seeds(ALL_KINDS))
def test_what_is_acknowledged_stays(seed: int) -> None:
    run_cluster(seed, REPLAY)


def test_the_same_seed_gives_the_same_run() -> None:
    # With a fourth broker, readers of followers, and moves of replicas.
    assert run_cluster(21, REPLAY) == run_cluster(21, REPLAY)
