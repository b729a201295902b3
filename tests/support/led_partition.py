"""A replicated partition that broker 1 leads, with peers that a test can fence, and proposals that it can look at."""

from __future__ import annotations

from pathlib import Path

from riacho.base.errors import ErrorCode
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.metadata.image.topics import Partition
from riacho.partition.leader import IsrProposal
from riacho.partition.validation import TopicRules
from support.broker_fakes import SetClock
from support.log_files import TOPIC_ID, append, open_log

NODE = 1


class SetPeers:
    """Everyone is registered under epoch 7 until fenced."""

    lag_ms_max = 30_000

    def __init__(self, clock: SetClock) -> None:
        self.clock = clock
        self.fenced: set[int] = set()
        self.proposals: list[IsrProposal] = []

    def now_ms(self) -> int:
        return self.clock.monotonic_ms()

    def is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        return broker_id not in self.fenced and broker_epoch in (-1, 7)

    def is_alive(self, broker_id: int) -> bool:
        return broker_id not in self.fenced

    def propose(self, hosted: HostedPartition, proposal: IsrProposal) -> None:
        self.proposals.append(proposal)


class Settled:
    """A waiter that remembers what it was told."""

    def __init__(self) -> None:
        self.codes: list[ErrorCode] = []

    def settle(self, code: ErrorCode) -> None:
        self.codes.append(code)


def state(
    isr: tuple[int, ...] = (1, 2),
    *,
    leader: int = NODE,
    epoch: int = 5,
    change: int = 0,
    replicas: tuple[int, ...] = (1, 2, 3),
) -> Partition:
    """The partition in the image; `change` is the partition epoch."""
    return Partition(replicas=replicas, isr=isr, leader=leader, leader_epoch=epoch, partition_epoch=change)


def host(
    path: Path,
    role: Partition,
    clock: SetClock | None = None,
    *,
    min_isr: int = 1,
    index: int = 0,
    written: int = 0,
) -> tuple[HostedPartition, SetPeers]:
    """`written` records of epoch 4 are there before it takes its role."""
    peers = SetPeers(clock or SetClock())
    log = open_log(path / f"t-{index}")
    for _ in range(written):
        append(log, b"before", epoch=4)
    hosted = HostedPartition("t", TOPIC_ID, index, log, TopicRules(), peers)
    hosted.set_min_isr(min_isr)
    hosted.take_role(NODE, role)
    return hosted, peers


def write(hosted: HostedPartition, *values: bytes) -> int:
    """Append as its leader; the last offset."""
    appended = append(hosted.log, *(values or (b"v",)), epoch=hosted.leader_epoch)
    hosted.advance()
    return appended.last_offset


def fetch(hosted: HostedPartition, replica_id: int, offset: int, now_ms: int = 1_000_000, start: int = -1) -> None:
    hosted.follower_fetched(replica_id, 7, offset, now_ms, start)
