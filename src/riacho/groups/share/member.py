"""A member of a share group: who it is, what it subscribes to, what it reads, and the epoch of that assignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

# The epoch of a heartbeat by which a member joins, and of one by which it leaves.
JOIN_EPOCH = 0
LEAVE_EPOCH = -1

AssignedPartitions = Mapping[bytes, frozenset[int]]


@dataclass(frozen=True, slots=True)
class ShareMember:
    """Nothing is revoked before it is given elsewhere: several members may read a partition, so an assignment counts
    as soon as it is made, and a member is never between two states."""

    member_id: str
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: frozenset[str] = frozenset()
    epoch: int = JOIN_EPOCH
    previous_epoch: int = -1
    assigned: AssignedPartitions = field(default_factory=dict)

    def updated(
        self, rack_id: str | None, client_id: str, client_host: str, topics: Iterable[str] | None
    ) -> ShareMember:
        """As a heartbeat describes it; what that leaves out stays."""
        return replace(
            self,
            rack_id=self.rack_id if rack_id is None else rack_id,
            client_id=client_id,
            client_host=client_host,
            subscribed_topic_names=self.subscribed_topic_names if topics is None else frozenset(topics),
        )

    def reassigned(self, epoch: int, assigned: AssignedPartitions) -> ShareMember:
        """Told of the target assignment of that epoch."""
        previous_epoch = self.previous_epoch if epoch == self.epoch else self.epoch
        return replace(self, epoch=epoch, previous_epoch=previous_epoch, assigned=assigned)
