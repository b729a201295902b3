"""One member of a consumer group (KIP-848): what it asked for and how far it is on the way to its assignment.

A value: every change makes a new one. What the member asked for (its subscription) and where it stands (its epoch and
partitions) are two records, and either may come first when a compacted log is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

import msgspec

# Of one member: the epoch in which each partition was given to it, by topic id and partition.
PartitionEpochs = dict[bytes, dict[int, int]]

LEAVE_EPOCH = -1
# A static member that means to come back within its session.
LEAVE_STATIC_EPOCH = -2
JOIN_EPOCH = 0


class MemberState(IntEnum):
    """STABLE has all of its target. The others wait: for itself to let go of partitions, or for others to."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    # A state that a later version stored.
    UNKNOWN = 127

    @classmethod
    def stored(cls, value: int) -> MemberState:
        return cls(value) if value in cls._value2member_map_ else cls.UNKNOWN


class ClassicProtocols(msgspec.Struct, frozen=True):
    """Of a member that speaks the classic protocol inside a consumer group."""

    session_timeout_ms: int
    # In the client's order of preference: the assignor's name and its join metadata.
    protocols: tuple[tuple[str, bytes], ...]


class ConsumerMember(msgspec.Struct, frozen=True, kw_only=True):
    member_id: str
    member_epoch: int = JOIN_EPOCH
    previous_member_epoch: int = -1
    state: MemberState = MemberState.STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: frozenset[str] = frozenset()
    subscribed_topic_regex: str | None = ""
    server_assignor: str | None = None
    assigned: PartitionEpochs = {}
    pending_revocation: PartitionEpochs = {}
    classic: ClassicProtocols | None = None

    @property
    def uses_classic_protocol(self) -> bool:
        return self.classic is not None

    @property
    def regex(self) -> str:
        return self.subscribed_topic_regex or ""

    def is_reconciled_to(self, assignment_epoch: int) -> bool:
        return self.state is MemberState.STABLE and self.member_epoch == assignment_epoch

    def moved_to(self, epoch: int, state: MemberState, assigned: PartitionEpochs) -> ConsumerMember:
        """The next step of its reconciliation, with nothing left to revoke."""
        return msgspec.structs.replace(
            self,
            member_epoch=epoch,
            previous_member_epoch=self.member_epoch,
            state=state,
            assigned=assigned,
            pending_revocation={},
        )

    def revoking(self, assigned: PartitionEpochs, pending_revocation: PartitionEpochs) -> ConsumerMember:
        """It keeps its epoch until it has let go of `pending_revocation`."""
        return msgspec.structs.replace(
            self,
            previous_member_epoch=self.member_epoch,
            state=MemberState.UNREVOKED_PARTITIONS,
            assigned=assigned,
            pending_revocation=pending_revocation,
        )

    def assignment_epoch_of(self, topic_id: bytes, partition: int) -> int | None:
        """Since when it has the partition, also while it is asked to give it back."""
        epoch = self.assigned.get(topic_id, {}).get(partition)
        return self.pending_revocation.get(topic_id, {}).get(partition) if epoch is None else epoch


def partition_ids(partitions: PartitionEpochs) -> dict[bytes, list[int]]:
    return {topic_id: sorted(epochs) for topic_id, epochs in sorted(partitions.items())}


def with_epoch(partitions: Mapping[bytes, Iterable[int]], epoch: int) -> PartitionEpochs:
    return {topic_id: dict.fromkeys(indexes, epoch) for topic_id, indexes in partitions.items()}
