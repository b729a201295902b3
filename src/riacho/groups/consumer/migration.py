"""Groups that change their protocol while members are in them (KIP-848, `group.consumer.migration.policy`).

Upgrade: the first member that speaks the consumer protocol turns a classic group into a consumer group. Its generation
becomes the epoch, assignments become targets, and the classic members go on as they were: served with JoinGroup,
SyncGroup and Heartbeat by `classic_members.py`.

Downgrade: when the last one that speaks the consumer protocol goes, or a static member comes back with the classic
protocol and was the last, the group becomes a classic one in the generation of its epoch, and rebalances unless the
assignment is still the right one.

Either way the old kind's records are removed and the new kind's written in one batch.
"""

from __future__ import annotations

import msgspec

from riacho.base.coordination import CoordinatorRecord
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.classic.answers import answer_join, answer_sync, join_error, sync_error
from riacho.groups.classic.embedded_protocol import (
    assigned_partitions,
    owned_partitions,
    read_assignment,
    read_subscription,
    write_assignment,
)
from riacho.groups.classic.group import STABLE, ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.classic.rebalance import JOIN_TIMER, SYNC_TIMER
from riacho.groups.classic.sessions import SESSION_TIMER
from riacho.groups.classic.subscription import CONSUMER_PROTOCOL_TYPE
from riacho.groups.config import GroupConfig
from riacho.groups.consumer import records
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.member import ClassicProtocols, ConsumerMember, MemberState, with_epoch
from riacho.groups.consumer.sessions import CONSUMER_SESSION_TIMER
from riacho.groups.topics_view import TopicsView
from riacho.wire.primitives import WireError


def check_upgrade(group: ClassicGroup, config: GroupConfig) -> None:
    if not config.consumer.migration_policy.allows_upgrade:
        raise _not_upgraded(group, "online upgrade is disabled")
    if not group.uses_consumer_protocol:
        raise _not_upgraded(group, "the group does not use the consumer embedded protocol")
    if len(group.members) > config.consumer.group_size_max:
        raise _not_upgraded(group, "the group size exceeds the consumer group maximum size")


def upgrade_records(group: ClassicGroup, act: ConsumerDecisionContext) -> list[CoordinatorRecord]:
    """The classic group's removal and the consumer group's birth."""
    try:
        members = _still_revoking(
            [_consumer_member(group, member, act.context.topics) for member in group.members.values()],
            act.context.topics,
        )
    except WireError as error:
        raise _not_upgraded(group, "the embedded consumer protocol is malformed") from error
    epoch, group_id = group.generation, group.group_id
    names = {name for member in members for name in member.subscribed_topic_names}
    return [
        *group.tombstones(),
        *(records.member_record(group_id, member) for member in members),
        records.group_epoch_record(group_id, epoch, act.hashes.of_group(names, act.context.topics)),
        *(records.target_member_record(group_id, member.member_id, member.assigned) for member in members),
        records.target_metadata_record(group_id, epoch, 0),
        *(records.current_assignment_record(group_id, member) for member in members),
    ]


def leave_classic_state(group: ClassicGroup, act: ConsumerDecisionContext) -> None:
    """Members that wait in the classic group's rebalance are answered to rejoin; its timers are over."""
    context = act.context

    def dismiss_all() -> None:
        for member in group.members.values():
            answer_join(group, member, join_error(ErrorCode.REBALANCE_IN_PROGRESS, member.member_id), context)
            answer_sync(group, member, sync_error(ErrorCode.REBALANCE_IN_PROGRESS), context)

    act.on_commit(dismiss_all)
    for kind in (JOIN_TIMER, SYNC_TIMER):
        act.cancel(kind, group.group_id, "")
    for member in group.members.values():
        act.cancel(SESSION_TIMER, group.group_id, member.member_id)
        act.schedule(CONSUMER_SESSION_TIMER, group.group_id, member.member_id, member.session_timeout_ms)


def may_downgrade(group: ConsumerGroup, leaving: list[ConsumerMember], config: GroupConfig) -> bool:
    """Whether all who stay speak the classic protocol, and the policy lets them have their own group."""
    staying = len(group.members) - len(leaving)
    classic_leaving = sum(member.uses_classic_protocol for member in leaving)
    return (
        staying > 0
        and group.classic_member_count - classic_leaving == staying
        and config.consumer.migration_policy.allows_downgrade
        and staying <= config.group_size_max
    )


def may_downgrade_by_replacing(group: ConsumerGroup, replaced: ConsumerMember, config: GroupConfig) -> bool:
    """Whether the replaced member is the only one that speaks the consumer protocol."""
    return (
        not replaced.uses_classic_protocol
        and group.classic_member_count == len(group.members) - 1
        and config.consumer.migration_policy.allows_downgrade
        and len(group.members) <= config.group_size_max
    )


def classic_group_of(
    group: ConsumerGroup, leaving: list[ConsumerMember], joining: ConsumerMember | None, act: ConsumerDecisionContext
) -> ClassicGroup:
    """The group as a classic one; `joining` takes the place of the static member with its instance id."""
    classic = ClassicGroup(group.group_id)
    classic.generation = group.group_epoch
    classic.protocol_type = CONSUMER_PROTOCOL_TYPE
    classic.state, classic.state_timestamp_ms = STABLE, act.now_ms
    gone = {member.member_id for member in leaving}
    replaced = None if joining is None else group.static_member(joining.instance_id)
    for member in group.members.values():
        if member.member_id not in gone and member is not replaced:
            classic.member_list.add(_classic_member(member))
    if joining is not None:
        classic.member_list.add(_classic_member(joining))
    classic.protocol_name = classic.member_list.select_protocol()
    try:
        for each in classic.members.values():
            heir_of = replaced if joining is not None and each.member_id == joining.member_id else None
            target = group.target.get(each.member_id if heir_of is None else heir_of.member_id, {})
            each.assignment = write_assignment(target, act.context.topics, each.metadata(classic.protocol_name))
    except WireError as error:
        raise KafkaError(
            ErrorCode.GROUP_ID_NOT_FOUND, f"Cannot downgrade the group {group.group_id}: {error}."
        ) from error
    classic.refresh_topics()
    return classic


def downgrade_records(
    group: ConsumerGroup, classic: ClassicGroup, joining: ConsumerMember | None
) -> list[CoordinatorRecord]:
    replaced = None if joining is None else group.static_member(joining.instance_id)
    member_ids = [member_id for member_id in group.members if replaced is None or member_id != replaced.member_id]
    if joining is not None:
        member_ids.append(joining.member_id)
    assignments = {member.member_id: member.assignment for member in classic.members.values()}
    return [*group.tombstones_of(member_ids), classic.metadata_record(assignments)]


def _consumer_member(group: ClassicGroup, member: Member, topics: TopicsView) -> ConsumerMember:
    assigned: dict[bytes, frozenset[int]] = {}
    if member.assignment:
        assignment = read_assignment(member.assignment)
        if assignment.user_data:
            raise _not_upgraded(group, "an unsupported custom assignor is in use")
        assigned = assigned_partitions(assignment, topics)
    # It says the same in each of its protocols, and the group may not have chosen one yet.
    subscription = read_subscription(member.protocols[0][1])
    return ConsumerMember(
        member_id=member.member_id,
        member_epoch=group.generation,
        previous_member_epoch=group.generation,
        instance_id=member.group_instance_id,
        rack_id=subscription.rack_id or None,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        subscribed_topic_names=frozenset(subscription.topics),
        assigned=with_epoch(assigned, group.generation),
        classic=ClassicProtocols(member.session_timeout_ms, member.protocols),
    )


def _still_revoking(members: list[ConsumerMember], topics: TopicsView) -> list[ConsumerMember]:
    """A cooperative member lets go of what its new assignment does not have any more, and joins again to say so
    (KIP-429). Until it has, nobody else may get that."""
    taken = {(topic_id, index) for member in members for topic_id, by in member.assigned.items() for index in by}
    return [_revoking_since_join(member, taken, topics) for member in members]


def _revoking_since_join(member: ConsumerMember, taken: set[tuple[bytes, int]], topics: TopicsView) -> ConsumerMember:
    assert member.classic is not None
    pending: dict[bytes, set[int]] = {}
    for topic_id, indexes in owned_partitions(read_subscription(member.classic.protocols[0][1]), topics).items():
        free = {index for index in indexes if (topic_id, index) not in taken}
        taken.update((topic_id, index) for index in free)
        if free:
            pending[topic_id] = free
    if not pending:
        return member
    return msgspec.structs.replace(
        member, state=MemberState.UNREVOKED_PARTITIONS, pending_revocation=with_epoch(pending, member.member_epoch)
    )


def _classic_member(member: ConsumerMember) -> Member:
    assert member.classic is not None
    return Member(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=member.classic.session_timeout_ms,
        protocols=member.classic.protocols,
    )


def _not_upgraded(group: ClassicGroup, why: str) -> KafkaError:
    detail = f"Cannot upgrade classic group {group.group_id} to consumer group because {why}."
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, detail)
