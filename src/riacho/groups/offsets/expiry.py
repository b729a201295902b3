"""When committed offsets and abandoned groups go (KIP-211).

- A group with members keeps what it may still need. A Stable consumer group only loses offsets of topics that none of
  its members subscribes to, a retention time after they were committed.
- An Empty group keeps all its offsets for the retention time, counted from when it became empty.
- A group that never had members ("simple": its consumers assign partitions to themselves) keeps each offset for the
  retention time, counted from its commit.
- A group of the consumer protocol counts from the commit, and keeps what its members subscribe to (KIP-848).
- An Empty group without offsets is removed. Share groups have no offsets here; they go when they are deleted.
"""

from __future__ import annotations

from collections.abc import Callable

from riacho.groups.classic.group import EMPTY, STABLE, ClassicGroup
from riacho.groups.classic.records import CommittedOffset, offset_tombstone
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group
from riacho.groups.offsets.offsets import Offsets

Base = Callable[[CommittedOffset], int]


def expire_group(group: Group, offsets: Offsets, context: DecisionContext) -> None:
    if not isinstance(group, ClassicGroup | ConsumerGroup):
        return
    if _expire_offsets(group, offsets, context) and _is_abandoned(group, offsets):
        context.decision.records.extend(group.tombstones())


def _expire_offsets(group: ClassicGroup | ConsumerGroup, offsets: Offsets, context: DecisionContext) -> bool:
    """Tombstones for what is too old; whether nothing is left."""
    base = _retention_base(group)
    nothing_left = True
    for topic, partition, committed in offsets.walk(group.group_id):
        if (
            base is not None
            and not group.is_subscribed_to(topic)
            and _is_expired(committed, base, context)
            and not offsets.is_pending(group.group_id, topic, partition)
        ):
            context.decision.records.append(offset_tombstone(group.group_id, topic, partition))
        else:
            nothing_left = False
    return nothing_left


def _retention_base(group: ClassicGroup | ConsumerGroup) -> Base | None:
    """The time from which the retention counts; None when nothing expires."""
    if isinstance(group, ConsumerGroup) or group.protocol_type is None:
        return _commit_timestamp
    if group.state is EMPTY:
        empty_since_ms = group.state_timestamp_ms
        # Group records before version 2 did not say since when.
        return _commit_timestamp if empty_since_ms == -1 else lambda _: empty_since_ms
    if group.state is STABLE and group.uses_consumer_protocol and group.topics is not None:
        return _commit_timestamp
    return None


def _is_expired(committed: CommittedOffset, base: Base, context: DecisionContext) -> bool:
    if committed.expire_timestamp_ms != -1:
        return context.now_ms >= committed.expire_timestamp_ms
    return context.now_ms - base(committed) >= context.config.offsets_retention_ms


def _is_abandoned(group: ClassicGroup | ConsumerGroup, offsets: Offsets) -> bool:
    if not group.is_empty or (isinstance(group, ClassicGroup) and group.member_list.pending_join):
        return False
    return not offsets.has_open_transaction(group.group_id)


def _commit_timestamp(committed: CommittedOffset) -> int:
    return committed.commit_timestamp_ms
