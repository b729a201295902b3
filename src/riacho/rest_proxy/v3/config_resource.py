"""One config as the v3 API shows it, and the three kinds of resources that have configs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

from riacho.rest_proxy.v3.resource import ClusterLinks, ListMetadata, Metadata

_DEFAULT: Final = ConfigSource.DEFAULT_CONFIG.value
_ALL_BROKERS: Final = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.value


class Synonym(msgspec.Struct):
    name: str
    value: str | None
    source: str


class Config(msgspec.Struct, kw_only=True):
    kind: str
    metadata: Metadata
    cluster_id: str
    name: str
    value: str | None
    is_default: bool
    is_read_only: bool
    is_sensitive: bool
    source: str
    synonyms: list[Synonym]


class TopicConfig(Config, kw_only=True):
    topic_name: str


class BrokerConfig(Config, kw_only=True):
    broker_id: int


class ClusterConfig(Config, kw_only=True):
    config_type: str


class TopicConfigList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[TopicConfig]


class BrokerConfigList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[BrokerConfig]


class ClusterConfigList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[ClusterConfig]


@dataclass(frozen=True, slots=True)
class ConfigLinks:
    """`resource` is whom Kafka is asked about; `shown` is how errors call it."""

    links: ClusterLinks
    kind: str
    make: Callable[..., Any]
    fields: Mapping[str, object]
    at: tuple[object, ...]
    names: tuple[object, ...]
    config_name: str
    resource: ConfigResource
    shown: str
    is_for_all_brokers: bool = False

    @property
    def list_metadata(self) -> ListMetadata:
        return self.links.list_metadata(*self.at)

    def configs(self, entries: Mapping[str, ConfigEntry]) -> list[Any]:
        """By name."""
        shown = map(_for_all_brokers, entries.values()) if self.is_for_all_brokers else entries.values()
        return [self._config(entry) for entry in sorted(filter(None, shown), key=lambda entry: str(entry.name))]

    def _config(self, entry: Any) -> Any:
        return self.make(
            kind=self.kind,
            metadata=self.links.metadata((*self.at, entry.name), (*self.names, self.config_name, entry.name)),
            cluster_id=self.links.cluster_id,
            name=entry.name,
            value=entry.value,
            is_default=entry.source == _DEFAULT,
            is_read_only=entry.is_read_only,
            is_sensitive=entry.is_sensitive,
            source=_source(entry.source),
            synonyms=[Synonym(each.name, each.value, _source(each.source)) for each in entry.synonyms.values()],
            **self.fields,
        )


def _for_all_brokers(entry: Any) -> Any:
    """The value set for all brokers; None where there is none. A broker's own value hides it in the first place."""
    candidates = (entry, *entry.synonyms.values())
    return next((each for each in candidates if each.source == _ALL_BROKERS), None)


def _source(number: int) -> str:
    try:
        return str(ConfigSource(number).name)
    except ValueError:
        return "UNKNOWN"


def topic_links(links: ClusterLinks, topic: str) -> ConfigLinks:
    return ConfigLinks(
        links,
        "KafkaTopicConfig",
        TopicConfig,
        {"topic_name": topic},
        ("topics", topic, "configs"),
        ("topic", topic),
        "config",
        ConfigResource(ResourceType.TOPIC, topic),
        f"TOPIC resource {topic}",
    )


def broker_links(links: ClusterLinks, broker_id: int) -> ConfigLinks:
    return ConfigLinks(
        links,
        "KafkaBrokerConfig",
        BrokerConfig,
        {"broker_id": broker_id},
        ("brokers", broker_id, "configs"),
        ("broker", broker_id),
        "config",
        ConfigResource(ResourceType.BROKER, str(broker_id)),
        f"BROKER resource {broker_id}",
    )


def cluster_place(links: ClusterLinks, asked_broker_id: int) -> ConfigLinks:
    return ConfigLinks(
        links,
        "KafkaClusterConfig",
        ClusterConfig,
        {"config_type": "BROKER"},
        ("broker-configs",),
        (),
        "broker-config",
        ConfigResource(ResourceType.BROKER, str(asked_broker_id)),
        "the cluster",
        is_for_all_brokers=True,
    )
