"""What the kinds of groups have in common: how they are listed, and when they may be deleted or lose offsets.

A shard keeps all its groups by id in one dictionary, whatever their kind. Classic groups are the shard's own; each
other kind is served by an object (`consumer/groups.py`, `share/groups.py`), which the shard hands the records, timers
and changes of metadata of its kind: see `GroupKind`. Groups come and go by `apply` alone, of the shard or of a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Protocol, TypeVar

from riacho.base.coordination import CoordinatorRecord
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.decision_context import DecisionContext
from riacho.groups.timers import TimerKey
from riacho.groups.topics_view import TopicChanges

M = TypeVar("M")


class GroupType(Enum):
    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


class Group(Protocol):
    group_id: str
    group_type: GroupType

    @property
    def listed_protocol_type(self) -> str:
        """As ListGroups shows it."""
        ...

    @property
    def state_name(self) -> str: ...

    @property
    def is_empty(self) -> bool:
        """No members, and no rebalance under way: it may be deleted."""
        ...

    def is_subscribed_to(self, topic: str) -> bool: ...

    def tombstones(self) -> list[CoordinatorRecord]:
        """What removes the group itself, not its offsets."""
        ...


class GroupKind(Protocol):
    """One kind of groups of a shard, other than the classic ones."""

    record_types: frozenset[int]
    timer_kinds: frozenset[str]

    def apply(self, record_type: int, key: bytes, value: bytes | None) -> None:
        """Take in a record of one of `record_types`."""
        ...

    def finish_loading(self, context: DecisionContext) -> None: ...

    def expire(self, key: TimerKey, context: DecisionContext) -> None:
        """A timer of one of `timer_kinds` is due."""
        ...

    def topics_changed(self, changes: TopicChanges, context: DecisionContext) -> None:
        """The cluster's topics are no longer what they were; `context.topics` are the new ones."""
        ...

    def abandon(self, code: ErrorCode, context: DecisionContext) -> None:
        """Answer every parked request."""
        ...


def known_member(group_id: str, members: Mapping[str, M], member_id: str) -> M:
    member = members.get(member_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Member {member_id} is not a member of group {group_id}.")
    return member
