"""JoinGroup and SyncGroup responses, and the answering of parked ones."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.join_group_response import JoinGroupResponse, JoinGroupResponseMember
from riacho.wire.messages.sync_group_response import SyncGroupResponse

UNKNOWN_MEMBER = ""


def join_error(code: ErrorCode, member_id: str = UNKNOWN_MEMBER) -> JoinGroupResponse:
    return JoinGroupResponse(error_code=code, member_id=member_id)


def sync_error(code: ErrorCode) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=code)


def join_accepted(group: ClassicGroup, member_id: str, *, with_members: bool) -> JoinGroupResponse:
    """The current generation. Only the leader gets the members, for it alone computes the assignment."""
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=group.member_list.leader_id or "",
        member_id=member_id,
        members=_joined_members(group) if with_members else [],
    )


def sync_accepted(group: ClassicGroup, assignment: bytes) -> SyncGroupResponse:
    return SyncGroupResponse(
        protocol_type=group.protocol_type, protocol_name=group.protocol_name, assignment=assignment
    )


def answer_join(group: ClassicGroup, member: Member, response: JoinGroupResponse, context: DecisionContext) -> None:
    request_id = group.member_list.take_join_request_id(member)
    if request_id is not None:
        context.decision.answer(request_id, response)


def answer_sync(group: ClassicGroup, member: Member, response: SyncGroupResponse, context: DecisionContext) -> bool:
    request_id = group.member_list.take_sync_request_id(member)
    if request_id is None:
        return False
    context.decision.answer(request_id, response)
    return True


def dismiss(
    group: ClassicGroup, member: Member, code: ErrorCode, context: DecisionContext, member_id: str = UNKNOWN_MEMBER
) -> None:
    """Answer whatever this member has parked, since it is about to go or to be replaced."""
    answer_join(group, member, join_error(code, member_id), context)
    answer_sync(group, member, sync_error(code), context)


def _joined_members(group: ClassicGroup) -> list[JoinGroupResponseMember]:
    return [
        JoinGroupResponseMember(
            member_id=member.member_id,
            group_instance_id=member.group_instance_id,
            metadata=member.metadata(group.protocol_name),
        )
        for member in group.members.values()
    ]
