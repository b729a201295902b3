"""Whole brokers on simulated disks: power that fails, torn and lost writes, lost names, EIO, no room, no descriptors.

Nothing acknowledged is lost beyond what docs/operations/failures.md says, nor committed metadata, nor a vote.
"""

from __future__ import annotations

import pytest

from support.simulated_disk_scenario import run_disks
from support.simulated_seeds import seeds

REPLAY = "tests/simulation/test_disks.py"


@pytest.mark.parametrize("seed", seeds(200))
def test_what_is_promised_survives(seed: int) -> None:
    run_disks(seed, REPLAY)


def test_the_same_seed_gives_the_same_run() -> None:
    assert run_disks(6, REPLAY) == run_disks(6, REPLAY)
