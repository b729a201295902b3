"""Which member of a consumer group a request speaks for: a known one, a new one, or a static one that comes back."""

from __future__ import annotations

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.consumer import records
from riacho.groups.consumer.current_assignment import Owned
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.member import JOIN_EPOCH, LEAVE_STATIC_EPOCH, ConsumerMember
from riacho.groups.group import known_member


def check_room(group: ConsumerGroup, member_id: str, act: ConsumerDecisionContext) -> None:
    size_max = act.config.group_size_max
    if len(group.members) >= size_max and member_id not in group.members:
        raise KafkaError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {size_max} members.",
        )


def known_static_member(group: ConsumerGroup, member_id: str, instance_id: str) -> ConsumerMember:
    """The holder of the instance id, which the caller must be."""
    member = group.static_member(instance_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if member.member_id != member_id:
        raise KafkaError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member {member.member_id}.",
        )
    return member


def dynamic_member(group: ConsumerGroup, member_id: str, *, may_create: bool) -> ConsumerMember:
    if may_create and member_id not in group.members:
        return ConsumerMember(member_id=member_id)
    return known_member(group.group_id, group.members, member_id)


def joining_static_member(
    group: ConsumerGroup, member_id: str, instance_id: str, act: ConsumerDecisionContext, *, is_classic: bool
) -> ConsumerMember:
    """A new static member, or the old one under its new id and with all that the old one had (KIP-345)."""
    old = group.static_member(instance_id)
    if old is None:
        return dynamic_member(group, member_id, may_create=True)
    if not is_classic and not old.uses_classic_protocol and old.member_epoch != LEAVE_STATIC_EPOCH:
        raise KafkaError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} cannot join the group because the instance id"
            f" is owned by {old.member_id} member.",
        )
    new = msgspec.structs.replace(old, member_id=member_id, member_epoch=JOIN_EPOCH, previous_member_epoch=JOIN_EPOCH)
    group_id = group.group_id
    target = group.target.get(old.member_id, {})
    act.records += [
        records.current_assignment_tombstone(group_id, old.member_id),
        records.target_member_tombstone(group_id, old.member_id),
        records.member_tombstone(group_id, old.member_id),
        records.member_record(group_id, new),
        records.target_member_record(group_id, new.member_id, target),
        records.current_assignment_record(group_id, new),
    ]
    if old.member_id != member_id:
        act.cancel_all(group_id, old.member_id)
    return new


def check_member_epoch(member: ConsumerMember, epoch: int, owned: Owned | None) -> None:
    """An epoch behind is taken when the answer that brought the new one may have got lost."""
    if epoch in (JOIN_EPOCH, member.member_epoch):
        return
    if epoch < member.member_epoch and epoch == member.previous_member_epoch and _is_subset(owned, member):
        return
    which = "greater" if epoch > member.member_epoch else "smaller"
    raise KafkaError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The consumer group member has a {which} member epoch ({epoch}) than the one known by the group coordinator"
        f" ({member.member_epoch}). The member must abandon all its partitions and rejoin.",
    )


def _is_subset(owned: Owned | None, member: ConsumerMember) -> bool:
    if owned is None:
        return False
    return all(indexes <= member.assigned.get(topic_id, {}).keys() for topic_id, indexes in owned.items())
