"""LeaveGroup decided: per member since version 3, by member id or, for an administrator, by instance id (KIP-345)."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import DEAD, EMPTY, ClassicGroup
from riacho.groups.classic.membership import member_error
from riacho.groups.classic.rebalance import rebalance_or_complete, remove_member
from riacho.groups.classic.sessions import cancel_session
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from riacho.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse

MEMBERS_VERSION = 3


def decide_leave(
    group: ClassicGroup | None, request: LeaveGroupRequest, version: int, request_id: int, context: DecisionContext
) -> None:
    if not request.group_id:
        context.decision.answer(request_id, LeaveGroupResponse(error_code=ErrorCode.INVALID_GROUP_ID))
        return
    if group is not None and group.state is DEAD:
        context.decision.answer(request_id, LeaveGroupResponse(error_code=ErrorCode.COORDINATOR_NOT_AVAILABLE))
        return
    leaving = request.members if version >= MEMBERS_VERSION else [MemberIdentity(member_id=request.member_id)]
    members = [_leave(group, identity, context) for identity in leaving]
    somebody_left = any(member.error_code == ErrorCode.NONE for member in members)
    if group is not None and somebody_left and group.state is not EMPTY:
        rebalance_or_complete(group, context)
    if version >= MEMBERS_VERSION:
        context.decision.answer(request_id, LeaveGroupResponse(members=members))
    else:
        context.decision.answer(request_id, LeaveGroupResponse(error_code=members[0].error_code))


def _leave(group: ClassicGroup | None, identity: MemberIdentity, context: DecisionContext) -> MemberResponse:
    response = MemberResponse(member_id=identity.member_id, group_instance_id=identity.group_instance_id)
    if group is None:
        response.error_code = ErrorCode.UNKNOWN_MEMBER_ID
    elif identity.member_id in group.member_list.pending_join:
        group.member_list.remove(identity.member_id)
        cancel_session(group, identity.member_id, context)
    else:
        member_id = identity.member_id
        if not member_id and identity.group_instance_id is not None:
            member_id = group.member_list.static_member_ids.get(identity.group_instance_id, "")
        response.error_code = member_error(group, member_id, identity.group_instance_id)
        if response.error_code == ErrorCode.NONE:
            remove_member(group, group.members[member_id], context)
    return response
