"""Members that go: by their own wish, by LeaveGroup, or by a timeout.

When those who stay all speak the classic protocol, the group goes back to being a classic one (`migration.py`).
A static member that leaves with epoch -2 stays: its partitions wait for it until its session ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.consumer import records
from riacho.groups.consumer.decision_context import ConsumerDecisionContext
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.joining import known_static_member
from riacho.groups.consumer.member import LEAVE_STATIC_EPOCH, ConsumerMember, with_epoch
from riacho.groups.consumer.subscription import SubscribedNames, bump_epoch
from riacho.groups.group import known_member
from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from riacho.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from riacho.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse

# Makes the group a classic one without these members; whether it did.
Downgrade = Callable[[ConsumerGroup, list[ConsumerMember], ConsumerDecisionContext], bool]
_MEMBERS_VERSION = 3


def decide_leave(
    group: ConsumerGroup, request: ConsumerGroupHeartbeatRequest, downgrade: Downgrade, act: ConsumerDecisionContext
) -> ConsumerGroupHeartbeatResponse:
    """A heartbeat with epoch -1 or -2."""
    if request.instance_id is None:
        member = known_member(group.group_id, group.members, request.member_id)
    else:
        member = known_static_member(group, request.member_id, request.instance_id)
        if request.member_epoch == LEAVE_STATIC_EPOCH:
            _leave_for_a_while(group, member, act)
            return ConsumerGroupHeartbeatResponse(member_id=member.member_id, member_epoch=LEAVE_STATIC_EPOCH)
    fence_members(group, [member], downgrade, act)
    return ConsumerGroupHeartbeatResponse(member_id=request.member_id, member_epoch=request.member_epoch)


def decide_classic_leave(
    group: ConsumerGroup, request: LeaveGroupRequest, version: int, downgrade: Downgrade, act: ConsumerDecisionContext
) -> LeaveGroupResponse:
    identities = request.members if version >= _MEMBERS_VERSION else [MemberIdentity(member_id=request.member_id)]
    leaving: dict[str, ConsumerMember] = {}
    responses = []
    for identity in identities:
        response = MemberResponse(member_id=identity.member_id, group_instance_id=identity.group_instance_id)
        try:
            member = _leaving_member(group, identity)
            leaving[member.member_id] = member
        except KafkaError as error:
            response.error_code = error.code
        responses.append(response)
    fence_members(group, list(leaving.values()), downgrade, act)
    if version >= _MEMBERS_VERSION:
        return LeaveGroupResponse(members=responses)
    return LeaveGroupResponse(error_code=responses[0].error_code)


def fence_members(
    group: ConsumerGroup, members: list[ConsumerMember], downgrade: Downgrade, act: ConsumerDecisionContext
) -> None:
    if not members or downgrade(group, members, act):
        return
    names = SubscribedNames(group)
    for member in members:
        act.records += [
            records.current_assignment_tombstone(group.group_id, member.member_id),
            records.target_member_tombstone(group.group_id, member.member_id),
            records.member_tombstone(group.group_id, member.member_id),
        ]
        act.cancel_all(group.group_id, member.member_id)
    for member in members:
        names.drop_member(member)
    for regex, count in Counter(member.regex for member in members if member.regex).items():
        if group.regexes[regex] == count:
            act.records.append(records.regular_expression_tombstone(group.group_id, regex))
            names.drop_regex(regex)
    bump_epoch(group, names, act, force=True)


def _leave_for_a_while(group: ConsumerGroup, member: ConsumerMember, act: ConsumerDecisionContext) -> None:
    # With epoch 0 on every partition, whoever comes back under its name may commit for all of them.
    away = msgspec.structs.replace(
        member,
        member_epoch=LEAVE_STATIC_EPOCH,
        assigned=with_epoch(member.assigned, 0),
        pending_revocation={},
    )
    act.records.append(records.current_assignment_record(group.group_id, away))


def _leaving_member(group: ConsumerGroup, identity: MemberIdentity) -> ConsumerMember:
    if identity.group_instance_id is None:
        return known_member(group.group_id, group.members, identity.member_id)
    member = group.static_member(identity.group_instance_id)
    if member is None:
        raise KafkaError(ErrorCode.UNKNOWN_MEMBER_ID)
    # An administrator knows the instance id alone.
    if identity.member_id and identity.member_id != member.member_id:
        raise KafkaError(ErrorCode.FENCED_INSTANCE_ID)
    return member
