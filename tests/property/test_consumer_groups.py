"""Consumers of both protocols in one group, through joins, leaves, crashes, new partitions and fail-overs (KIP-848).

`RIACHO_REBALANCES` says how many rebalances the long test goes through; a failure names its seed.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.group_chaos import GroupChaos

REBALANCES = int(os.environ.get("RIACHO_REBALANCES", "400"))


@given(
    seed=st.integers(0, 2**32),
    cooperative=st.booleans(),
    modern_share=st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]),
    quiet=st.lists(st.integers(0, 6), min_size=5, max_size=25),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_happens_a_group_keeps_its_promises(
    seed: int, cooperative: bool, modern_share: float, quiet: list[int]
) -> None:
    chaos = GroupChaos(seed, cooperative=cooperative, modern_share=modern_share)
    for rounds in quiet:
        chaos.disturb()
        for _ in range(rounds):
            chaos.round()
        chaos.check_replay()
    chaos.settle()


@pytest.mark.parametrize("cooperative", [False, True], ids=["eager", "cooperative"])
def test_many_rebalances_of_mixed_members(cooperative: bool) -> None:
    """No partition owned twice at any time, none left unowned, no commit lost."""
    chaos = GroupChaos(seed=848, cooperative=cooperative)
    disturbances = 0
    while chaos.rebalances < REBALANCES:
        chaos.disturb()
        disturbances += 1
        for _ in range(chaos.random.randint(0, 5)):
            chaos.round()
        if disturbances % 20 == 0:
            chaos.settle()
    chaos.settle()
    assert chaos.kinds_seen == {"classic", "consumer"}
    assert chaos.committed
