"""What a topic's configuration asks of its logs. Frozen: a change of configuration is a new value (`Log.apply_config`).

Kafka's key stands beside each field; defaults are Kafka's.
"""

from __future__ import annotations

from dataclasses import dataclass

# Java's Long.MAX_VALUE, Kafka's way of saying "never".
NEVER_MS = (1 << 63) - 1

_POLICIES = frozenset({"delete", "compact"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    segment_size_bytes_max: int = 1 << 30  # segment.bytes
    segment_ms: int = 7 * 24 * 3_600_000  # segment.ms
    segment_jitter_ms: int = 0  # segment.jitter.ms
    index_interval_bytes: int = 4096  # index.interval.bytes
    index_size_bytes_max: int = 10 << 20  # segment.index.bytes
    retention_ms: int = 7 * 24 * 3_600_000  # retention.ms; -1 keeps for ever
    retention_size_bytes: int = -1  # retention.bytes; -1 has no limit
    # cleanup.policy; the empty set keeps everything (KIP-1161)
    cleanup_policy: frozenset[str] = frozenset({"delete"})
    min_compaction_lag_ms: int = 0  # min.compaction.lag.ms
    max_compaction_lag_ms: int = NEVER_MS  # max.compaction.lag.ms
    min_cleanable_dirty_ratio: float = 0.5  # min.cleanable.dirty.ratio
    delete_retention_ms: int = 24 * 3_600_000  # delete.retention.ms
    flush_messages: int = NEVER_MS  # flush.messages
    flush_ms: int = NEVER_MS  # flush.ms
    file_delete_delay_ms: int = 60_000  # file.delete.delay.ms
    message_size_bytes_max: int = 1_048_588  # max.message.bytes
    producer_id_expiration_ms: int = 24 * 3_600_000  # producer.id.expiration.ms (a broker key)

    def __post_init__(self) -> None:
        if self.segment_size_bytes_max < 1:
            raise ValueError("segment.bytes must be positive")
        if self.index_size_bytes_max < 24:
            raise ValueError("segment.index.bytes has no room for two entries")
        if not self.cleanup_policy <= _POLICIES:
            unknown = ", ".join(sorted(self.cleanup_policy - _POLICIES))
            raise ValueError(f"cleanup.policy knows delete and compact, not {unknown}")
        if not 0.0 <= self.min_cleanable_dirty_ratio <= 1.0:
            raise ValueError("min.cleanable.dirty.ratio is a fraction from 0 to 1")
        if self.min_compaction_lag_ms > self.max_compaction_lag_ms:
            raise ValueError("min.compaction.lag.ms exceeds max.compaction.lag.ms")

    @property
    def deletes(self) -> bool:
        return "delete" in self.cleanup_policy

    @property
    def roll_ms(self) -> int:
        """`segment.ms`; a compacted topic's active segment must close in time for `max.compaction.lag.ms`."""
        if self.compacts and self.max_compaction_lag_ms > 0:
            return min(self.segment_ms, self.max_compaction_lag_ms)
        return self.segment_ms

    @property
    def compacts(self) -> bool:
        return "compact" in self.cleanup_policy
