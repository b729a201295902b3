"""Would the simulated disks notice? Syncs are left out on purpose, one kind at a time, and some seed must find each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.simulated_disk_scenario import run_disks
from support.simulated_world import SimulationFailed

REPLAY = "tests/simulation/test_finds_disk_bugs.py"
METADATA = "__cluster_metadata-0"


def vote(path: str) -> bool:
    """The vote is written and given its name, but may be empty when power fails."""
    return "quorum-state" in path


def name_of_the_vote(path: str) -> bool:
    """The vote is on disk, but under no name."""
    return path.endswith(METADATA)


def metadata(path: str) -> bool:
    """Metadata count as committed before they are on disk."""
    return METADATA in path and path.endswith(".log")


def records(path: str) -> bool:
    """So do records, where they should be on disk first."""
    return "/events-0/" in path and path.endswith(".log")


def partitions(path: str) -> bool:
    """Their files are, but not the names."""
    return path.endswith("/events-0")


def data_directory(path: str) -> bool:
    """What stands in the data directory itself: the directories of logs, checkpoints, the mark of a clean shutdown."""
    return path.count("/") == 1


SEEDS = range(2, 402, 2)


@pytest.mark.parametrize(
    "bug", [vote, name_of_the_vote, metadata, records, partitions, data_directory], ids=lambda each: each.__name__
)
def test_a_sync_that_is_left_out_is_found(bug: Callable[[str], bool]) -> None:
    def sabotage(node: Any) -> None:
        node.files.ignored_syncs = bug

    assert any(_fails(seed, sabotage) for seed in SEEDS), f"{len(SEEDS)} seeds did not find it"


def _fails(seed: int, sabotage: Callable[[Any], None]) -> bool:
    try:
        run_disks(seed, REPLAY, sabotage)
    except (SimulationFailed, AssertionError):
        return True
    return False
