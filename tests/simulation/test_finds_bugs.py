"""Would the simulation notice? Bugs that real systems have had are put in on purpose, and some seed must find each."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from riacho.metadata import partition_change
from riacho.metadata.leadership import NO_LEADER, Elected
from riacho.partition.leader import IsrProposal, PartitionLeader
from riacho.partition.producers import Producers
from support.simulated_disk import memory_directory
from support.simulated_faults import AMONG_OTHERS
from support.simulated_scenario import Scenario
from support.simulated_world import SimulationFailed, World

SEEDS = range(1, 16)
PROPERTIES = {
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "3000",
}


def commit_alone(self: PartitionLeader, now_ms: int) -> bool:
    """The leader does not wait for its followers."""
    if self.log_end_offset <= self.high_watermark:
        return False
    self.high_watermark = self.log_end_offset
    return True


def shrink_at_once(self: PartitionLeader, isr: tuple[int, ...]) -> IsrProposal:
    """A proposed ISR counts before the controller has taken it (KIP-497)."""
    epochs = tuple((each, self._broker_epoch(each)) for each in isr)
    self.proposal = IsrProposal(isr, epochs, self.leader_epoch, self.partition_epoch)
    self.maximal_isr = frozenset(isr)
    return self.proposal


def take_again(self: Producers, header: Any) -> None:
    """A retry is a new batch."""


def elect_anyone(election: Any, among: Any, may_lead: Any) -> Elected:
    """In sync or not."""
    return Elected(next((each for each in sorted(among.replicas) if may_lead(each)), NO_LEADER))


@pytest.mark.parametrize(
    ("where", "name", "bug"),
    [
        (PartitionLeader, "_advance", commit_alone),
        (PartitionLeader, "_propose", shrink_at_once),
        (Producers, "check", take_again),
        (partition_change, "elect", elect_anyone),
    ],
    ids=["commit alone", "shrink at once", "take again", "elect anyone"],
)
def test_a_known_bug_is_found(where: Any, name: str, bug: Any) -> None:
    with mock.patch.object(where, name, bug):
        assert any(_fails(seed) for seed in SEEDS), f"{len(SEEDS)} seeds did not find it"


def _fails(seed: int) -> bool:
    with memory_directory() as directory, World(seed, directory, brokers=3, properties=PROPERTIES) as world:
        try:
            world.run(Scenario(world, AMONG_OTHERS, replication_factor=3, duration_s=14).run())
        except SimulationFailed:
            return True
    return False
