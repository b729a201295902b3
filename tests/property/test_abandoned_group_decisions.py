"""Decisions whose records were never written: they change nothing that is stored, and nobody waits for ever."""

from __future__ import annotations

import pytest

from support.abandoning_chaos import run_abandoning

SEEDS = 150


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_shard_goes_on_though_every_second_decision_is_abandoned(seed: int) -> None:
    chaos = run_abandoning(seed)
    assert chaos.world.abandoned > 0
