"""Topics and partitions as the image holds them: frozen values, shared between images until they change."""

from __future__ import annotations

import msgspec

from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord

NO_LEADER = -1
# PartitionChangeRecord.leader when the change is not about the leader.
LEADER_UNCHANGED = -2
RECOVERED = 0
# The leader came by an unclean election and has not yet said that it put its log in order (KIP-704).
RECOVERING = 1
_RECOVERY_UNCHANGED = -1


class Partition(msgspec.Struct, frozen=True):
    """`partition_epoch` counts every change, `leader_epoch` those that fence the leader before it."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int
    directories: tuple[bytes, ...] = ()
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    leader_recovery_state: int = 0
    eligible_leader_replicas: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()

    @property
    def is_reassigning(self) -> bool:
        return bool(self.adding_replicas or self.removing_replicas)

    def directory_of(self, broker_id: int) -> bytes | None:
        """The log directory of one replica; None where the record names none (KIP-858)."""
        position = self.replicas.index(broker_id)
        return self.directories[position] if position < len(self.directories) else None

    def without_elr(self) -> Partition:
        if not self.eligible_leader_replicas and not self.last_known_elr:
            return self
        return msgspec.structs.replace(
            self, partition_epoch=self.partition_epoch + 1, eligible_leader_replicas=(), last_known_elr=()
        )

    def changed_by(self, record: PartitionChangeRecord) -> Partition:
        leader = self.leader if record.leader == LEADER_UNCHANGED else record.leader
        # A change of leader, also to the same one, and a change of replicas that drops the leader's peers, fence
        # what the old epoch sent; Kafka bumps the epoch exactly when the record names a leader.
        bump = 0 if record.leader == LEADER_UNCHANGED else 1
        recovery = record.leader_recovery_state
        return Partition(
            replicas=_or(record.replicas, self.replicas),
            isr=_or(record.isr, self.isr),
            leader=leader,
            leader_epoch=self.leader_epoch + bump,
            partition_epoch=self.partition_epoch + 1,
            directories=self.directories if record.directories is None else tuple(record.directories),
            removing_replicas=_or(record.removing_replicas, self.removing_replicas),
            adding_replicas=_or(record.adding_replicas, self.adding_replicas),
            leader_recovery_state=self.leader_recovery_state if recovery == _RECOVERY_UNCHANGED else recovery,
            eligible_leader_replicas=_or(record.eligible_leader_replicas, self.eligible_leader_replicas),
            last_known_elr=_or(record.last_known_elr, self.last_known_elr),
        )

    def to_record(self, topic_id: bytes, partition_id: int) -> PartitionRecord:
        return PartitionRecord(
            partition_id=partition_id,
            topic_id=topic_id,
            replicas=list(self.replicas),
            isr=list(self.isr),
            removing_replicas=list(self.removing_replicas),
            adding_replicas=list(self.adding_replicas),
            leader=self.leader,
            leader_recovery_state=self.leader_recovery_state,
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            directories=list(self.directories),
            eligible_leader_replicas=list(self.eligible_leader_replicas) or None,
            last_known_elr=list(self.last_known_elr) or None,
        )


class Topic(msgspec.Struct, frozen=True):
    """`partitions[i]` is partition i."""

    name: str
    id: bytes
    partitions: tuple[Partition, ...] = ()


def partition_from(record: PartitionRecord) -> Partition:
    return Partition(
        replicas=tuple(record.replicas),
        isr=tuple(record.isr),
        leader=record.leader,
        leader_epoch=record.leader_epoch,
        partition_epoch=record.partition_epoch,
        directories=tuple(record.directories),
        removing_replicas=tuple(record.removing_replicas),
        adding_replicas=tuple(record.adding_replicas),
        leader_recovery_state=record.leader_recovery_state,
        eligible_leader_replicas=tuple(record.eligible_leader_replicas or ()),
        last_known_elr=tuple(record.last_known_elr or ()),
    )


def _or(given: list[int] | None, before: tuple[int, ...]) -> tuple[int, ...]:
    return before if given is None else tuple(given)
