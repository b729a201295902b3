"""JoinGroup decided: who may join, under which id, and whether that starts a rebalance."""

from __future__ import annotations

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import answer_join, join_accepted, join_error
from riacho.groups.classic.group import (
    COMPLETING_REBALANCE,
    EMPTY,
    PREPARING_REBALANCE,
    STABLE,
    ClassicGroup,
)
from riacho.groups.classic.members import Member, protocols_of
from riacho.groups.classic.membership import member_error
from riacho.groups.classic.rebalance import maybe_complete_join, rebalance_or_complete
from riacho.groups.classic.sessions import cancel_session, open_session
from riacho.groups.classic.static_join import join_static
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.join_group_request import JoinGroupRequest

# From this version on a client must come back with the id it was given before it counts as a member (KIP-394).
MEMBER_ID_REQUIRED_VERSION = 4


def request_error(request: JoinGroupRequest, context: DecisionContext) -> ErrorCode:
    """What is wrong with the request by itself."""
    if not request.group_id:
        return ErrorCode.INVALID_GROUP_ID
    config = context.config
    if not config.session_timeout_ms_min <= request.session_timeout_ms <= config.session_timeout_ms_max:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    return ErrorCode.NONE


def rebalance_timeout_ms(request: JoinGroupRequest) -> int:
    """Version 0 has none: the session timeout stood for both."""
    return request.session_timeout_ms if request.rebalance_timeout_ms == -1 else request.rebalance_timeout_ms


def decide_join(
    group: ClassicGroup,
    request: JoinGroupRequest,
    version: int,
    caller: Caller,
    new_member_suffix: str,
    request_id: int,
    context: DecisionContext,
) -> None:
    member_id = request.member_id
    if not _has_room(group, member_id, context):
        # It must not hold up the rebalance of those that fit.
        cancel_session(group, member_id, context)
        group.member_list.remove(member_id)
        context.decision.answer(request_id, join_error(ErrorCode.GROUP_MAX_SIZE_REACHED))
        maybe_complete_join(group, context)
    elif not group.accepts_protocols(request.protocol_type, [protocol.name for protocol in request.protocols]):
        context.decision.answer(request_id, join_error(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, member_id))
    elif member_id:
        _join_known(group, request, caller, request_id, context)
    elif request.group_instance_id is not None:
        new_member_id = f"{request.group_instance_id}-{new_member_suffix}"
        if request.group_instance_id in group.member_list.static_member_ids:
            join_static(group, request, version, new_member_id, rebalance_timeout_ms(request), request_id, context)
        else:
            _add_member(group, request, caller, new_member_id, request_id, context)
    else:
        new_member_id = f"{caller.client_id}-{new_member_suffix}"
        if version >= MEMBER_ID_REQUIRED_VERSION:
            group.member_list.pending_join.add(new_member_id)
            open_session(group.group_id, new_member_id, request.session_timeout_ms, context)
            context.decision.answer(request_id, join_error(ErrorCode.MEMBER_ID_REQUIRED, new_member_id))
        else:
            _add_member(group, request, caller, new_member_id, request_id, context)


def _has_room(group: ClassicGroup, member_id: str, context: DecisionContext) -> bool:
    """`group.max.size`: during a rebalance those that have rejoined count, so that the last ones stay out."""
    size_max = context.config.group_size_max
    member = group.members.get(member_id)
    if group.state is PREPARING_REBALANCE:
        return (
            member is not None and member.join_request_id is not None
        ) or group.member_list.awaiting_join_count < size_max
    if group.state in (COMPLETING_REBALANCE, STABLE):
        return member is not None or len(group.member_list) < size_max
    return True


def _join_known(
    group: ClassicGroup, request: JoinGroupRequest, caller: Caller, request_id: int, context: DecisionContext
) -> None:
    member_id = request.member_id
    if member_id in group.member_list.pending_join and request.group_instance_id is None:
        _add_member(group, request, caller, member_id, request_id, context)
        return
    code = member_error(group, member_id, request.group_instance_id)
    if code is ErrorCode.NONE and group.state is EMPTY:
        code = ErrorCode.UNKNOWN_MEMBER_ID
    if code is not ErrorCode.NONE:
        context.decision.answer(request_id, join_error(code, member_id))
        return
    member = group.members[member_id]
    if _repeats(group, member, request):
        is_leader = group.member_list.is_leader(member_id)
        context.decision.answer(request_id, join_accepted(group, member_id, with_members=is_leader))
        return
    group.member_list.update(
        member, protocols_of(request.protocols), rebalance_timeout_ms(request), request.session_timeout_ms
    )
    # The client gave up on the request that is still parked, else it would not have sent another.
    answer_join(group, member, join_error(ErrorCode.REBALANCE_IN_PROGRESS, member_id), context)
    group.member_list.park_join(member, request_id)
    rebalance_or_complete(group, context)


def _repeats(group: ClassicGroup, member: Member, request: JoinGroupRequest) -> bool:
    """Whether this join asks for nothing new: the answer to the last one got lost, most likely.

    A leader that rejoins a Stable group wants a rebalance even so: it saw new partitions, which metadata does not show.
    """
    if group.state is PREPARING_REBALANCE or member.protocols != protocols_of(request.protocols):
        return False
    return group.state is COMPLETING_REBALANCE or not group.member_list.is_leader(member.member_id)


def _add_member(
    group: ClassicGroup,
    request: JoinGroupRequest,
    caller: Caller,
    member_id: str,
    request_id: int,
    context: DecisionContext,
) -> None:
    if group.state is EMPTY:
        group.protocol_type = request.protocol_type
    elif group.initial_remaining_ms is not None:
        group.new_member_added = True
    group.member_list.add(
        Member(
            member_id=member_id,
            group_instance_id=request.group_instance_id,
            client_id=caller.client_id,
            client_host=caller.client_host,
            rebalance_timeout_ms=rebalance_timeout_ms(request),
            session_timeout_ms=request.session_timeout_ms,
            protocols=protocols_of(request.protocols),
            join_request_id=request_id,
            is_new=True,
        )
    )
    # It cannot heartbeat before it is answered, and a client that gave up meanwhile must not stay for ever.
    open_session(group.group_id, member_id, context.config.new_member_join_timeout_ms, context)
    rebalance_or_complete(group, context)
