"""Settings as the brokers tell them, of a broker or a topic: what each is, what it does, whether it can change now."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from riacho.base.config import ConfigType, ServerKey
from riacho.base.config_effect import NoEffect
from riacho.client.cluster import Cluster
from riacho.client.configs import ConfigEntry, alter_configs, describe_configs
from riacho.console.door.audit_log import note
from riacho.metadata.image.config_resource import ConfigSource, ResourceType
from riacho.web.call import Call
from riacho.web.errors import ApiError

_TAG = re.compile(r"<[^>]*>")
_CHANGES_MAX = 500


class ConfigRow(msgspec.Struct):
    name: str
    # None where it is a secret, or nothing is set.
    value: str | None
    # Where the value is from, in Kafka's words: DEFAULT_CONFIG, STATIC_BROKER_CONFIG, DYNAMIC_TOPIC_CONFIG...
    source: str
    is_read_only: bool
    is_sensitive: bool
    default: str | None
    type: str | None
    about: str | None
    can_change_now: bool


class ConfigChange(msgspec.Struct, forbid_unknown_fields=True):
    set: dict[str, str] = {}
    # Those that go back to what holds without them.
    unset: list[str] = []


def read_configs(cluster: Cluster, kind: ResourceType, name: str, *, is_riacho: bool) -> list[ConfigRow]:
    """Blocking."""
    told = describe_configs(cluster, kind, [name], synonyms=True, documentation=True)[name]
    known = _known(kind)
    return [_row(entry, known.get(entry.name), is_riacho) for entry in sorted(told, key=lambda each: each.name)]


def change_configs(cluster: Cluster, kind: ResourceType, name: str, change: ConfigChange) -> None:
    """Blocking."""
    if not change.set and not change.unset:
        raise ApiError(422, 42201, "There is nothing to change: give set or unset.")
    if len(change.set) + len(change.unset) > _CHANGES_MAX or change.set.keys() & set(change.unset):
        raise ApiError(422, 42201, f"A setting is set or unset once, and at most {_CHANGES_MAX} at a time.")
    alter_configs(cluster, kind, name, change.set, change.unset)


def note_change(call: Call, change: ConfigChange) -> None:
    """Into the audit log by name: a value may be a secret."""
    note(call, set=", ".join(change.set), unset=", ".join(change.unset))


def _row(entry: ConfigEntry, key: ServerKey | None, is_riacho: bool) -> ConfigRow:
    return ConfigRow(
        name=entry.name,
        value=None if entry.is_sensitive else entry.value,
        source=_name(ConfigSource, entry.config_source) or "UNKNOWN",
        is_read_only=entry.read_only,
        is_sensitive=entry.is_sensitive,
        default=_default(entry, key),
        type=(_name(ConfigType, entry.config_type) or "").lower() or None,
        about=_about(entry, key, is_riacho),
        can_change_now=not entry.read_only,
    )


def _default(entry: ConfigEntry, key: ServerKey | None) -> str | None:
    """Brokers do not tell it of settings that have several older names."""
    if entry.is_sensitive:
        return None
    if entry.config_source == ConfigSource.DEFAULT_CONFIG:
        return entry.value
    told = next((each.value for each in entry.synonyms if each.source == ConfigSource.DEFAULT_CONFIG), None)
    return key.default if told is None and key is not None else told


def _about(entry: ConfigEntry, key: ServerKey | None, is_riacho: bool) -> str | None:
    """Our own words where we have them: those of brokers are long, and HTML."""
    if key is None:
        return _TAG.sub("", entry.documentation or "").strip() or None
    if is_riacho and isinstance(key.effect, NoEffect):
        return f"{key.doc} Without effect: {key.effect.reason}."
    return key.doc or None


def _known(kind: ResourceType) -> Mapping[str, ServerKey]:
    # Only a page of settings needs the tables.
    from riacho.metadata.settings.broker_configs import BROKER_KEYS
    from riacho.metadata.settings.configs import TOPIC_KEYS

    return TOPIC_KEYS if kind is ResourceType.TOPIC else BROKER_KEYS


def _name(kind: type[ConfigSource] | type[ConfigType], number: int) -> str | None:
    try:
        return kind(number).name
    except ValueError:
        return None
