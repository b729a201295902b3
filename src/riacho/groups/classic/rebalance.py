"""The transitions of a classic group; `group.py` tells the theory."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import answer_join, answer_sync, dismiss, join_accepted, sync_error
from riacho.groups.classic.group import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE, ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.classic.sessions import cancel_session, refresh_session
from riacho.groups.decision_context import DecisionContext
from riacho.groups.timers import TimerKey

JOIN_TIMER = "join"
SYNC_TIMER = "sync"


def rebalance_or_complete(group: ClassicGroup, context: DecisionContext) -> None:
    """Membership changed: start a rebalance, or see whether the one under way can end."""
    if group.can_rebalance:
        prepare_rebalance(group, context)
    else:
        maybe_complete_join(group, context)


def prepare_rebalance(group: ClassicGroup, context: DecisionContext) -> None:
    if group.state is COMPLETING_REBALANCE:
        _cancel_syncs(group, context)
    cancel_sync_timer(group, context)
    is_initial = group.state is EMPTY
    group.transition(PREPARING_REBALANCE, context.now_ms)
    if is_initial:
        # More members are likely on their way; waiting a little saves them all another rebalance (KIP-134).
        delay_ms = context.config.initial_rebalance_delay_ms
        group.initial_delay_ms = delay_ms
        group.initial_remaining_ms = max(group.member_list.rebalance_timeout_ms - delay_ms, 0)
        group.new_member_added = False
        context.timers.schedule(TimerKey(JOIN_TIMER, group.group_id), context.now_ms + delay_ms)
    elif group.member_list.all_joined:
        complete_join(group, context)
    else:
        _await_joins(group, context)


def maybe_complete_join(group: ClassicGroup, context: DecisionContext) -> None:
    """End the join phase if all are there; the initial one is held open until its timer."""
    if group.state is PREPARING_REBALANCE and group.initial_remaining_ms is None and group.member_list.all_joined:
        complete_join(group, context)


def join_phase_over(group: ClassicGroup, context: DecisionContext) -> None:
    """The join timer fired."""
    if group.state is not PREPARING_REBALANCE:
        return
    remaining_ms = group.initial_remaining_ms
    if remaining_ms is not None and group.new_member_added and remaining_ms > 0:
        group.new_member_added = False
        delay_ms = min(context.config.initial_rebalance_delay_ms, remaining_ms)
        group.initial_remaining_ms = max(remaining_ms - group.initial_delay_ms, 0)
        group.initial_delay_ms = delay_ms
        context.timers.schedule(TimerKey(JOIN_TIMER, group.group_id), context.now_ms + delay_ms)
        return
    complete_join(group, context)


def complete_join(group: ClassicGroup, context: DecisionContext) -> None:
    """Start the next generation with those who joined."""
    context.timers.cancel(TimerKey(JOIN_TIMER, group.group_id))
    for member in [each for each in group.members.values() if each.join_request_id is None and not each.is_static]:
        remove_member(group, member, context)
    if group.members and not group.member_list.elect_joined_leader():
        # Only static members are left and none has rejoined: their sessions will end, or they will come back.
        _await_joins(group, context)
        return
    group.start_generation(context.now_ms)
    if group.state is EMPTY:
        context.decision.records.append(group.metadata_record({}))
        return
    for member in group.members.values():
        is_leader = group.member_list.is_leader(member.member_id)
        answer_join(group, member, join_accepted(group, member.member_id, with_members=is_leader), context)
        refresh_session(group, member, context)
        member.is_new = False
        group.member_list.pending_sync.add(member.member_id)
    context.timers.schedule(
        TimerKey(SYNC_TIMER, group.group_id), context.now_ms + group.member_list.rebalance_timeout_ms
    )


def sync_phase_over(group: ClassicGroup, context: DecisionContext) -> None:
    """The sync timer fired: those who never sent SyncGroup are gone, and what they own must be given to others."""
    late = list(group.member_list.pending_sync)
    if group.state not in (COMPLETING_REBALANCE, STABLE) or not late:
        return
    for member_id in late:
        remove_member(group, group.members[member_id], context)
    prepare_rebalance(group, context)


def sync_received(group: ClassicGroup, member_id: str, context: DecisionContext) -> None:
    group.member_list.pending_sync.discard(member_id)
    if not group.member_list.pending_sync:
        cancel_sync_timer(group, context)


def remove_member(group: ClassicGroup, member: Member, context: DecisionContext) -> None:
    """Take a member out, answering what it has parked: UNKNOWN_MEMBER_ID makes a live client join again."""
    cancel_session(group, member.member_id, context)
    dismiss(group, member, ErrorCode.UNKNOWN_MEMBER_ID, context)
    group.member_list.remove(member.member_id)


def cancel_sync_timer(group: ClassicGroup, context: DecisionContext) -> None:
    group.member_list.pending_sync.clear()
    context.timers.cancel(TimerKey(SYNC_TIMER, group.group_id))


def _await_joins(group: ClassicGroup, context: DecisionContext) -> None:
    deadline_ms = context.now_ms + group.member_list.rebalance_timeout_ms
    context.timers.schedule(TimerKey(JOIN_TIMER, group.group_id), deadline_ms)


def _cancel_syncs(group: ClassicGroup, context: DecisionContext) -> None:
    for member in group.members.values():
        if answer_sync(group, member, sync_error(ErrorCode.REBALANCE_IN_PROGRESS), context):
            # While its SyncGroup was parked the member could not heartbeat; the session starts anew.
            refresh_session(group, member, context)
