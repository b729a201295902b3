"""SyncGroup decided: the leader brings the assignment, everyone else waits for it."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import answer_sync, sync_accepted, sync_error
from riacho.groups.classic.group import COMPLETING_REBALANCE, PREPARING_REBALANCE, ClassicGroup
from riacho.groups.classic.membership import generation_error
from riacho.groups.classic.rebalance import sync_received
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.sync_group_request import SyncGroupRequest


def decide_sync(
    group: ClassicGroup | None, request: SyncGroupRequest, request_id: int, context: DecisionContext
) -> None:
    code = _sync_error(group, request)
    if code is not ErrorCode.NONE:
        context.decision.answer(request_id, sync_error(code))
        return
    assert group is not None
    member = group.members[request.member_id]
    if group.state is not COMPLETING_REBALANCE:
        sync_received(group, member.member_id, context)
        context.decision.answer(request_id, sync_accepted(group, member.assignment))
        return
    # The client gave up on the request that is still parked, else it would not have sent another.
    answer_sync(group, member, sync_error(ErrorCode.REBALANCE_IN_PROGRESS), context)
    member.sync_request_id = request_id
    sync_received(group, member.member_id, context)
    if group.member_list.is_leader(member.member_id):
        _propagate(group, request, context)


def _sync_error(group: ClassicGroup | None, request: SyncGroupRequest) -> ErrorCode:
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    code = generation_error(group, request.member_id, request.group_instance_id, request.generation_id)
    if code is not ErrorCode.NONE:
        return code
    assert group is not None
    # From version 5 on a client says which protocol it believes was chosen (KIP-559).
    if request.protocol_type is not None and request.protocol_type != group.protocol_type:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if request.protocol_name is not None and request.protocol_name != group.protocol_name:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return ErrorCode.REBALANCE_IN_PROGRESS if group.state is PREPARING_REBALANCE else ErrorCode.NONE


def _propagate(group: ClassicGroup, request: SyncGroupRequest, context: DecisionContext) -> None:
    """Store the assignment and answer all who wait; the group is Stable once the record is installed."""
    brought = {each.member_id: bytes(each.assignment) for each in request.assignments}
    assignments = {member_id: brought.get(member_id, b"") for member_id in group.members}
    context.decision.records.append(group.metadata_record(assignments))
    for member in group.members.values():
        if answer_sync(group, member, sync_accepted(group, assignments[member.member_id]), context):
            # While its SyncGroup was parked the member could not heartbeat; the session starts anew.
            refresh_session(group, member, context)
