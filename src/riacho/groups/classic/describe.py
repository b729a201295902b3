"""DescribeGroups and ListGroups: what a group looks like from outside."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import DEAD, STABLE, ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.group import Group
from riacho.wire.messages.describe_groups_response import DescribedGroup, DescribedGroupMember
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.list_groups_response import ListedGroup

# From this version on a missing group is an error; before, it was a group in state Dead (KIP-1043).
GROUP_ID_NOT_FOUND_VERSION = 6


def describe_group(group: Group | None, group_id: str, version: int) -> DescribedGroup:
    """Only classic groups are described here; to this API those of other kinds do not exist."""
    if not isinstance(group, ClassicGroup):
        described = DescribedGroup(group_id=group_id, group_state=DEAD.value)
        if version >= GROUP_ID_NOT_FOUND_VERSION:
            described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
            what = "not found" if group is None else "is not a classic group"
            described.error_message = f"Group {group_id} {what}."
        return described
    is_stable = group.state is STABLE
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol_name or "") if is_stable else "",
        # Between generations neither metadata nor assignment means anything.
        members=[_describe_member(group, member, is_stable) for member in group.members.values()],
    )


def list_groups(groups: Iterable[Group], request: ListGroupsRequest) -> list[ListedGroup]:
    """Filters are by name, in any case; an empty filter takes all (KIP-518, KIP-848)."""
    states = {state.lower() for state in request.states_filter}
    types = {group_type.lower() for group_type in request.types_filter}
    return [
        ListedGroup(
            group_id=group.group_id,
            protocol_type=group.listed_protocol_type,
            group_state=group.state_name,
            group_type=group.group_type.value,
        )
        for group in groups
        if (not states or group.state_name.lower() in states) and (not types or group.group_type.value in types)
    ]


def _describe_member(group: ClassicGroup, member: Member, is_stable: bool) -> DescribedGroupMember:
    return DescribedGroupMember(
        member_id=member.member_id,
        group_instance_id=member.group_instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_metadata=member.metadata(group.protocol_name) if is_stable else b"",
        member_assignment=member.assignment if is_stable else b"",
    )
