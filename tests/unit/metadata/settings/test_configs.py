from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import TOPIC_KEYS, check_topic_configs, topic_default, topic_defaults, topic_rules

HOUR_MS = 3_600_000


def test_without_settings_a_topic_has_the_defaults_of_its_own_table() -> None:
    defaults = topic_defaults(BrokerValues({}))
    assert set(defaults) == set(TOPIC_KEYS)
    for name, key in TOPIC_KEYS.items():
        assert defaults[name] == key.default_value, name


def test_a_segment_ends_at_a_gigabyte_or_after_seven_days() -> None:
    values = BrokerValues({})
    assert topic_default("segment.bytes", values) == 2**30
    assert topic_default("segment.ms", values) == 7 * 24 * HOUR_MS


@pytest.mark.parametrize(
    ("static", "expected"),
    [
        ({}, 168 * HOUR_MS),
        ({"log.retention.hours": "2"}, 2 * HOUR_MS),
        ({"log.retention.hours": "2", "log.retention.minutes": "3"}, 180_000),
        ({"log.retention.hours": "2", "log.retention.minutes": "3", "log.retention.ms": "4"}, 4),
        ({"log.retention.hours": "-1"}, -1),
        ({"log.retention.ms": "-1"}, -1),
    ],
)
def test_the_finest_unit_that_is_set_rules(static: dict[str, str], expected: int) -> None:
    assert topic_default("retention.ms", BrokerValues(static)) == expected


@pytest.mark.parametrize(
    ("topic", "broker", "text", "value"),
    [
        ("segment.ms", "log.roll.hours", "1", HOUR_MS),
        ("segment.ms", "log.roll.ms", "5", 5),
        ("segment.jitter.ms", "log.roll.jitter.hours", "1", HOUR_MS),
        ("flush.ms", "log.flush.scheduler.interval.ms", "9", 9),
        ("max.message.bytes", "message.max.bytes", "77", 77),
        ("cleanup.policy", "log.cleanup.policy", "compact", ["compact"]),
        ("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio", "0.1", 0.1),
        ("min.insync.replicas", "min.insync.replicas", "2", 2),
    ],
)
def test_a_topic_falls_back_on_the_broker(topic: str, broker: str, text: str, value: object) -> None:
    assert topic_default(topic, BrokerValues({broker: text})) == value


def test_a_topics_own_settings_come_first() -> None:
    defaults = topic_defaults(BrokerValues({"log.retention.ms": "5"}))
    rules = topic_rules({"retention.ms": "6", "unknown": "x"}, defaults)
    assert rules["retention.ms"] == 6
    assert rules["segment.bytes"] == 1 << 30
    assert topic_rules({}, defaults) is defaults


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({"bogus": "1"}, "Unknown topic config name: bogus"),
        ({"retention.ms": None}, "Null value not supported for topic configs: retention.ms"),
        (
            {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "5"},
            "conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms (5)",
        ),
        (
            {"remote.storage.enable": "true"},
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage.",
        ),
        (
            {"leader.replication.throttled.replicas": "x"},
            "Invalid value [x] for configuration leader.replication.throttled.replicas: "
            "leader.replication.throttled.replicas must be the literal '*' or a list of replicas in the following "
            "format: [partitionId]:[brokerId],[partitionId]:[brokerId],...",
        ),
    ],
)
def test_what_a_topic_may_not_have(entries: dict[str, str | None], problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        check_topic_configs(entries, remote_storage=False)
    assert str(raised.value) == problem


def test_what_a_topic_may_have() -> None:
    check_topic_configs({"cleanup.policy": "", "leader.replication.throttled.replicas": "0:1,1:2"}, False)
    check_topic_configs({"remote.storage.enable": "true"}, remote_storage=True)
