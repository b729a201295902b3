"""Decisions of the share coordinator whose records were never written: what is stored is what the others wrote."""

from __future__ import annotations

import random

import pytest

from riacho.base.coordination import CoordinatorDecision
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import ShareKey, StoredState
from riacho.shares.state_shard import StateShard

SEEDS = 30
KEYS = [ShareKey("g", bytes(range(16)), partition) for partition in range(3)]


def _shard() -> StateShard:
    return StateShard(3, lambda topic, partition: True)


def _decide(shard: StateShard, choices: random.Random) -> CoordinatorDecision:
    key, epoch, offset = choices.choice(KEYS), choices.randrange(4), choices.randrange(50)
    batch = StateBatch(offset, offset + choices.randrange(5), choices.choice([0, 2, 4]), choices.randrange(1, 4))
    change = StoredState(0, epoch, epoch, choices.choice([-1, offset]), 0, (batch,))
    decisions = [
        lambda: shard.initialize(1, 7, key, epoch, choices.choice([-1, offset])),
        lambda: shard.read(1, 8, key, epoch),
        lambda: shard.write(1, 9, key, change),
        lambda: shard.write(1, 9, key, change),
        lambda: shard.delete(1, 9, key),
        lambda: shard.snapshot(KEYS, 10),
    ]
    return choices.choice(decisions)()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_share_state_is_what_was_written_though_every_second_decision_is_abandoned(seed: int) -> None:
    choices = random.Random(seed)
    shard, replayed = _shard(), _shard()
    decided = 0
    for _ in range(300):
        decision = _decide(shard, choices)
        assert shard.states == replayed.states
        assert not decision.on_applied
        decided += bool(decision.records)
        if decided % 2 == 0:
            decision.apply_to(shard)
            decision.apply_to(replayed)
    assert shard.states == replayed.states
    assert decided > 50
