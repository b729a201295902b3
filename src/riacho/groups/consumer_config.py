"""The broker's settings of consumer groups (KIP-848), and what one group may set for itself (KIP-1101)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class MigrationPolicy(Enum):
    """Which way groups may go between the classic and the consumer protocol while members are in them."""

    DISABLED = "disabled"
    DOWNGRADE = "downgrade"
    UPGRADE = "upgrade"
    BIDIRECTIONAL = "bidirectional"

    @property
    def allows_upgrade(self) -> bool:
        return self in (MigrationPolicy.UPGRADE, MigrationPolicy.BIDIRECTIONAL)

    @property
    def allows_downgrade(self) -> bool:
        return self in (MigrationPolicy.DOWNGRADE, MigrationPolicy.BIDIRECTIONAL)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A broker-wide default and the bounds within which a group may set its own."""

    default: int
    min: int
    max: int

    def of_group(self, text: str | None) -> int:
        """What a group set; bounds that have changed since then still rule."""
        return self.default if text is None else min(max(int(text), self.min), self.max)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerGroupConfig:
    session_timeout_ms: Bounded = Bounded(45_000, 45_000, 60_000)  # group.consumer.session.timeout.ms
    heartbeat_interval_ms: Bounded = Bounded(5_000, 5_000, 15_000)  # group.consumer.heartbeat.interval.ms
    assignment_interval_ms: Bounded = Bounded(1_000, 0, 15_000)  # group.consumer.assignment.interval.ms
    group_size_max: int = 2_147_483_647  # group.consumer.max.size
    assignors: tuple[str, ...] = ("uniform", "range")  # group.consumer.assignors
    migration_policy: MigrationPolicy = MigrationPolicy.BIDIRECTIONAL  # group.consumer.migration.policy
    regex_refresh_interval_ms: int = 600_000  # group.consumer.regex.refresh.interval.ms

    @classmethod
    def of(cls, get: Callable[[str], Any]) -> ConsumerGroupConfig:
        """From the broker's settings, given how to look one up by Kafka's name."""
        return cls(
            session_timeout_ms=bounded(get, "group.consumer", "session.timeout.ms"),
            heartbeat_interval_ms=bounded(get, "group.consumer", "heartbeat.interval.ms"),
            assignment_interval_ms=bounded(get, "group.consumer", "assignment.interval.ms"),
            group_size_max=get("group.consumer.max.size"),
            assignors=tuple(get("group.consumer.assignors")),
            migration_policy=MigrationPolicy(get("group.consumer.migration.policy").lower()),
            regex_refresh_interval_ms=get("group.consumer.regex.refresh.interval.ms"),
        )

    def session_timeout_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.session_timeout_ms.of_group(settings.get("consumer.session.timeout.ms"))

    def heartbeat_interval_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.heartbeat_interval_ms.of_group(settings.get("consumer.heartbeat.interval.ms"))

    def assignment_interval_ms_of(self, settings: Mapping[str, str]) -> int:
        return self.assignment_interval_ms.of_group(settings.get("consumer.assignment.interval.ms"))


def bounded(get: Callable[[str], Any], prefix: str, name: str) -> Bounded:
    return Bounded(get(f"{prefix}.{name}"), get(f"{prefix}.min.{name}"), get(f"{prefix}.max.{name}"))
