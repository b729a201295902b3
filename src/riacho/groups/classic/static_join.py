"""A static member comes back without its member id: it takes its old place over under a new one (KIP-345).

In a Stable group this goes without a rebalance as long as the group's protocol stays the same, which is the very
purpose of static membership: a restart moves no partitions.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import dismiss, join_accepted
from riacho.groups.classic.group import COMPLETING_REBALANCE, STABLE, ClassicGroup
from riacho.groups.classic.members import Member, protocols_of
from riacho.groups.classic.rebalance import maybe_complete_join, prepare_rebalance
from riacho.groups.classic.sessions import cancel_session, refresh_session
from riacho.groups.decision_context import DecisionContext
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.join_group_response import JoinGroupResponse

# From this version on the answer can say to a returning leader that it leads but need not assign (KIP-814).
SKIP_ASSIGNMENT_VERSION = 9


def join_static(
    group: ClassicGroup,
    request: JoinGroupRequest,
    version: int,
    new_member_id: str,
    rebalance_timeout_ms: int,
    request_id: int,
    context: DecisionContext,
) -> None:
    assert request.group_instance_id is not None
    old_member_id = group.member_list.static_member_ids[request.group_instance_id]
    old_leader_id = group.member_list.leader_id
    member = group.members[old_member_id]
    dismiss(group, member, ErrorCode.FENCED_INSTANCE_ID, context, old_member_id)
    cancel_session(group, old_member_id, context)
    group.member_list.replace_static(old_member_id, new_member_id)
    group.member_list.update(member, protocols_of(request.protocols), rebalance_timeout_ms, request.session_timeout_ms)
    refresh_session(group, member, context)
    if group.state is STABLE and group.member_list.select_protocol() == group.protocol_name:
        assignments = {each.member_id: each.assignment for each in group.members.values()}
        context.decision.records.append(group.metadata_record(assignments))
        context.decision.answer(request_id, _take_over(group, member, version, old_leader_id))
        return
    group.member_list.park_join(member, request_id)
    if group.state in (STABLE, COMPLETING_REBALANCE):
        # The leader may already be computing an assignment for the old id.
        prepare_rebalance(group, context)
    else:
        maybe_complete_join(group, context)


def _take_over(group: ClassicGroup, member: Member, version: int, old_leader_id: str | None) -> JoinGroupResponse:
    is_leader = group.member_list.is_leader(member.member_id)
    if version >= SKIP_ASSIGNMENT_VERSION:
        response = join_accepted(group, member.member_id, with_members=is_leader)
        response.skip_assignment = is_leader
        return response
    # An older client that finds itself leader would assign; naming the id it had before makes it a follower.
    response = join_accepted(group, member.member_id, with_members=False)
    response.leader = old_leader_id or ""
    return response
