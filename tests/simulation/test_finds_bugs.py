"""Would the simulation notice? Bugs that real systems have had are put in on purpose, and some seed must find each."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from riacho.broker.handlers import fetch
from riacho.broker.requests.refused_batches import RefusedBatches
from riacho.metadata.partitions import partition_change
from riacho.metadata.partitions.leadership import NO_LEADER, Elected
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.partition.leader import IsrProposal, PartitionLeader
from riacho.partition.producers import Producer, ProducerBatch, Producers
from support.simulated_cluster import run_cluster
from support.simulated_world import SimulationFailed

# The seeds that find a bug are few, and others with every change: there are more of them than are needed.
SEEDS = range(13, 73)
# Those in which a broker joins, so that a partition can move to where nothing of it is.
SEEDS_WITH_JOIN = range(1, 241, 4)
REPLAY = "tests/simulation/test_finds_bugs.py"


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


def know_the_last(self: Producer, first_sequence: int, last_sequence: int) -> ProducerBatch | None:
    """Of several batches in flight only the last can be sent again."""
    last = self.batches[-1:]
    return next(
        (batch for batch in last if (batch.first_sequence, batch.last_sequence) == (first_sequence, last_sequence)),
        None,
    )


def never_wait(self: RefusedBatches, *early: Any, is_replicated: bool) -> None:
    """What follows a batch that was refused is out of order, or the first of its producer."""


def show_everything(log: Any, replica_id: int, isolation_level: int) -> int:
    """Readers are given what is not committed."""
    return int(log.log_end_offset)


def move_at_once(self: PartitionChange) -> None:
    """New replicas count before they have anything."""
    if self.adding or self.removing:
        self.isr = self.replicas = tuple(each for each in self.replicas if each not in self.removing)
        self.adding = self.removing = ()


def elect_anyone(election: Any, among: Any, may_lead: Any) -> Elected:
    """In sync or not."""
    return Elected(next((each for each in sorted(among.replicas) if may_lead(each)), NO_LEADER))


@pytest.mark.parametrize(
    ("where", "name", "bug", "seeds"),
    [
        (PartitionLeader, "_advance", commit_alone, SEEDS),
        (PartitionLeader, "_propose", shrink_at_once, SEEDS),
        (Producers, "check", take_again, SEEDS),
        (Producer, "find", know_the_last, SEEDS),
        (RefusedBatches, "why_wait", never_wait, SEEDS),
        (fetch, "visible_end", show_everything, SEEDS),
        (PartitionChange, "_complete_reassignment", move_at_once, SEEDS_WITH_JOIN),
        (partition_change, "elect", elect_anyone, SEEDS),
    ],
    ids=[
        "commit alone",
        "shrink at once",
        "take again",
        "know the last",
        "never wait",
        "show everything",
        "move at once",
        "elect anyone",
    ],
)
def test_a_known_bug_is_found(where: Any, name: str, bug: Any, seeds: range) -> None:
    with mock.patch.object(where, name, bug):
        assert any(_fails(seed) for seed in seeds), f"{len(seeds)} seeds did not find it"


def _fails(seed: int) -> bool:
    try:
        run_cluster(seed, REPLAY)
    except SimulationFailed:
        return True
    return False
