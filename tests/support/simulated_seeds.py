"""Which seeds a simulation test runs: one to replay (RIACHO_SIMULATION_SEED), or so many (RIACHO_SIMULATION_SEEDS), and
of those the ones from RIACHO_SIMULATION_FIRST_SEED on, where an earlier run ended.

They are the numbers of the largest simulations; one that runs fewer by itself stays as much smaller.
"""

from __future__ import annotations

import os

# Seeds differ by their remainders of 2, 3, 4 and 5 (see `simulated_cluster.py`): every combination occurs once.
ALL_KINDS = 60


def seeds(default_count: int) -> list[int]:
    one = os.environ.get("RIACHO_SIMULATION_SEED")
    if one is not None:
        return [int(one)]
    most, first = os.environ.get("RIACHO_SIMULATION_SEEDS"), int(os.environ.get("RIACHO_SIMULATION_FIRST_SEED", "1"))
    count = default_count if most is None else _share(default_count, int(most))
    return list(range(_share(default_count, first - 1) + 1, count + 1))


def _share(default_count: int, seed: int) -> int:
    """How far a simulation of `default_count` seeds is when the largest are at this one."""
    return min(seed, -(-default_count * seed // ALL_KINDS))
