"""Three brokers, three replicas, two of them needed: nothing acknowledged is lost whatever single thing fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.simulated_cluster import run_cluster
from support.simulated_seeds import ALL_KINDS, seeds

REPLAY = "tests/simulation/test_three_brokers.py"


@pytest.mark.parametrize("seed", seeds(ALL_KINDS))
def test_what_is_acknowledged_stays(seed: int) -> None:
    run_cluster(seed, REPLAY)


def test_the_same_seed_gives_the_same_run_in_every_process() -> None:
    """With other hashes of strings in each; of a fourth broker, readers of followers, and moves of replicas."""
    program = f"from support.simulated_cluster import run_cluster; print(run_cluster(41, {REPLAY!r}))"
    path = os.pathsep.join(sys.path)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hash_seed in ("1", "2")
    ]
    try:
        digests = [run.communicate(timeout=200)[0] for run in runs]
    finally:
        for run in runs:
            run.kill()
    assert [run.returncode for run in runs] == [0, 0]
    assert digests[0] == digests[1]
