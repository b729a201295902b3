"""Is this request from a member of the group? The checks that every API makes, in Kafka's order."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import DEAD, ClassicGroup


def member_error(group: ClassicGroup, member_id: str, group_instance_id: str | None) -> ErrorCode:
    """A static member that lost its instance id to another is fenced, whatever else is wrong (KIP-345)."""
    if group_instance_id is not None:
        owner = group.member_list.static_member_ids.get(group_instance_id)
        if owner is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if owner != member_id:
            return ErrorCode.FENCED_INSTANCE_ID
    return ErrorCode.NONE if member_id in group.member_list.members else ErrorCode.UNKNOWN_MEMBER_ID


def generation_error(
    group: ClassicGroup | None, member_id: str, group_instance_id: str | None, generation: int
) -> ErrorCode:
    """Membership first, then the generation: a stranger is UNKNOWN_MEMBER_ID even with a wrong generation."""
    if group is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if group.state is DEAD:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    code = member_error(group, member_id, group_instance_id)
    if code is ErrorCode.NONE and generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    return code
