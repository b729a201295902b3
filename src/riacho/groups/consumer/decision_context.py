"""One decision about a consumer group, until it is sure to stand.

What can still be refused half-way must leave nothing behind. So records, and everything else that is to happen, are
gathered here; `commit` makes them part of the decision when the whole request turned out well. Even then the records
may never be appended: timers and whatever else is not stored follow once they are applied.
"""

from __future__ import annotations

from collections.abc import Callable

from riacho.base.coordination import CoordinatorRecord
from riacho.groups.consumer.regex_watch import RegexWatch
from riacho.groups.consumer.sessions import (
    CONSUMER_JOIN_TIMER,
    CONSUMER_REBALANCE_TIMER,
    CONSUMER_SESSION_TIMER,
    CONSUMER_SYNC_TIMER,
)
from riacho.groups.consumer_config import ConsumerGroupConfig
from riacho.groups.decision_context import DecisionContext
from riacho.groups.metadata_hash import TopicHashes
from riacho.groups.timers import TimerKey

_MEMBER_TIMERS = (CONSUMER_SESSION_TIMER, CONSUMER_REBALANCE_TIMER, CONSUMER_JOIN_TIMER, CONSUMER_SYNC_TIMER)


class ConsumerDecisionContext:
    def __init__(self, context: DecisionContext, hashes: TopicHashes, watch: RegexWatch) -> None:
        self.context = context
        self.hashes = hashes
        self.watch = watch
        self.records: list[CoordinatorRecord] = []
        self.effects: list[object] = []
        self._on_commit: list[Callable[[], None]] = []
        self._on_applied: list[Callable[[], None]] = []

    @property
    def config(self) -> ConsumerGroupConfig:
        return self.context.config.consumer

    @property
    def now_ms(self) -> int:
        return self.context.now_ms

    def on_commit(self, act: Callable[[], None]) -> None:
        """Do this if the decision stands: it is right whether or not the records are ever applied."""
        self._on_commit.append(act)

    def once_applied(self, change: Callable[[], None]) -> None:
        self._on_applied.append(change)

    def commit(self) -> None:
        decision = self.context.decision
        decision.records.extend(self.records)
        decision.effects.extend(self.effects)
        decision.on_applied.extend(self._on_applied)
        for act in self._on_commit:
            act()

    # Timers

    def refresh_session(self, group_id: str, member_id: str, timeout_ms: int) -> None:
        """Its session starts anew, whatever becomes of its request."""
        key, deadline_ms = TimerKey(CONSUMER_SESSION_TIMER, group_id, member_id), self.now_ms + timeout_ms
        self.on_commit(lambda: self.context.timers.schedule(key, deadline_ms))

    def schedule(self, kind: str, group_id: str, member_id: str, delay_ms: int) -> None:
        key, deadline_ms = TimerKey(kind, group_id, member_id), self.now_ms + delay_ms
        self.once_applied(lambda: self.context.timers.schedule(key, deadline_ms))

    def schedule_if_absent(self, kind: str, group_id: str, member_id: str, delay_ms: int) -> None:
        key, deadline_ms = TimerKey(kind, group_id, member_id), self.now_ms + delay_ms
        self.once_applied(
            lambda: None if key in self.context.timers else self.context.timers.schedule(key, deadline_ms)
        )

    def cancel(self, kind: str, group_id: str, member_id: str) -> None:
        key = TimerKey(kind, group_id, member_id)
        self.once_applied(lambda: self.context.timers.cancel(key))

    def cancel_all(self, group_id: str, member_id: str) -> None:
        for kind in _MEMBER_TIMERS:
            self.cancel(kind, group_id, member_id)

    # Settings of one group

    def session_timeout_ms(self, group_id: str) -> int:
        return self.config.session_timeout_ms_of(self.context.group_settings(group_id))

    def heartbeat_interval_ms(self, group_id: str) -> int:
        return self.config.heartbeat_interval_ms_of(self.context.group_settings(group_id))

    def assignment_interval_ms(self, group_id: str) -> int:
        return self.config.assignment_interval_ms_of(self.context.group_settings(group_id))
