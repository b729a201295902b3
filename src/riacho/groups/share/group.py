"""A share group (KIP-932): its members, what each should read, and which partitions may be read at all.

Three epochs follow each other. The group's epoch grows with every change that calls for a new assignment: a member, a
subscription, a topic, a partition whose state has just been set up. The assignment's epoch is the group epoch that the
target assignment was computed for. A member's epoch is that of the assignment it was last sent. Since partitions are
shared, there is nothing to reconcile: a member goes to the target at its next heartbeat, in one step.

Everything here is stored: written by `apply` alone, live and on reload (`groups.py`). What is not is in `live`.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.group import GroupType
from riacho.groups.share.member import AssignedPartitions, ShareMember
from riacho.groups.share.records import group_tombstones
from riacho.groups.share.state import ShareState, partitions_of

EMPTY = "Empty"
STABLE = "Stable"
PROTOCOL_TYPE = "share"
# That of a group that nobody has joined yet. Kafka's groups begin with 1, so the first member finds 2.
_INITIAL_EPOCH = 1


class LiveShareGroup:
    """What a share group knows and does not store: it dies with the process, and a loaded group starts without."""

    __slots__ = ("_initializing_since_ms", "is_stale")

    def __init__(self) -> None:
        # Whether topics may have changed since the metadata hash was taken.
        self.is_stale = True
        # Since when the share coordinator is creating the state of a topic's partitions.
        self._initializing_since_ms: dict[bytes, int] = {}

    def hash_taken(self) -> None:
        self.is_stale = False

    def initializing(self, topic_ids: Iterable[bytes], now_ms: int) -> None:
        self._initializing_since_ms.update(dict.fromkeys(topic_ids, now_ms))

    def initialized(self, topic_id: bytes) -> None:
        self._initializing_since_ms.pop(topic_id, None)

    def is_initializing(self, topic_id: bytes, now_ms: int, retry_interval_ms: int) -> bool:
        """Whether it was asked for and the answer may still come."""
        since_ms = self._initializing_since_ms.get(topic_id)
        return since_ms is not None and now_ms - since_ms < retry_interval_ms


class ShareGroup:
    group_type = GroupType.SHARE

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = _INITIAL_EPOCH
        self.metadata_hash = 0
        self.members: dict[str, ShareMember] = {}
        self.target: dict[str, AssignedPartitions] = {}
        self.assignment_epoch = 0
        self.assignment_timestamp_ms = 0
        self.state = ShareState()
        self.live = LiveShareGroup()

    @property
    def listed_protocol_type(self) -> str:
        return PROTOCOL_TYPE

    @property
    def state_name(self) -> str:
        return STABLE if self.members else EMPTY

    @property
    def is_empty(self) -> bool:
        return not self.members

    def is_subscribed_to(self, topic: str) -> bool:
        return any(topic in member.subscribed_topic_names for member in self.members.values())

    def tombstones(self) -> list[CoordinatorRecord]:
        return group_tombstones(self.group_id, self.members)

    def with_member(self, member: ShareMember) -> dict[str, ShareMember]:
        return {**self.members, member.member_id: member}

    def without_member(self, member_id: str) -> dict[str, ShareMember]:
        return {other: member for other, member in self.members.items() if other != member_id}

    def has_unassigned_partitions(self) -> bool:
        """Whether state has been set up for partitions, of topics subscribed to, that nobody reads yet."""
        if not self.members:
            return False
        names = subscribed_topics(self.members.values())
        return any(
            partitions_of(self.state.initialized, topic_id) != self._assigned_partitions(topic_id)
            for topic_id, share in self.state.initialized.items()
            if share.name in names
        )

    def _assigned_partitions(self, topic_id: bytes) -> frozenset[int]:
        none: frozenset[int] = frozenset()
        return none.union(*(assigned.get(topic_id, none) for assigned in self.target.values()))


def subscribed_topics(members: Iterable[ShareMember]) -> set[str]:
    return {name for member in members for name in member.subscribed_topic_names}
