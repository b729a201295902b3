"""Member sessions: each must send a heartbeat within its session timeout, or leaves the group."""

from __future__ import annotations

from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.decision_context import DecisionContext
from riacho.groups.timers import TimerKey

SESSION_TIMER = "session"


def refresh_session(group: ClassicGroup, member: Member, context: DecisionContext) -> None:
    key = TimerKey(SESSION_TIMER, group.group_id, member.member_id)
    context.timers.schedule(key, context.now_ms + member.session_timeout_ms)


def open_session(group_id: str, member_id: str, timeout_ms: int, context: DecisionContext) -> None:
    """For an id that is not a member yet, or whose first JoinGroup is parked."""
    context.timers.schedule(TimerKey(SESSION_TIMER, group_id, member_id), context.now_ms + timeout_ms)


def cancel_session(group: ClassicGroup, member_id: str, context: DecisionContext) -> None:
    context.timers.cancel(TimerKey(SESSION_TIMER, group.group_id, member_id))
