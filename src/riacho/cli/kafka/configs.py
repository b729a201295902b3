"""kafka-configs: show and change the configs of topics, brokers, groups, users, clients and IPs."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.cli.kafka.properties import load_properties
from riacho.client.cluster import Cluster
from riacho.client.configs import ConfigEntry, alter_configs, describe_configs
from riacho.metadata.image.config_resource import ConfigSource, ResourceType

_RESOURCES = {
    "topics": (ResourceType.TOPIC, ConfigSource.DYNAMIC_TOPIC_CONFIG),
    "brokers": (ResourceType.BROKER, ConfigSource.DYNAMIC_BROKER_CONFIG),
    "broker-loggers": (ResourceType.BROKER_LOGGER, ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG),
    "client-metrics": (ResourceType.CLIENT_METRICS, ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG),
    "groups": (ResourceType.GROUP, ConfigSource.DYNAMIC_GROUP_CONFIG),
}
_QUOTA_TYPES = ("users", "clients", "ips")
# Short forms, in the order in which a user and a client id are named together.
_SHORT = {
    "topic": "topics",
    "user": "users",
    "client": "clients",
    "broker": "brokers",
    "broker-logger": "broker-loggers",
    "ip": "ips",
    "group": "groups",
    "client-metrics": "client-metrics",
}
_DEFAULTS = {"user-defaults": "users", "client-defaults": "clients", "broker-defaults": "brokers", "ip-defaults": "ips"}


class Entity(NamedTuple):
    """`name` is None when the command means all of the type, "" for the type's defaults."""

    kind: str
    name: str | None

    @property
    def label(self) -> str:
        return self.kind.removesuffix("s")


def main() -> None:
    launch("kafka-configs", run)


def run(arguments: Arguments) -> int:
    if arguments.has("alter") == arguments.has("describe"):
        raise UsageError("Command must include exactly one action: --describe, --alter")
    entities = parse_entities(arguments)
    _check(arguments, entities)
    try:
        with open_cluster(arguments) as cluster:
            (_alter if arguments.has("alter") else _describe)(cluster, arguments, entities)
    except KafkaError as error:
        raise ToolError(f"Error while executing config command: {sentence(error)}") from None
    return 0


def parse_entities(arguments: Arguments) -> list[Entity]:
    names = [
        "" if flag == "entity-default" else str(value)
        for flag, value in arguments.sequence
        if flag in ("entity-name", "entity-default")
    ]
    kinds: list[str] = arguments.all("entity-type")
    if len(names) > len(kinds):
        raise ToolError("--entity-name or --entity-default goes with an --entity-type before it")
    entities = [Entity(kind, names[i] if i < len(names) else None) for i, kind in enumerate(kinds)]
    for flag, kind in _SHORT.items():
        if arguments.has(flag):
            entities.append(Entity(kind, arguments.need(flag)))
        default = next((d for d, k in _DEFAULTS.items() if k == kind), "")
        if default and arguments.has(default):
            entities.append(Entity(kind, ""))
    return entities


def _check(arguments: Arguments, entities: list[Entity]) -> None:
    kinds = [entity.kind for entity in entities]
    if not kinds:
        raise ToolError("At least one entity type must be specified")
    if len(kinds) > 1 and set(kinds) != {"users", "clients"}:
        raise ToolError("Only 'users' and 'clients' entity types may be specified together")
    if len(set(kinds)) != len(kinds):
        raise ToolError(
            f"Duplicate entity type(s) specified: {', '.join(sorted({k for k in kinds if kinds.count(k) > 1}))}"
        )
    for entity in entities:
        if entity.name and entity.kind in ("brokers", "broker-loggers") and not entity.name.isdecimal():
            raise ToolError(
                f"The entity name for {entity.kind} must be a valid integer broker id, found: {entity.name}"
            )
        if entity.name and entity.kind == "ips" and not _is_host(entity.name):
            raise ToolError(
                f"The entity name for {entity.kind} must be a valid IP or resolvable host, but it is: {entity.name}"
            )
    if arguments.has("describe"):
        return
    if not any(arguments.has(name) for name in ("add-config", "add-config-file", "delete-config")):
        raise ToolError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter"
        )
    if arguments.has("add-config") and arguments.has("add-config-file"):
        raise ToolError("Only one of --add-config or --add-config-file must be specified")
    for entity in entities:
        if entity.name is None or (not entity.name and entity.kind not in ("brokers", *_QUOTA_TYPES)):
            raise ToolError(f"An entity name must be specified with --alter of {entity.kind}")


def _is_host(name: str) -> bool:
    try:
        socket.getaddrinfo(name, None)
    except (OSError, UnicodeError):
        return False
    return True


def parse_configs(text: str) -> dict[str, str]:
    """`k1=v1,k2=[a,b]`: commas inside brackets belong to the value."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += {"[": 1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    parts.append(current)
    configs = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key and not equals and len(parts) > 1:
            continue
        if not key or not equals:
            raise ToolError(
                'Invalid entity config: all configs to be added must be in the format "key=val" or "key=[val1,val2]" '
                "to group values which contain commas."
            )
        configs[key] = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    return configs


def _alter(cluster: Cluster, arguments: Arguments, entities: list[Entity]) -> None:
    added = parse_configs(arguments.need("add-config")) if arguments.has("add-config") else {}
    if arguments.has("add-config-file"):
        added = load_properties(arguments.need("add-config-file"))
    deleted = [name.strip() for text in arguments.all("delete-config") for name in text.split(",") if name.strip()]
    entity = entities[0]
    if entity.kind in _QUOTA_TYPES:
        from riacho.cli.kafka.quotas import alter_quotas

        alter_quotas(cluster, entities, added, deleted)
    else:
        alter_configs(cluster, _RESOURCES[entity.kind][0], entity.name or "", added, deleted)
    if entity.name:
        print(f"Completed updating config for {entity.label} {entity.name}.")
    else:
        print(f"Completed updating default config for {entity.kind} in the cluster.")


def _describe(cluster: Cluster, arguments: Arguments, entities: list[Entity]) -> None:
    if entities[0].kind in _QUOTA_TYPES:
        from riacho.cli.kafka.quotas import describe_quotas

        describe_quotas(cluster, entities)
        return
    entity = entities[0]
    names = _names(cluster, entity.kind) if entity.name is None else [entity.name]
    if entity.kind == "topics" and entity.name:
        known = cluster.retry(lambda: cluster.metadata([entity.name or ""])).topics
        if any(topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION for topic in known):
            print(f"The topic '{entity.name}' doesn't exist and doesn't have dynamic config.")
            return
    for name in names:
        _print(cluster, Entity(entity.kind, name), show_all=arguments.has("all"))


def _names(cluster: Cluster, kind: str) -> Iterable[str]:
    match kind:
        case "topics":
            return sorted(topic.name or "" for topic in cluster.retry(cluster.metadata).topics)
        case "brokers":
            return [*(str(broker) for broker in sorted(cluster.retry(cluster.live_brokers))), ""]
        case "broker-loggers":
            return [str(broker) for broker in sorted(cluster.retry(cluster.live_brokers))]
        case "groups":
            from riacho.client.groups import list_groups

            return sorted({*(g.group_id for g in list_groups(cluster)), *_listed(cluster, ResourceType.GROUP)})
        case _:
            return sorted(_listed(cluster, ResourceType.CLIENT_METRICS))


def _listed(cluster: Cluster, kind: ResourceType) -> list[str]:
    """Names that have configs though nothing else tells of them (KIP-1142)."""
    from riacho.wire.messages.list_config_resources_request import ListConfigResourcesRequest
    from riacho.wire.messages.list_config_resources_response import ListConfigResourcesResponse

    try:
        request = ListConfigResourcesRequest(resource_types=[kind])
        response = cluster.ask(request, ListConfigResourcesResponse)
    except KafkaError as error:
        if error.code is ErrorCode.UNSUPPORTED_VERSION:
            return []
        raise
    return [resource.resource_name for resource in response.config_resources if resource.resource_type == kind]


def _print(cluster: Cluster, entity: Entity, *, show_all: bool) -> None:
    kind, source = _RESOURCES[entity.kind]
    name = entity.name or ""
    entries = describe_configs(cluster, kind, [name], synonyms=True).get(name, [])
    if entity.kind == "brokers" and not name:
        source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
        print(f"Default configs for {entity.kind} in the cluster are:")
    else:
        print(f"{'All' if show_all else 'Dynamic'} configs for {entity.label} {name} are:")
    for entry in sorted(entries, key=lambda e: e.name):
        if show_all or entity.kind == "broker-loggers" or entry.config_source == source:
            print(config_line(entry))


def config_line(entry: ConfigEntry) -> str:
    synonyms = ", ".join(
        f"{_source(s.source)}:{s.name}={'null' if s.value is None else s.value}" for s in entry.synonyms
    )
    value = "null" if entry.value is None else entry.value
    return f"  {entry.name}={value} sensitive={str(entry.is_sensitive).lower()} synonyms={{{synonyms}}}"


def _source(number: int) -> str:
    try:
        return ConfigSource(number).name
    except ValueError:
        return ConfigSource.UNKNOWN.name
