"""Heartbeat decided, and what happens when heartbeats stop."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import EMPTY, PREPARING_REBALANCE, ClassicGroup
from riacho.groups.classic.membership import generation_error
from riacho.groups.classic.rebalance import rebalance_or_complete, remove_member
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.heartbeat_request import HeartbeatRequest


def decide_heartbeat(group: ClassicGroup | None, request: HeartbeatRequest, context: DecisionContext) -> ErrorCode:
    """REBALANCE_IN_PROGRESS asks the member to rejoin; it keeps its session all the same."""
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    code = generation_error(group, request.member_id, request.group_instance_id, request.generation_id)
    if code is not ErrorCode.NONE:
        return code
    assert group is not None
    refresh_session(group, group.members[request.member_id], context)
    return ErrorCode.REBALANCE_IN_PROGRESS if group.state is PREPARING_REBALANCE else ErrorCode.NONE


def session_over(group: ClassicGroup, member_id: str, context: DecisionContext) -> None:
    """The session timer fired, for a member or for an id that was handed out and not used."""
    member = group.members.get(member_id)
    if member is not None:
        if member.is_excused:
            return
        remove_member(group, member, context)
    elif member_id in group.member_list.pending_join:
        group.member_list.remove(member_id)
    else:
        return
    if group.state is PREPARING_REBALANCE or (member is not None and group.state is not EMPTY):
        rebalance_or_complete(group, context)
