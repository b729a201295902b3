from __future__ import annotations

from collections.abc import Sequence

from riacho.base.config import ConfigType
from riacho.metadata.image.config_resource import ConfigSource
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.config_listing import (
    ConfigEntry,
    Synonym,
    describe_broker,
    describe_client_metrics,
    describe_cluster_default,
    describe_group,
    describe_topic,
)

DEFAULT = ConfigSource.DEFAULT_CONFIG


def find(entries: Sequence[ConfigEntry], name: str) -> ConfigEntry:
    (entry,) = [entry for entry in entries if entry.name == name]
    return entry


def test_a_topic_lists_every_public_setting() -> None:
    entries = describe_topic({}, BrokerValues({}))
    assert len(entries) == 33
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)
    assert not any(entry.is_read_only or entry.is_sensitive for entry in entries)
    assert find(entries, "cleanup.policy") == ConfigEntry(
        "cleanup.policy",
        "delete",
        DEFAULT,
        (Synonym("log.cleanup.policy", "delete", DEFAULT),),
        ConfigType.LIST,
        doc=find(entries, "cleanup.policy").doc,
    )


def test_where_a_topics_value_comes_from() -> None:
    values = BrokerValues({"log.segment.bytes": "3000000"}, {"log.segment.bytes": "4000000"})
    entry = find(describe_topic({"segment.bytes": " 5000000 "}, values), "segment.bytes")
    assert entry.value == "5000000"
    assert entry.source is ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert entry.synonyms == (
        Synonym("segment.bytes", "5000000", ConfigSource.DYNAMIC_TOPIC_CONFIG),
        Synonym("log.segment.bytes", "4000000", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
        Synonym("log.segment.bytes", "3000000", ConfigSource.STATIC_BROKER_CONFIG),
        Synonym("log.segment.bytes", "1073741824", DEFAULT),
    )
    assert find(describe_topic({}, values), "segment.bytes").source is ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG


def test_coarser_units_show_only_behind_the_setting_itself() -> None:
    """As Apache Kafka 4.3.1 answers: hours rule, and still the list is empty and the source the default."""
    hours = find(describe_topic({}, BrokerValues({"log.retention.hours": "2"})), "retention.ms")
    assert (hours.value, hours.source, hours.synonyms) == ("7200000", DEFAULT, ())
    both = BrokerValues({"log.retention.hours": "2"}, {"log.retention.ms": "9"})
    entry = find(describe_topic({}, both), "retention.ms")
    assert (entry.value, entry.source) == ("9", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG)
    assert entry.synonyms == (
        Synonym("log.retention.ms", "9", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
        Synonym("log.retention.hours", "2", ConfigSource.STATIC_BROKER_CONFIG),
        Synonym("log.retention.hours", "168", DEFAULT),
    )


def test_a_broker_lists_every_public_setting_and_what_else_is_set() -> None:
    values = BrokerValues({"my.plugin.key": "secret?", "num.partitions": "7"})
    entries = describe_broker(values)
    assert find(entries, "num.partitions").is_read_only
    assert find(entries, "num.partitions").value == "7"
    assert not find(entries, "num.io.threads").is_read_only
    plugin = find(entries, "my.plugin.key")
    assert (plugin.value, plugin.is_sensitive, plugin.type) == (None, True, ConfigType.UNKNOWN)
    assert not any(entry.name.startswith("internal.") for entry in entries)


def test_secrets_are_not_shown_in_any_place() -> None:
    values = BrokerValues({"ssl.key.password": "s3cret", "listener.name.x.plain.sasl.jaas.config": "s3cret"})
    for entry in describe_broker(values):
        assert entry.value != "s3cret"
        assert all(synonym.value != "s3cret" for synonym in entry.synonyms), entry.name
    entry = find(describe_broker(values), "listener.name.x.plain.sasl.jaas.config")
    assert entry.is_sensitive


def test_the_cluster_default_lists_what_is_set_for_all() -> None:
    (entry,) = describe_cluster_default({"num.io.threads": "9"})
    assert (entry.name, entry.value, entry.source) == (
        "num.io.threads",
        "9",
        ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
    )
    assert entry.synonyms == (Synonym("num.io.threads", "9", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),)


def test_a_group_falls_back_on_the_broker() -> None:
    values = BrokerValues({"group.consumer.session.timeout.ms": "50000"})
    entries = describe_group({"consumer.heartbeat.interval.ms": "6000"}, values)
    assert len(entries) == 17
    session = find(entries, "consumer.session.timeout.ms")
    assert (session.value, session.source) == ("50000", ConfigSource.STATIC_BROKER_CONFIG)
    heartbeat = find(entries, "consumer.heartbeat.interval.ms")
    assert (heartbeat.value, heartbeat.source) == ("6000", ConfigSource.DYNAMIC_GROUP_CONFIG)
    assert [synonym.name for synonym in heartbeat.synonyms] == [
        "consumer.heartbeat.interval.ms",
        "group.consumer.heartbeat.interval.ms",
    ]
    reset = find(entries, "share.auto.offset.reset")
    assert reset.synonyms == (Synonym("share.auto.offset.reset", "latest", DEFAULT),)


def test_a_client_metrics_subscription() -> None:
    entries = describe_client_metrics({"interval.ms": "1000"})
    assert find(entries, "interval.ms").source is ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG
    assert find(entries, "match") == ConfigEntry(
        "match", "", DEFAULT, (), ConfigType.LIST, doc=find(entries, "match").doc
    )
