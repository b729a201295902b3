"""Member sessions: each must be heard of within its session timeout, or leaves the group."""

from __future__ import annotations

from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.members import Member
from riacho.groups.timers import TimerKey
from riacho.groups.turn import Turn

SESSION_TIMER = "session"


def refresh_session(group: ClassicGroup, member: Member, turn: Turn) -> None:
    key = TimerKey(SESSION_TIMER, group.group_id, member.member_id)
    turn.timers.schedule(key, turn.now_ms + member.session_timeout_ms)


def open_session(group_id: str, member_id: str, timeout_ms: int, turn: Turn) -> None:
    """For an id that is not a member yet, or whose first JoinGroup is parked."""
    turn.timers.schedule(TimerKey(SESSION_TIMER, group_id, member_id), turn.now_ms + timeout_ms)


def cancel_session(group: ClassicGroup, member_id: str, turn: Turn) -> None:
    turn.timers.cancel(TimerKey(SESSION_TIMER, group.group_id, member_id))
