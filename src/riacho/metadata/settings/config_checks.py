"""Whether a resource may have a set of settings, in Kafka's words and with its codes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from riacho.base.config import ConfigError, ConfigRefused, Dynamic
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import name_problem
from riacho.metadata.settings.broker_configs import BROKER_KEYS, LISTENER_ONLY_KEYS, broker_key, without_listener
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import CLIENT_METRICS_KEYS, GROUP_KEYS, check_topic_configs

_INTERVAL_MS_MIN = 100
_INTERVAL_MS_MAX = 3_600_000
_MATCH_KEYS = frozenset(
    {
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    }
)


def check_resource(image: MetadataImage, resource_type: int, name: str) -> None:
    """Whether there is such a resource to configure."""
    match resource_type:
        case ResourceType.TOPIC:
            _check_topic(image, name)
        case ResourceType.BROKER:
            _check_broker_name(image, name)
        case ResourceType.GROUP if not name:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.")
        case ResourceType.CLIENT_METRICS if not name:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "Subscription name can't be empty")
        case ResourceType.GROUP | ResourceType.CLIENT_METRICS:
            pass
        case _:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown resource type {resource_type}")


def _check_topic(image: MetadataImage, name: str) -> None:
    if not name:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
    problem = name_problem(name)
    if problem is not None:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
    if name not in image.topics:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")


def _check_broker_name(image: MetadataImage, name: str) -> None:
    if name == CLUSTER_DEFAULT:
        return
    if not re.fullmatch(r"-?[0-9]{1,10}", name):
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Node id must be an integer, but it is: {name}")
    if int(name) not in image.brokers:
        known = ", ".join(map(str, sorted(image.brokers)))
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unexpected broker id, expected {known}, but received {name}")


def check_entries(
    resource_type: int, name: str, entries: Mapping[str, str], values: BrokerValues, stored: Mapping[str, str]
) -> None:
    """Whether the resource may have these settings, all of them together. `stored` are those that it has."""
    if resource_type == ResourceType.BROKER:
        _check_broker(name, entries, stored)
        return
    try:
        match resource_type:
            case ResourceType.TOPIC:
                check_topic_configs(entries, values.flag("remote.log.storage.system.enable"))
            case ResourceType.GROUP:
                _check_group(entries, values)
            case ResourceType.CLIENT_METRICS:
                _check_client_metrics(entries)
    except ConfigError as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from error


def _check_broker(name: str, entries: Mapping[str, str], stored: Mapping[str, str]) -> None:
    read_only = [k for k in entries if k in BROKER_KEYS and BROKER_KEYS[k].dynamic is Dynamic.READ_ONLY]
    _refuse(read_only, "Cannot update these configs dynamically")
    bare = [k for k in entries if k in LISTENER_ONLY_KEYS]
    _refuse(bare, "These security configs can be dynamically updated only per-listener using the listener prefix")
    for key_name, text in entries.items():
        key = broker_key(key_name)
        try:
            if key is not None:
                key.parse(text)
        except ConfigRefused as error:
            if stored.get(key_name) == text:
                # Apache's controllers take it. It has no effect here, and others beside it must not depend on it.
                continue
            # Kafka would take it, so there is no answer of its own to give.
            raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from error
        except ConfigError as error:
            raise KafkaError(ErrorCode.INVALID_REQUEST, str(error)) from error
    if name == CLUSTER_DEFAULT:
        own = [k for k in entries if _is_per_broker(k)]
        _refuse(own, "Cannot update these configs at default cluster level, broker id must be specified")


def _is_per_broker(name: str) -> bool:
    key = BROKER_KEYS.get(without_listener(name))
    return key is not None and key.dynamic is Dynamic.PER_BROKER


def _refuse(names: list[str], problem: str) -> None:
    if names:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{problem}: [{', '.join(names)}]")


def _check_group(entries: Mapping[str, str], values: BrokerValues) -> None:
    for name in entries:
        if name not in GROUP_KEYS:
            raise ConfigError(f"Unknown group config name: {name}")
    for name, text in entries.items():
        value = GROUP_KEYS[name].parse(text)
        kind, _, setting = name.partition(".")
        if not isinstance(value, int):
            continue
        low, high = f"group.{kind}.min.{setting}", f"group.{kind}.max.{setting.removeprefix('num.')}"
        if low in BROKER_KEYS and value < values.integer(low):
            raise ConfigError(f"{name} must be greater than or equal to {low}")
        if high in BROKER_KEYS and value > values.integer(high):
            raise ConfigError(f"{name} must be less than or equal to {high}")
    for kind in ("consumer", "share", "streams"):
        _check_session(kind, entries, values)


def _check_session(kind: str, entries: Mapping[str, str], values: BrokerValues) -> None:
    """A member must have the time for more than one heartbeat."""
    session, heartbeat = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
    if session not in entries and heartbeat not in entries:
        return
    session_ms, heartbeat_ms = (
        int(entries[name]) if name in entries else values.integer(f"group.{name}") for name in (session, heartbeat)
    )
    if session_ms <= heartbeat_ms:
        raise ConfigError(f"{session} must be greater than {heartbeat}")


def _check_client_metrics(entries: Mapping[str, str]) -> None:
    for name, text in entries.items():
        key = CLIENT_METRICS_KEYS.get(name)
        if key is None:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown client metrics configuration: {name}")
        value = key.parse(text)
        if isinstance(value, int) and not _INTERVAL_MS_MIN <= value <= _INTERVAL_MS_MAX:
            bounds = f"interval must be between {_INTERVAL_MS_MIN} and {_INTERVAL_MS_MAX} (1 hour)"
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Invalid value {value} for {name}, {bounds}")
        if name == "match" and isinstance(value, list):
            for pattern in value:
                _check_match(pattern)


def _check_match(pattern: str) -> None:
    key, _, expression = (part.strip() for part in pattern.partition("="))
    try:
        re.compile(expression)
    except re.error:
        key = ""
    if key not in _MATCH_KEYS or not expression:
        raise ConfigError(f"Illegal client matching pattern: {pattern}")
