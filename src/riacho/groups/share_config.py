"""The broker's settings of share groups (KIP-932), and what one group may set for itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from riacho.groups.consumer_config import Bounded, bounded

_SESSION_TIMEOUT_MS = Bounded(45_000, 45_000, 60_000)
_HEARTBEAT_INTERVAL_MS = Bounded(5_000, 5_000, 15_000)
_ASSIGNMENT_INTERVAL_MS = Bounded(1_000, 0, 15_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupConfig:
    session_timeout_ms: Bounded = _SESSION_TIMEOUT_MS  # group.share.session.timeout.ms
    heartbeat_interval_ms: Bounded = _HEARTBEAT_INTERVAL_MS  # group.share.heartbeat.interval.ms
    assignment_interval_ms: Bounded = _ASSIGNMENT_INTERVAL_MS  # group.share.assignment.interval.ms
    group_size_max: int = 200  # group.share.max.size
    initialize_retry_interval_ms: int = 30_000  # group.share.initialize.retry.interval.ms

    @classmethod
    def of(cls, get: Callable[[str], Any]) -> ShareGroupConfig:
        """From the broker's settings, given how to look one up by Kafka's name."""
        return cls(
            session_timeout_ms=bounded(get, "group.share", "session.timeout.ms"),
            heartbeat_interval_ms=bounded(get, "group.share", "heartbeat.interval.ms"),
            assignment_interval_ms=bounded(get, "group.share", "assignment.interval.ms"),
            group_size_max=get("group.share.max.size"),
            initialize_retry_interval_ms=get("group.share.initialize.retry.interval.ms"),
        )

    def session_timeout_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.session_timeout_ms.of_group(settings.get("share.session.timeout.ms"))

    def heartbeat_interval_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.heartbeat_interval_ms.of_group(settings.get("share.heartbeat.interval.ms"))

    def assignment_interval_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.assignment_interval_ms.of_group(settings.get("share.assignment.interval.ms"))
