from __future__ import annotations

import pytest

from riacho.base.config import ConfigError, ConfigType, Dynamic
from riacho.metadata.settings.broker_configs import (
    BROKER_KEYS,
    DYNAMIC_ONLY_KEYS,
    LISTENER_ONLY_KEYS,
    broker_key,
    synonyms_of,
    without_listener,
)
from riacho.metadata.settings.broker_keys import riacho
from riacho.metadata.settings.configs import BROKER_SYNONYM, CLIENT_METRICS_KEYS, GROUP_KEYS, TOPIC_KEYS, group_synonym

ALL = [*BROKER_KEYS.values(), *TOPIC_KEYS.values(), *GROUP_KEYS.values(), *CLIENT_METRICS_KEYS.values()]


def test_the_tables_have_every_key_of_kafka_4_3() -> None:
    assert len(BROKER_KEYS) - len(riacho.KEYS) == 360
    assert len(TOPIC_KEYS) == 34
    assert len(GROUP_KEYS) == 17
    assert len(CLIENT_METRICS_KEYS) == 3
    assert sum(not key.internal for key in TOPIC_KEYS.values()) == 33


@pytest.mark.parametrize("key", ALL, ids=lambda key: key.name)
def test_a_default_passes_its_own_rule_and_prints_as_itself(key: object) -> None:
    default = key.default  # type: ignore[attr-defined]
    if default is not None:
        assert key.normalize(default) == default  # type: ignore[attr-defined]


def test_every_key_says_in_one_sentence_what_it_is() -> None:
    for key in ALL:
        assert key.doc.endswith("."), key.name
        assert "\n" not in key.doc, key.name


def test_secrets_are_sensitive() -> None:
    secrets = {key.name for key in BROKER_KEYS.values() if key.is_sensitive}
    assert {"ssl.key.password", "sasl.jaas.config", "delegation.token.secret.key"} <= secrets
    assert "log.dirs" not in secrets


def test_every_synonym_of_a_topic_or_group_setting_exists() -> None:
    assert set(BROKER_SYNONYM) <= set(TOPIC_KEYS)
    assert set(BROKER_SYNONYM.values()) <= set(BROKER_KEYS)
    assert {group_synonym(name) for name in GROUP_KEYS} - {None} <= set(BROKER_KEYS)


def test_a_topic_setting_and_its_synonym_have_the_same_type() -> None:
    for topic_name, broker_name in BROKER_SYNONYM.items():
        assert TOPIC_KEYS[topic_name].type is BROKER_KEYS[broker_name].type, topic_name


def test_how_settings_may_change() -> None:
    assert BROKER_KEYS["num.partitions"].dynamic is Dynamic.READ_ONLY
    assert BROKER_KEYS["log.retention.ms"].dynamic is Dynamic.CLUSTER_WIDE
    assert BROKER_KEYS["ssl.keystore.location"].dynamic is Dynamic.PER_BROKER
    assert set(BROKER_KEYS) >= LISTENER_ONLY_KEYS
    assert not set(DYNAMIC_ONLY_KEYS) & set(BROKER_KEYS)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("listener.name.external.ssl.key.password", "ssl.key.password"),
        ("listener.name.external.plain.sasl.jaas.config", "sasl.jaas.config"),
        ("listeners", "listeners"),
        ("listener.name.external", "listener.name.external"),
    ],
)
def test_a_listener_prefix_leads_to_the_setting_under_it(name: str, base: str) -> None:
    assert without_listener(name) == base


def test_a_prefixed_setting_is_checked_by_the_key_under_it() -> None:
    key = broker_key("listener.name.external.ssl.key.password")
    assert key is not None
    assert key.type is ConfigType.PASSWORD
    assert broker_key("no.such.key") is None


def test_families_of_units() -> None:
    assert synonyms_of("log.retention.minutes") == ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
    assert synonyms_of("log.flush.interval.ms") == ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")
    assert synonyms_of("num.partitions") == ("num.partitions",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compression.gzip.level", "0"),
        ("controller.quorum.voters", "1@host"),
        ("controller.quorum.bootstrap.servers", "host"),
        ("log.segment.bytes", "100"),
        ("process.roles", "broker,zookeeper"),
        ("group.consumer.migration.policy", "sideways"),
    ],
)
def test_rules_of_single_settings(name: str, text: str) -> None:
    with pytest.raises(ConfigError):
        BROKER_KEYS[name].parse(text)


@pytest.mark.parametrize("text", ["latest", "earliest", "by_duration:PT1H30M", "by_duration:P2DT3.5S"])
def test_where_a_share_group_may_start(text: str) -> None:
    assert GROUP_KEYS["share.auto.offset.reset"].parse(text) == text


@pytest.mark.parametrize("text", ["", "by_duration:P", "by_duration:PT", "by_duration:1H"])
def test_where_a_share_group_may_not_start(text: str) -> None:
    with pytest.raises(ConfigError):
        GROUP_KEYS["share.auto.offset.reset"].parse(text)
