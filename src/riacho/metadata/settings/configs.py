"""What a topic's or a group's settings come to, and how they fall back on the broker's.

Most topic settings have a broker setting that gives the default (`segment.bytes` <- `log.segment.bytes`). Times come
in a family of units where the finest that is set rules: `retention.ms` <- `log.retention.ms`, `.minutes`, `.hours`.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigError, ServerKey, Value
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.settings import client_metrics_configs, group_configs, topic_configs
from riacho.metadata.settings.broker_configs import broker_key
from riacho.metadata.settings.broker_values import BrokerValues

TOPIC_KEYS: dict[str, ServerKey] = {key.name: key for key in topic_configs.KEYS}
GROUP_KEYS: dict[str, ServerKey] = {key.name: key for key in group_configs.KEYS}
CLIENT_METRICS_KEYS: dict[str, ServerKey] = {key.name: key for key in client_metrics_configs.KEYS}

_SAME_NAME = (
    "unclean.leader.election.enable",
    "min.insync.replicas",
    "compression.type",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.zstd.level",
)
_LOG_PREFIX = (
    "segment.bytes",
    "retention.bytes",
    "retention.ms",
    "index.interval.bytes",
    "cleanup.policy",
    "preallocate",
    "message.timestamp.type",
    "message.timestamp.before.max.ms",
    "message.timestamp.after.max.ms",
    "local.retention.ms",
    "local.retention.bytes",
)
_CLEANER_PREFIX = ("delete.retention.ms", "min.compaction.lag.ms", "max.compaction.lag.ms")

BROKER_SYNONYM: Mapping[str, str] = {
    **{name: name for name in _SAME_NAME},
    **{name: f"log.{name}" for name in _LOG_PREFIX},
    **{name: f"log.cleaner.{name}" for name in _CLEANER_PREFIX},
    "segment.ms": "log.roll.ms",
    "segment.jitter.ms": "log.roll.jitter.ms",
    "segment.index.bytes": "log.index.size.max.bytes",
    "flush.messages": "log.flush.interval.messages",
    "flush.ms": "log.flush.interval.ms",
    "max.message.bytes": "message.max.bytes",
    "file.delete.delay.ms": "log.segment.delete.delay.ms",
    "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
}

_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS
_UNITS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "retention.ms": (
        ("log.retention.ms", 1),
        ("log.retention.minutes", _MINUTE_MS),
        ("log.retention.hours", _HOUR_MS),
    ),
    "segment.ms": (("log.roll.ms", 1), ("log.roll.hours", _HOUR_MS)),
    "segment.jitter.ms": (("log.roll.jitter.ms", 1), ("log.roll.jitter.hours", _HOUR_MS)),
    "flush.ms": (("log.flush.interval.ms", 1), ("log.flush.scheduler.interval.ms", 1)),
}


def config_key(resource_type: int, name: str) -> ServerKey | None:
    """The key of a setting of a resource; None when no table knows it."""
    match resource_type:
        case ResourceType.TOPIC:
            return TOPIC_KEYS.get(name)
        case ResourceType.GROUP:
            return GROUP_KEYS.get(name)
        case ResourceType.CLIENT_METRICS:
            return CLIENT_METRICS_KEYS.get(name)
    return broker_key(name)


# Settings of a group that have no broker setting behind them.
_GROUP_ONLY = frozenset({"share.auto.offset.reset", "share.isolation.level", "share.renew.acknowledge.enable"})


def group_synonym(name: str) -> str | None:
    return None if name in _GROUP_ONLY else f"group.{name}"


def topic_default(name: str, broker: BrokerValues) -> Value:
    """The value of a topic setting that the topic itself does not set."""
    for synonym, factor in _UNITS.get(name, ()):
        value = broker.get(synonym)
        if isinstance(value, int):
            return -1 if value < 0 else value * factor
    synonym_name = BROKER_SYNONYM.get(name)
    return TOPIC_KEYS[name].default_value if synonym_name is None else broker.get(synonym_name)


def topic_defaults(broker: BrokerValues) -> dict[str, Value]:
    return {name: topic_default(name, broker) for name in TOPIC_KEYS}


def topic_rules(overrides: Mapping[str, str], defaults: Mapping[str, Value]) -> Mapping[str, Value]:
    """A topic's effective settings, typed."""
    if not overrides:
        return defaults
    rules = dict(defaults)
    for name, text in overrides.items():
        key = TOPIC_KEYS.get(name)
        if key is not None:
            rules[name] = key.parse(text)
    return rules


def check_topic_configs(entries: Mapping[str, str | None], remote_storage: bool) -> None:
    """Whether a topic may have these settings; ConfigError in Kafka's words when not."""
    for name in entries:
        if name not in TOPIC_KEYS:
            raise ConfigError(f"Unknown topic config name: {name}")
    values: dict[str, Value] = {}
    for name, text in entries.items():
        if text is None:
            raise ConfigError(f"Null value not supported for topic configs: {name}")
        values[name] = TOPIC_KEYS[name].parse(text)
    low = values.get("min.compaction.lag.ms", TOPIC_KEYS["min.compaction.lag.ms"].default_value)
    high = values.get("max.compaction.lag.ms", TOPIC_KEYS["max.compaction.lag.ms"].default_value)
    assert isinstance(low, int), "min.compaction.lag.ms"
    assert isinstance(high, int), "max.compaction.lag.ms"
    if low > high:
        conflict = f"min.compaction.lag.ms ({low}) > max.compaction.lag.ms ({high})"
        raise ConfigError(f"conflict topic config setting {conflict}")
    if values.get("remote.storage.enable") and not remote_storage:
        raise ConfigError(
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )
