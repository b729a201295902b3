"""What a share group allows: the broker's `group.share.*`, over which a group may set its own `share.*`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

READ_COMMITTED = "read_committed"
EARLIEST = "earliest"
_BY_DURATION = re.compile(r"by_duration:p(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?)?")
_UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLimits:
    delivery_count_limit: int = 5
    record_lock_duration_ms: int = 30_000
    partition_max_record_locks: int = 2_000

    @property
    def throttle_delivery_count(self) -> int:
        """Records tried this often are given out in ever smaller portions, so that one bad record does not take its
        neighbours along when its time is over."""
        return max(2, (self.delivery_count_limit + 1) // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroupConfig:
    limits: ShareLimits = ShareLimits()
    is_read_committed: bool = False
    auto_offset_reset: str = "latest"
    allows_renewal: bool = True

    @property
    def auto_offset_reset_age_ms(self) -> int | None:
        """How far back the start lies, when the reset is `by_duration:PnDTnHnMn.nS`."""
        match = _BY_DURATION.fullmatch(self.auto_offset_reset)
        if match is None:
            return None
        return int(sum(float(part) * unit for part, unit in zip(match.groups("0"), _UNITS_MS, strict=True)))

    @classmethod
    def of(cls, broker: Callable[[str], Any], group: Mapping[str, str]) -> ShareGroupConfig:
        """`broker` gives the broker's settings, typed; `group` has what was set for this group, as text."""
        limits = ShareLimits(
            delivery_count_limit=_bounded(broker, group, "delivery.count.limit"),
            record_lock_duration_ms=_bounded(broker, group, "record.lock.duration.ms"),
            partition_max_record_locks=_bounded(broker, group, "partition.max.record.locks"),
        )
        return cls(
            limits=limits,
            is_read_committed=group.get("share.isolation.level", "").lower() == READ_COMMITTED,
            auto_offset_reset=group.get("share.auto.offset.reset", "latest").lower(),
            allows_renewal=group.get("share.renew.acknowledge.enable", "true").lower() == "true",
        )


def _bounded(broker: Callable[[str], Any], group: Mapping[str, str], name: str) -> int:
    """The group's own value was checked against the broker's bounds when it was set; those may have changed since."""
    own = group.get(f"share.{name}")
    if own is None:
        value: int = broker(f"group.share.{name}")
        return value
    low: int = broker(f"group.share.min.{name}")
    high: int = broker(f"group.share.max.{name}")
    return max(low, min(int(own), high))
