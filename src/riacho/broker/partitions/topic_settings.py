"""From a topic's effective configuration to what its log and its writers need of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.log.config import LogConfig
from riacho.partition.validation import TopicRules


def log_config(values: Mapping[str, Any], producer_id_expiration_ms: int) -> LogConfig:
    return LogConfig(
        segment_size_bytes_max=values["segment.bytes"],
        segment_ms=values["segment.ms"],
        segment_jitter_ms=values["segment.jitter.ms"],
        index_interval_bytes=values["index.interval.bytes"],
        index_size_bytes_max=values["segment.index.bytes"],
        retention_ms=values["retention.ms"],
        retention_size_bytes=values["retention.bytes"],
        cleanup_policy=frozenset(values["cleanup.policy"]),
        min_compaction_lag_ms=values["min.compaction.lag.ms"],
        max_compaction_lag_ms=values["max.compaction.lag.ms"],
        min_cleanable_dirty_ratio=values["min.cleanable.dirty.ratio"],
        delete_retention_ms=values["delete.retention.ms"],
        flush_messages=values["flush.messages"],
        flush_ms=values["flush.ms"],
        file_delete_delay_ms=values["file.delete.delay.ms"],
        message_size_bytes_max=values["max.message.bytes"],
        producer_id_expiration_ms=producer_id_expiration_ms,
    )


def topic_rules(values: Mapping[str, Any]) -> TopicRules:
    return TopicRules(
        message_size_bytes_max=values["max.message.bytes"],
        segment_size_bytes_max=values["segment.bytes"],
        compacted="compact" in values["cleanup.policy"],
        timestamp_type=values["message.timestamp.type"],
        timestamp_before_max_ms=values["message.timestamp.before.max.ms"],
        timestamp_after_max_ms=values["message.timestamp.after.max.ms"],
        compression_type=values["compression.type"],
        compression_gzip_level=values["compression.gzip.level"],
        compression_lz4_level=values["compression.lz4.level"],
        compression_zstd_level=values["compression.zstd.level"],
    )


def min_isr(values: Mapping[str, Any]) -> int:
    """How many in-sync replicas a write with acks=all needs."""
    count: int = values["min.insync.replicas"]
    return count
