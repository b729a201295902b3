"""Members of a consumer group that speak the classic protocol: JoinGroup, SyncGroup and Heartbeat (KIP-848).

To such a member the group looks like a classic one whose generation is its own member epoch. Nobody waits for anybody:
a join is answered at once, with the next step of its reconciliation, and sync hands out what it then holds. A member
that is to give partitions back or can have more is answered REBALANCE_IN_PROGRESS, which makes it join again; what it
says it owns then stands for what heartbeats in the consumer protocol report. Nobody is leader.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.classic.answers import join_error
from riacho.groups.classic.embedded_protocol import joined_subscription, owned_partitions, write_assignment
from riacho.groups.classic.join import MEMBER_ID_REQUIRED_VERSION
from riacho.groups.classic.members import protocols_of
from riacho.groups.classic.subscription import CONSUMER_PROTOCOL_TYPE
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.joining import (
    check_room,
    dynamic_member,
    joining_static_member,
    known_static_member,
)
from riacho.groups.consumer.member import ClassicProtocols, ConsumerMember, MemberState
from riacho.groups.consumer.migration import may_downgrade_by_replacing
from riacho.groups.consumer.rebalance import next_group_epoch, next_target, store_subscription, take_step
from riacho.groups.consumer.regex import RegexChange, update_regexes
from riacho.groups.consumer.sessions import CONSUMER_JOIN_TIMER, CONSUMER_SYNC_TIMER
from riacho.groups.consumer_config import MigrationPolicy
from riacho.groups.group import known_member
from riacho.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.join_group_response import JoinGroupResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest
from riacho.wire.messages.sync_group_response import SyncGroupResponse

# Makes the group a classic one with this member in it; whether it must rebalance is said by the flag.
DowngradeTo = Callable[[ConsumerGroup, ConsumerMember, bool, ConsumerDecisionContext], None]


def decide_classic_join(
    group: ConsumerGroup,
    request: JoinGroupRequest,
    version: int,
    caller: Caller,
    new_member_id: str,
    downgrade_to: DowngradeTo,
    act: ConsumerDecisionContext,
) -> JoinGroupResponse:
    _check_join(group, request, act)
    is_new = not request.member_id
    if is_new and request.group_instance_id is None and version >= MEMBER_ID_REQUIRED_VERSION:
        return join_error(ErrorCode.MEMBER_ID_REQUIRED, new_member_id)
    replaced = group.static_member(request.group_instance_id)
    member = _joining(group, request, new_member_id if is_new else request.member_id, act)
    protocols = protocols_of(request.protocols)
    subscription = joined_subscription(protocols[0][1])
    updated = _updated(member, request, subscription, caller)
    has_names_changed = store_subscription(group, member, updated, act)
    regex_change = update_regexes(group, member, updated, None, act)
    has_changed = has_names_changed or regex_change is not RegexChange.NONE
    group_epoch = next_group_epoch(group, member, updated, act, force=has_changed)
    owned = owned_partitions(subscription, act.context.topics)
    if replaced is not None and may_downgrade_by_replacing(group, replaced, act.context.config):
        must_rebalance = group.assignment_epoch < group_epoch or not _is_reconciled(group, replaced)
        if not must_rebalance:
            target = group.assignment_epoch, group.target_of(updated)
            updated = take_step(group, updated, target, owned, act, has_subscription_changed=has_changed)
        downgrade_to(group, updated, must_rebalance, act)
    else:
        target = next_target(group, group_epoch, member, updated, act)
        updated = take_step(group, updated, target, owned, act, has_subscription_changed=has_changed)
        timeout_ms = updated.rebalance_timeout_ms
        act.cancel(CONSUMER_JOIN_TIMER, group.group_id, updated.member_id)
        act.refresh_session(group.group_id, updated.member_id, request.session_timeout_ms)
        act.schedule(CONSUMER_SYNC_TIMER, group.group_id, updated.member_id, timeout_ms)
    return JoinGroupResponse(
        member_id=updated.member_id,
        generation_id=updated.member_epoch,
        protocol_type=CONSUMER_PROTOCOL_TYPE,
        protocol_name=protocols[0][0],
    )


def decide_classic_sync(
    group: ConsumerGroup, request: SyncGroupRequest, act: ConsumerDecisionContext
) -> SyncGroupResponse:
    member, classic = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    _check_protocol(classic, request)
    if group.assignment_epoch > member.member_epoch and member.state is not MemberState.UNREVOKED_PARTITIONS:
        # It has to join again. While it gives partitions back, heartbeats say so when that is done.
        _await_join(group, member, act)
        return SyncGroupResponse(error_code=ErrorCode.REBALANCE_IN_PROGRESS)
    act.cancel(CONSUMER_SYNC_TIMER, group.group_id, member.member_id)
    act.refresh_session(group.group_id, member.member_id, classic.session_timeout_ms)
    return SyncGroupResponse(
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
        assignment=write_assignment(member.assigned, act.context.topics, classic.protocols[0][1]),
    )


def decide_classic_heartbeat(
    group: ConsumerGroup, request: HeartbeatRequest, act: ConsumerDecisionContext
) -> ErrorCode:
    member, classic = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    act.refresh_session(group.group_id, member.member_id, classic.session_timeout_ms)
    if not _should_rejoin(group, member):
        return ErrorCode.NONE
    _await_join(group, member, act)
    return ErrorCode.REBALANCE_IN_PROGRESS


def _is_reconciled(group: ConsumerGroup, replaced: ConsumerMember) -> bool:
    """Whether all others have what they are meant to have: a classic group knows no half-way."""
    others = (member for member in group.members.values() if member.member_id != replaced.member_id)
    return all(member.is_reconciled_to(group.assignment_epoch) for member in others)


def _should_rejoin(group: ConsumerGroup, member: ConsumerMember) -> bool:
    if member.member_epoch < group.assignment_epoch or member.state is MemberState.UNREVOKED_PARTITIONS:
        return True
    return member.state is MemberState.UNRELEASED_PARTITIONS and not _waits_for_others(group, member)


def _waits_for_others(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether some of its target is still held by another."""
    return any(
        index not in member.assigned.get(topic_id, {}) and group.owner_of(topic_id, index) is not None
        for topic_id, indexes in group.target.get(member.member_id, {}).items()
        for index in indexes
    )


def _check_join(group: ConsumerGroup, request: JoinGroupRequest, act: ConsumerDecisionContext) -> None:
    if act.config.migration_policy is MigrationPolicy.DISABLED:
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "the group migration is disabled")
    check_room(group, request.member_id, act)
    names = {protocol.name for protocol in request.protocols}
    if not group.supports_classic_protocols(request.protocol_type, names):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "the member's protocols are not supported")


def _joining(
    group: ConsumerGroup, request: JoinGroupRequest, member_id: str, act: ConsumerDecisionContext
) -> ConsumerMember:
    instance_id = request.group_instance_id
    if instance_id is None:
        return dynamic_member(group, member_id, may_create=True)
    if request.member_id:
        return known_static_member(group, member_id, instance_id)
    return joining_static_member(group, member_id, instance_id, act, is_classic=True)


def _updated(
    member: ConsumerMember, request: JoinGroupRequest, subscription: ConsumerProtocolSubscription, caller: Caller
) -> ConsumerMember:
    # Version 0 of JoinGroup has no rebalance timeout: the session timeout stood for both.
    timeout_ms = request.rebalance_timeout_ms
    return msgspec.structs.replace(
        member,
        instance_id=member.instance_id if request.group_instance_id is None else request.group_instance_id,
        rack_id=subscription.rack_id or member.rack_id,
        rebalance_timeout_ms=request.session_timeout_ms if timeout_ms == -1 else timeout_ms,
        subscribed_topic_names=frozenset(subscription.topics),
        subscribed_topic_regex="",
        client_id=caller.client_id,
        client_host=caller.client_host,
        classic=ClassicProtocols(request.session_timeout_ms, protocols_of(request.protocols)),
    )


def _classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
) -> tuple[ConsumerMember, ClassicProtocols]:
    if instance_id is None:
        member = known_member(group.group_id, group.members, member_id)
    else:
        member = known_static_member(group, member_id, instance_id)
    if member.classic is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID, f"Member {member_id} does not use the classic protocol.")
    if member.member_epoch != generation:
        raise KafkaError(ErrorCode.ILLEGAL_GENERATION, f"the member epoch is {member.member_epoch}")
    return member, member.classic


def _check_protocol(classic: ClassicProtocols, request: SyncGroupRequest) -> None:
    if request.protocol_type not in (None, CONSUMER_PROTOCOL_TYPE):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "another protocol type")
    if request.protocol_name not in (None, classic.protocols[0][0]):
        raise KafkaError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "another protocol than the join's answer named")


def _await_join(group: ConsumerGroup, member: ConsumerMember, act: ConsumerDecisionContext) -> None:
    act.schedule_if_absent(CONSUMER_JOIN_TIMER, group.group_id, member.member_id, member.rebalance_timeout_ms)
