"""DescribeConfigs: every setting of a resource with its value, where that came from, and what it stands in for.

Synonyms are the layers that could give the value, the ruling one first. A family of units (`log.retention.ms`,
`.minutes`, `.hours`) is listed from the setting itself on: when that one is nowhere set, its list is empty and its
source is the default, even where a coarser unit rules. That is what Kafka answers, and what its tools expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from riacho.base.config import ConfigType, Dynamic, ServerKey, format_value
from riacho.metadata.image.config_resource import ConfigSource
from riacho.metadata.settings.broker_configs import BROKER_KEYS, DYNAMIC_ONLY_KEYS, broker_key, synonyms_of
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import (
    BROKER_SYNONYM,
    CLIENT_METRICS_KEYS,
    GROUP_KEYS,
    TOPIC_KEYS,
    group_synonym,
    topic_default,
)


class Synonym(msgspec.Struct, frozen=True):
    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(msgspec.Struct, frozen=True):
    name: str
    value: str | None
    source: ConfigSource
    synonyms: tuple[Synonym, ...]
    type: ConfigType
    is_read_only: bool = False
    is_sensitive: bool = False
    doc: str | None = None


def describe_topic(overrides: Mapping[str, str], broker: BrokerValues) -> Sequence[ConfigEntry]:
    defaults = _topic_defaults(broker)
    if not overrides:
        return defaults
    return [
        _topic_entry(TOPIC_KEYS[entry.name], overrides[entry.name], broker) if entry.name in overrides else entry
        for entry in defaults
    ]


# Most topics set little or nothing, and a request may make a thousand of them.
@lru_cache(maxsize=4)
def _topic_defaults(broker: BrokerValues) -> tuple[ConfigEntry, ...]:
    return tuple(_topic_entry(key, None, broker) for key in _listed(TOPIC_KEYS.values()))


def describe_broker(broker: BrokerValues) -> list[ConfigEntry]:
    """All settings of this broker, with those that a layer sets though no table knows them."""
    unknown = {name for _, layer in broker.layers for name in layer if name not in BROKER_KEYS}
    names = [key.name for key in _listed(BROKER_KEYS.values())]
    return [_broker_entry(name, broker) for name in sorted({*names, *unknown})]


def describe_cluster_default(dynamic_default: Mapping[str, str]) -> list[ConfigEntry]:
    """Only what is set for all brokers at once."""
    layers = BrokerValues({}, dynamic_default)
    return [_cluster_default_entry(name, layers) for name in sorted(dynamic_default)]


def describe_group(overrides: Mapping[str, str], broker: BrokerValues) -> list[ConfigEntry]:
    return [_group_entry(key, overrides.get(key.name), broker) for key in GROUP_KEYS.values()]


def describe_client_metrics(overrides: Mapping[str, str]) -> list[ConfigEntry]:
    return [_client_metrics_entry(key, overrides.get(key.name)) for key in CLIENT_METRICS_KEYS.values()]


def _listed(keys: Iterable[ServerKey]) -> Iterable[ServerKey]:
    return (key for key in keys if not key.internal)


def _layers(name: str, broker: BrokerValues) -> tuple[Synonym, ...]:
    """Layer by layer, in each the setting and its coarser units; from the setting itself on."""
    names = synonyms_of(name)
    found: list[Synonym] = []
    by_name = {synonym: list(broker.texts(synonym)) for synonym in names}
    for source in (*(source for source, _ in broker.layers), ConfigSource.DEFAULT_CONFIG):
        for synonym in names:
            found += [
                Synonym(synonym, None if _is_sensitive(synonym) else text, at)
                for text, at in by_name[synonym]
                if at is source
            ]
    first = next((i for i, synonym in enumerate(found) if synonym.name == name), len(found))
    return tuple(found[first:])


def _is_sensitive(name: str) -> bool:
    """A setting that no table knows may be a secret of some plugin, so it is not shown either."""
    key = broker_key(name)
    return key is None or key.is_sensitive


def _topic_entry(key: ServerKey, override: str | None, broker: BrokerValues) -> ConfigEntry:
    synonym = BROKER_SYNONYM.get(key.name)
    synonyms = () if synonym is None else _layers(synonym, broker)
    if override is not None:
        value: str | None = key.normalize(override)
        synonyms = (Synonym(key.name, value, ConfigSource.DYNAMIC_TOPIC_CONFIG), *synonyms)
    else:
        value = format_value(topic_default(key.name, broker))
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG
    return ConfigEntry(key.name, value, source, synonyms, key.type, doc=key.doc)


def _broker_entry(name: str, broker: BrokerValues) -> ConfigEntry:
    key = broker_key(name)
    synonyms = _layers(name, broker)
    is_sensitive = _is_sensitive(name)
    return ConfigEntry(
        name=name,
        value=None if is_sensitive else format_value(broker.get(name)),
        source=synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG,
        synonyms=synonyms,
        type=ConfigType.UNKNOWN if key is None else key.type,
        is_read_only=not _is_dynamic(name),
        is_sensitive=is_sensitive,
        doc=None if key is None else key.doc,
    )


def _is_dynamic(name: str) -> bool:
    key = BROKER_KEYS.get(name)
    return name in DYNAMIC_ONLY_KEYS or (key is not None and key.dynamic is not Dynamic.READ_ONLY)


def _cluster_default_entry(name: str, layers: BrokerValues) -> ConfigEntry:
    entry = _broker_entry(name, layers)
    only = tuple(s for s in entry.synonyms if s.source is ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG)
    return msgspec.structs.replace(entry, synonyms=only)


def _group_entry(key: ServerKey, override: str | None, broker: BrokerValues) -> ConfigEntry:
    synonym = group_synonym(key.name)
    if synonym is None:
        synonyms: tuple[Synonym, ...] = (Synonym(key.name, key.default, ConfigSource.DEFAULT_CONFIG),)
        value = key.default
    else:
        synonyms = _layers(synonym, broker)
        value = format_value(broker.get(synonym))
    if override is not None:
        value = key.normalize(override)
        synonyms = (Synonym(key.name, value, ConfigSource.DYNAMIC_GROUP_CONFIG), *synonyms)
    return ConfigEntry(key.name, value, synonyms[0].source, synonyms, key.type, doc=key.doc)


def _client_metrics_entry(key: ServerKey, override: str | None) -> ConfigEntry:
    if override is None:
        return ConfigEntry(key.name, key.default, ConfigSource.DEFAULT_CONFIG, (), key.type, doc=key.doc)
    value = key.normalize(override)
    synonyms = (Synonym(key.name, value, ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG),)
    return ConfigEntry(key.name, value, ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG, synonyms, key.type, doc=key.doc)
