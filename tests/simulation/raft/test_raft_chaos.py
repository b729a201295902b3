"""Quorums under chaos, one seed a story. RIACHO_SIMULATION_SEEDS says how many (75), RIACHO_SIMULATION_SEED which
one."""

from __future__ import annotations

import os

import pytest

from support.raft_chaos import Story

SEEDS_PER_TEST = 25
COUNT = int(os.environ.get("RIACHO_SIMULATION_SEEDS", "75"))
ONE = os.environ.get("RIACHO_SIMULATION_SEED")


def tell(seed: int) -> Story:
    story = Story(seed)
    try:
        story.run()
    except Exception as error:
        replay = f"RIACHO_SIMULATION_SEED={seed} python -m pytest tests/simulation/raft/test_raft_chaos.py"
        raise AssertionError(f"seed {seed}: {error}\nreplay: {replay}") from error
    return story


@pytest.mark.parametrize("first", range(0, 1 if ONE else COUNT, SEEDS_PER_TEST))
def test_invariants_hold_and_the_quorum_recovers(first: int) -> None:
    seeds = [int(ONE)] if ONE else range(first, min(first + SEEDS_PER_TEST, COUNT))
    for seed in seeds:
        story = tell(seed)
        # A story in which nothing was committed would prove nothing.
        assert len(story.committed.entries) > 1, f"seed {seed} committed nothing"


def test_a_seed_tells_the_same_story_again() -> None:
    first, second = tell(3), tell(3)
    assert first.committed.entries == second.committed.entries
    assert first.world.steps == second.world.steps
