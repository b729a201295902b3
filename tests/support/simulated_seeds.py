"""Which seeds a simulation test runs: one to replay (RIACHO_SIMULATION_SEED), or so many (RIACHO_SIMULATION_SEEDS).

The second says how many the largest simulations run; one that runs fewer by itself stays as much smaller.
"""

from __future__ import annotations

import os

# Seeds differ by their remainders of 2, 3, 4 and 5 (see `simulated_cluster.py`): every combination occurs once.
ALL_KINDS = 60


def seeds(default_count: int) -> list[int]:
    one = os.environ.get("RIACHO_SIMULATION_SEED")
    if one is not None:
        return [int(one)]
    most = os.environ.get("RIACHO_SIMULATION_SEEDS")
    count = default_count if most is None else min(int(most), -(-default_count * int(most) // ALL_KINDS))
    return list(range(1, count + 1))
