"""The broker settings that rule groups and committed offsets, under Kafka's names and defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from riacho.groups.consumer_config import ConsumerGroupConfig
from riacho.groups.share_config import ShareGroupConfig

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupConfig:
    session_timeout_ms_min: int = 6_000  # group.min.session.timeout.ms
    session_timeout_ms_max: int = 1_800_000  # group.max.session.timeout.ms
    initial_rebalance_delay_ms: int = 3_000  # group.initial.rebalance.delay.ms
    group_size_max: int = 2_147_483_647  # group.max.size
    # How long a JoinGroup of a brand-new member may stay parked; Kafka gives it no setting.
    new_member_join_timeout_ms: int = 5 * MINUTE_MS
    offset_metadata_size_max: int = 4_096  # offset.metadata.max.bytes
    offsets_retention_ms: int = 7 * DAY_MS  # offsets.retention.minutes
    offsets_retention_check_interval_ms: int = 10 * MINUTE_MS  # offsets.retention.check.interval.ms
    consumer: ConsumerGroupConfig = field(default_factory=ConsumerGroupConfig)
    share: ShareGroupConfig = field(default_factory=ShareGroupConfig)

    def __post_init__(self) -> None:
        if self.session_timeout_ms_min > self.session_timeout_ms_max:
            raise ValueError("group.min.session.timeout.ms exceeds group.max.session.timeout.ms")
        if self.initial_rebalance_delay_ms < 0:
            raise ValueError("group.initial.rebalance.delay.ms is negative")
        if self.group_size_max < 1:
            raise ValueError("group.max.size is below 1")
        if self.offset_metadata_size_max < 0:
            raise ValueError("offset.metadata.max.bytes is negative")
        if self.offsets_retention_ms < 1:
            raise ValueError("offsets.retention.minutes is below 1")
        if self.offsets_retention_check_interval_ms < 1:
            raise ValueError("offsets.retention.check.interval.ms is below 1")

    @classmethod
    def of(cls, get: Callable[[str], Any]) -> GroupConfig:
        """From the broker's settings, given how to look one up by Kafka's name."""
        return cls(
            session_timeout_ms_min=get("group.min.session.timeout.ms"),
            session_timeout_ms_max=get("group.max.session.timeout.ms"),
            initial_rebalance_delay_ms=get("group.initial.rebalance.delay.ms"),
            group_size_max=get("group.max.size"),
            offset_metadata_size_max=get("offset.metadata.max.bytes"),
            offsets_retention_ms=get("offsets.retention.minutes") * MINUTE_MS,
            offsets_retention_check_interval_ms=get("offsets.retention.check.interval.ms"),
            consumer=ConsumerGroupConfig.of(get),
            share=ShareGroupConfig.of(get),
        )
