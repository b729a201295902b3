"""Which seeds a simulation test runs: one to replay (RIACHO_SIMULATION_SEED), or so many (RIACHO_SIMULATION_SEEDS)."""

from __future__ import annotations

import os


def seeds(default_count: int) -> list[int]:
    one = os.environ.get("RIACHO_SIMULATION_SEED")
    if one is not None:
        return [int(one)]
    return list(range(1, int(os.environ.get("RIACHO_SIMULATION_SEEDS", default_count)) + 1))
