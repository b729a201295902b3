"""What clients did and saw, in the order of time. Invariants are held against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

TopicPartition = tuple[str, int]


class Value(NamedTuple):
    """What a record says: who sent it, and its number among that producer's records of the partition."""

    producer: str
    number: int

    @classmethod
    def parse(cls, data: bytes) -> Value:
        producer, _, number = data.decode().rpartition(":")
        return cls(producer, int(number))

    def encode(self) -> bytes:
        return f"{self.producer}:{self.number}".encode()


class Acked(NamedTuple):
    partition: TopicPartition
    offset: int
    value: Value
    at_us: int


class Read(NamedTuple):
    reader: str
    partition: TopicPartition
    offset: int
    value: Value


class Watermark(NamedTuple):
    reader: str
    partition: TopicPartition
    leader_epoch: int
    offset: int


@dataclass
class History:
    sent: set[tuple[TopicPartition, Value]] = field(default_factory=set)
    # With acks=all; what was acknowledged by the leader alone may be lost with it.
    acked: list[Acked] = field(default_factory=list)
    acked_by_leader: list[Acked] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    watermarks: list[Watermark] = field(default_factory=list)
    # Producers whose records come in the order in which they were sent.
    ordered: set[str] = field(default_factory=set)
    # Those among them whose retries must leave no duplicate.
    idempotent: set[str] = field(default_factory=set)
    # Every partition from start to end, read when all is quiet again.
    final: dict[TopicPartition, list[tuple[int, Value]]] = field(default_factory=dict)
    # What groups were given, by whichever member; again after a rebalance, perhaps.
    group_reads: list[Read] = field(default_factory=list)
    # (group, member, generation) to the partitions it was given.
    assignments: list[tuple[str, str, int, tuple[TopicPartition, ...]]] = field(default_factory=list)
    # (group, partition) to the highest commit that was answered.
    commits: dict[tuple[str, TopicPartition], int] = field(default_factory=dict)
