"""The rest of every request by which a member of a consumer group reports: a new epoch, a new target, the next step.

The same for members that heartbeat in the consumer protocol and for classic ones that join: what changed is stored, the
group's epoch follows, then the target assignment, and then the member takes a step towards its part of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.groups.consumer import records
from riacho.groups.consumer.current_assignment import Owned, Target, reconcile
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.member import ConsumerMember, MemberState
from riacho.groups.consumer.regex import RegexChange
from riacho.groups.consumer.sessions import CONSUMER_REBALANCE_TIMER
from riacho.groups.consumer.subscription import SubscribedNames, bump_epoch
from riacho.groups.consumer.target_assignment import (
    ASSIGNORS,
    Subscriber,
    assign,
    changed_targets,
    may_assign,
    topic_ids_of,
)


def store_subscription(
    group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember, act: ConsumerDecisionContext
) -> bool:
    """Whether it names other topics than before."""
    if updated == member:
        return False
    act.records.append(records.member_record(group.group_id, updated))
    return updated.subscribed_topic_names != member.subscribed_topic_names


def next_group_epoch(
    group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember, act: ConsumerDecisionContext, *, force: bool
) -> int:
    if not force and not group.live.has_metadata_expired(act.now_ms):
        return group.group_epoch
    names = SubscribedNames(group)
    names.replace_member(member, updated)
    epoch = bump_epoch(group, names, act, force=force)
    if group.has_partition_metadata_record:
        act.records.append(records.partition_metadata_tombstone(group.group_id))
    return epoch


def next_target(
    group: ConsumerGroup,
    group_epoch: int,
    member: ConsumerMember,
    updated: ConsumerMember,
    act: ConsumerDecisionContext,
) -> tuple[int, Mapping[bytes, frozenset[int]]]:
    """The assignment epoch and this member's part of the target; computed anew when the group has moved on."""
    interval_ms = act.assignment_interval_ms(group.group_id)
    if group.assignment_epoch >= group_epoch or not may_assign(group.assignment_timestamp_ms, interval_ms, act.now_ms):
        return group.assignment_epoch, group.target_of(updated)
    assignor = ASSIGNORS[_preferred_assignor(group, member, updated, act)]
    assignment = assign(assignor, _subscribers(group, updated), act.context.topics)
    changed = changed_targets(group.target, assignment)
    for member_id, partitions in sorted(changed.items()):
        act.records.append(records.target_member_record(group.group_id, member_id, partitions))
    act.records.append(records.target_metadata_record(group.group_id, group_epoch, act.now_ms))
    mine = assignment.get(updated.member_id, {})
    return group_epoch, {topic_id: frozenset(indexes) for topic_id, indexes in mine.items()}


def take_step(
    group: ConsumerGroup,
    member: ConsumerMember,
    target: tuple[int, Mapping[bytes, frozenset[int]]],
    owned: Owned | None,
    act: ConsumerDecisionContext,
    *,
    has_subscription_changed: bool,
) -> ConsumerMember:
    epoch, partitions = target
    if not has_subscription_changed and member.is_reconciled_to(epoch):
        return member
    subscribed = topic_ids_of(group.topic_names_of(member), act.context.topics)
    stepped = reconcile(
        member,
        Target(epoch, partitions, subscribed),
        owned,
        group.owner_of,
        has_subscription_changed=has_subscription_changed,
    )
    if stepped == member:
        return member
    act.records.append(records.current_assignment_record(group.group_id, stepped))
    if not stepped.uses_classic_protocol:
        watch_revocation(group, stepped, act)
    return stepped


def is_bumped_by(change: RegexChange, has_names_changed: bool) -> bool:
    """A pattern that is not resolved yet changes the epoch when it is: once, not twice."""
    return has_names_changed or change is RegexChange.UPDATED_AND_RESOLVED


def watch_revocation(group: ConsumerGroup, member: ConsumerMember, act: ConsumerDecisionContext) -> None:
    if member.state is not MemberState.UNREVOKED_PARTITIONS:
        act.cancel(CONSUMER_REBALANCE_TIMER, group.group_id, member.member_id)
        return
    epochs = {member.member_id: member.member_epoch}
    act.schedule(CONSUMER_REBALANCE_TIMER, group.group_id, member.member_id, member.rebalance_timeout_ms)
    act.once_applied(lambda: group.live.rebalance_epochs.update(epochs))


def _preferred_assignor(
    group: ConsumerGroup, member: ConsumerMember, updated: ConsumerMember, act: ConsumerDecisionContext
) -> str:
    """What most members ask for; the broker's first when nobody asks."""
    counts = group.server_assignors.copy()
    if member.server_assignor is not None:
        counts[member.server_assignor] -= 1
    if updated.server_assignor is not None:
        counts[updated.server_assignor] += 1
    return preferred_assignor(counts, act.config.assignors[0])


def preferred_assignor(counts: Mapping[str, int], default: str) -> str:
    asked = [(count, name) for name, count in counts.items() if count > 0]
    return max(asked)[1] if asked else default


def _subscribers(group: ConsumerGroup, updated: ConsumerMember) -> dict[str, Subscriber]:
    members = dict(group.members)
    replaced = group.static_member(updated.instance_id)
    if replaced is not None and replaced.member_id != updated.member_id:
        del members[replaced.member_id]
    members[updated.member_id] = updated
    return {
        member.member_id: Subscriber(
            group.topic_names_of(member), group.target_of(member), member.instance_id, member.rack_id
        )
        for member in members.values()
    }
