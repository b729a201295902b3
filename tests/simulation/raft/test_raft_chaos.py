"""Quorums under chaos, one seed a story. RIACHO_SIMULATION_SEEDS says how many (75), RIACHO_SIMULATION_FIRST_SEED from
which one on, RIACHO_SIMULATION_SEED which one alone."""

from __future__ import annotations

import os
from random import Random

import pytest

from support.raft_chaos import Astray, Story
from support.raft_hostile import hostile_frame
from support.raft_world import World, dynamic_voters, static_voters

SEEDS_PER_TEST = 25
COUNT = int(os.environ.get("RIACHO_SIMULATION_SEEDS", "75"))
FIRST = int(os.environ.get("RIACHO_SIMULATION_FIRST_SEED", "0"))
ONE = os.environ.get("RIACHO_SIMULATION_SEED")


def tell(seed: int, kind: type[Story] = Story) -> Story:
    story = kind(seed)
    try:
        story.run()
    except Exception as error:
        replay = f"RIACHO_SIMULATION_SEED={seed} python -m pytest tests/simulation/raft/test_raft_chaos.py"
        raise AssertionError(f"seed {seed}: {error}\nreplay: {replay}") from error
    return story


@pytest.mark.parametrize("first", range(FIRST, FIRST + 1 if ONE else COUNT, SEEDS_PER_TEST))
def test_invariants_hold_and_the_quorum_recovers(first: int) -> None:
    seeds = [int(ONE)] if ONE else range(first, min(first + SEEDS_PER_TEST, COUNT))
    for seed in seeds:
        story = tell(seed)
        # A story in which nothing was committed would prove nothing.
        assert len(story.committed.entries) > 1, f"seed {seed} committed nothing"


@pytest.mark.parametrize("seed", [7919, 9320])
def test_a_removed_voter_in_a_strangers_epoch_finds_back(seed: int) -> None:
    tell(seed)


# Those of the first 500 in which a removed voter stayed alone, before it read along.
@pytest.mark.parametrize("seed", [75, 311, 424])
def test_strangers_lead_nobody_astray_for_good(seed: int) -> None:
    tell(seed, Astray)


def test_a_seed_tells_the_same_story_again() -> None:
    first, second = tell(3), tell(3)
    assert first.committed.entries == second.committed.entries
    assert first.world.steps == second.world.steps


@pytest.mark.parametrize("is_dynamic", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_strangers_neither_end_an_epoch_nor_use_them_up(seed: int, is_dynamic: bool) -> None:
    random, world = Random(seed), World(seed)
    voters = dynamic_voters(3) if is_dynamic else static_voters(3)
    for node_id in voters.ids:
        world.start(world.add(node_id, voters, int(is_dynamic)))
    hosts = list(world.hosts.values())
    assert world.run(5_000, lambda: len({host.node.leader_id for host in hosts} - {-1}) == 1)
    assert world.run(5_000, lambda: all(host.node.high_watermark > 0 for host in hosts))
    leader, epoch = world.leader(), hosts[0].node.epoch
    assert leader is not None
    for _ in range(1_000):
        host = random.choice(hosts)
        world.request(host, hostile_frame(random, host), lambda response: None)
        world.run(10)
    assert world.leader() is leader
    assert [host.node.epoch for host in hosts] == [epoch] * 3
    world.append(leader, "still here")
    end_offset = leader.log.end_offset
    assert world.run(1_000, lambda: all(host.node.high_watermark >= end_offset for host in hosts))
