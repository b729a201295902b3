"""How one member of a consumer group gets from what it holds to what it is meant to hold (KIP-848).

Theory of operation
===================
A heartbeat at a time, with what the member says it holds (`owned`; None when it says nothing):

                        the target no longer has something it holds
      +--------+ ---------------------------------------------------> +----------------------+
      | Stable |                                                      | UnrevokedPartitions  |  keeps its epoch
      +--------+ <--------------------------------------------------- +----------------------+
          ^  ^        it has let go; nobody holds the rest                     |
          |  |                                                                 | it has let go, others hold
          |  |        others have let go      +-----------------------+        | some of the rest
          |  +------------------------------- | UnreleasedPartitions  | <------+
          |                                   +-----------------------+
          +-- a newer target that asks for nothing to be given back

- Letting go comes first. While something is to be given back the member keeps its old epoch and gets nothing new.
- Then it moves to the target's epoch at once, with what is free of its target, and waits for what others still hold.
- Each partition remembers the epoch in which it was given, so that a commit which was under way while the member moved
  on is still good for partitions that it had all the time (KIP-1251).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.consumer.member import ConsumerMember, MemberState, PartitionEpochs

Owned = Mapping[bytes, Set[int]]
OwnerOf = Callable[[bytes, int], str | None]


class Target:
    """Where a member is to go: the assignment, its epoch, and what of it the member still subscribes to."""

    __slots__ = ("epoch", "partitions", "subscribed_topic_ids")

    def __init__(self, epoch: int, partitions: Mapping[bytes, Set[int]], subscribed_topic_ids: Set[bytes]) -> None:
        self.epoch = epoch
        self.partitions = partitions
        self.subscribed_topic_ids = subscribed_topic_ids


def reconcile(
    member: ConsumerMember, target: Target, owned: Owned | None, owner_of: OwnerOf, *, has_subscription_changed: bool
) -> ConsumerMember:
    """The member after this heartbeat: the same value when it can go no further."""
    match member.state:
        case MemberState.STABLE if member.member_epoch == target.epoch:
            return _drop_unsubscribed(member, target, owned) if has_subscription_changed else member
        case MemberState.UNREVOKED_PARTITIONS if _still_owns(owned, member.pending_revocation):
            return _drop_unsubscribed(member, target, owned) if has_subscription_changed else member
        case MemberState.UNKNOWN if owned is None or owned:
            # Stored by a version that knows more states: only a fresh start is safe.
            raise KafkaError(
                ErrorCode.FENCED_MEMBER_EPOCH,
                "The consumer group member is in an unknown state. The member must abandon all its partitions and"
                " rejoin.",
            )
    return _advance(member, target, owned, owner_of)


def _advance(member: ConsumerMember, target: Target, owned: Owned | None, owner_of: OwnerOf) -> ConsumerMember:
    kept: PartitionEpochs = {}
    revoked: PartitionEpochs = {}
    given: PartitionEpochs = {}
    has_unreleased = False
    for topic_id in target.partitions.keys() | member.assigned.keys():
        wanted = (
            target.partitions.get(topic_id, frozenset()) if topic_id in target.subscribed_topic_ids else frozenset()
        )
        held = member.assigned.get(topic_id, {})
        pending = member.pending_revocation.get(topic_id, {})
        _put(kept, topic_id, {index: epoch for index, epoch in held.items() if index in wanted})
        _put(revoked, topic_id, {index: epoch for index, epoch in held.items() if index not in wanted})
        missing = [index for index in wanted if index not in held]
        # What the member itself was giving back is not in anybody's way.
        free = [index for index in missing if owner_of(topic_id, index) is None or index in pending]
        has_unreleased = has_unreleased or len(free) < len(missing)
        _put(given, topic_id, dict.fromkeys(free, target.epoch))
    if revoked and _still_owns(owned, revoked):
        return member.revoking(kept, revoked)
    for topic_id, epochs in given.items():
        kept[topic_id] = kept.get(topic_id, {}) | epochs
    state = MemberState.UNRELEASED_PARTITIONS if has_unreleased else MemberState.STABLE
    return member.moved_to(target.epoch, state, kept)


def _drop_unsubscribed(member: ConsumerMember, target: Target, owned: Owned | None) -> ConsumerMember:
    """Between two targets: what it no longer subscribes to goes back at once, the rest stays as it is."""
    dropped = {topic: epochs for topic, epochs in member.assigned.items() if topic not in target.subscribed_topic_ids}
    if not dropped:
        return member
    kept = {topic: epochs for topic, epochs in member.assigned.items() if topic in target.subscribed_topic_ids}
    revoked = dict(member.pending_revocation)
    for topic_id, epochs in dropped.items():
        revoked[topic_id] = revoked.get(topic_id, {}) | epochs
    if _still_owns(owned, revoked):
        return member.revoking(kept, revoked)
    return msgspec.structs.replace(member, previous_member_epoch=member.member_epoch, assigned=kept)


def _still_owns(owned: Owned | None, revoked: PartitionEpochs) -> bool:
    """A member that does not say what it holds is taken to hold all of it."""
    if owned is None:
        return True
    return any(not revoked[topic_id].keys().isdisjoint(owned.get(topic_id, ())) for topic_id in revoked)


def _put(partitions: PartitionEpochs, topic_id: bytes, epochs: dict[int, int]) -> None:
    if epochs:
        partitions[topic_id] = epochs
