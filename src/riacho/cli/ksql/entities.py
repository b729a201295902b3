"""Answers to statements as tables, a function for each kind; a kind that is not known here is shown as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from riacho.cli.ksql.descriptions import described_function, described_query, described_source, type_text
from riacho.cli.ksql.server import Entity
from riacho.cli.ksql.tables import list_table


def entity_text(entity: Entity) -> str:
    shown = _SHOWN.get(str(entity.get("@type", "")))
    text = json.dumps(_without_statement(entity), indent=2, ensure_ascii=False) if shown is None else shown(entity)
    return "\n".join([*_warnings(entity), text])


def _warnings(entity: Entity) -> Iterator[str]:
    for warning in entity.get("warnings") or ():
        message = warning.get("message") if isinstance(warning, dict) else warning
        yield f"WARNING: {message}"


def _without_statement(entity: Entity) -> dict[str, Any]:
    return {key: value for key, value in entity.items() if key not in ("statementText", "warnings")}


def _listed(key: str, columns: Sequence[tuple[str, Callable[[Mapping[str, Any]], object]]]) -> Callable[[Entity], str]:
    def shown(entity: Entity) -> str:
        rows = [[value(each) for _, value in columns] for each in entity.get(key) or () if isinstance(each, dict)]
        return list_table([head for head, _ in columns], sorted(rows, key=lambda row: str(row[0])))

    return shown


def _field(name: str, default: object = "") -> Callable[[Mapping[str, Any]], object]:
    return lambda each: each.get(name, default)


def _status(entity: Entity) -> str:
    status = entity.get("commandStatus") or {}
    message = str(status.get("message") or status.get("status") or "")
    return "\n" + list_table(["Message"], [[line] for line in message.splitlines() or [""]])


def _replicas(topic: Mapping[str, Any]) -> str:
    """The number where all partitions have it, else the list."""
    counts = topic.get("replicaInfo") or []
    return str(counts[0]) if len(set(counts)) == 1 else ", ".join(map(str, counts))


def _query_state(query: Mapping[str, Any]) -> str:
    counts = query.get("statusCount") or {}
    return ", ".join(f"{state}:{count}" for state, count in counts.items()) or str(query.get("state", ""))


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _sinks(key: str) -> Callable[[Mapping[str, Any]], object]:
    return lambda query: ",".join(query.get(key) or ())


def _types(entity: Entity) -> str:
    types = entity.get("types") or {}
    return list_table(["Type Name", "Schema"], [[name, type_text(types[name])] for name in sorted(types)])


def _properties(entity: Entity) -> str:
    found = entity.get("properties") or ()
    if isinstance(found, dict):
        return list_table(["Property", "Value"], sorted(found.items()))
    rows = [[each.get("name"), each.get("scope", ""), each.get("level", ""), each.get("value", "")] for each in found]
    return list_table(["Property", "Scope", "Level", "Effective Value"], sorted(rows, key=lambda row: str(row[0])))


def _connector(entity: Entity) -> str:
    status = entity.get("status") or {}
    tasks = [[task.get("id"), task.get("state"), task.get("trace", "")] for task in status.get("tasks") or ()]
    lines = [
        f"Name                 : {status.get('name', '')}",
        f"Class                : {entity.get('connectorClass', '')}",
        f"Type                 : {status.get('type', '')}",
        f"State                : {(status.get('connector') or {}).get('state', '')}",
        f"WorkerId             : {(status.get('connector') or {}).get('worker_id', '')}",
        "",
        list_table(["Task ID", "State", "Error Trace"], tasks),
    ]
    if entity.get("topics"):
        lines.append(list_table(["Related Topics"], [[topic] for topic in entity["topics"]]))
    return "\n".join(lines)


def _sources(entity: Entity) -> str:
    return "\n\n".join(described_source(each, with_name=True) for each in entity.get("sourceDescriptions") or ())


_SOURCE_COLUMNS = (
    ("Kafka Topic", _field("topic")),
    ("Key Format", _field("keyFormat", "")),
    ("Value Format", lambda source: source.get("valueFormat", source.get("format", ""))),
    ("Windowed", _field("isWindowed", False)),
)
_TOPIC_COLUMNS = (
    ("Kafka Topic", _field("name")),
    ("Partitions", lambda topic: len(topic.get("replicaInfo") or ())),
    ("Partition Replicas", _replicas),
)
_SHOWN: dict[str, Callable[[Entity], str]] = {
    "currentStatus": _status,
    "streams": _listed("streams", (("Stream Name", _field("name")), *_SOURCE_COLUMNS)),
    "tables": _listed("tables", (("Table Name", _field("name")), *_SOURCE_COLUMNS)),
    "kafka_topics": _listed("topics", _TOPIC_COLUMNS),
    "kafka_topics_extended": _listed(
        "topics",
        (
            *_TOPIC_COLUMNS,
            ("Consumers", _field("consumerCount", 0)),
            ("ConsumerGroups", _field("consumerGroupCount", 0)),
        ),
    ),
    "queries": _listed(
        "queries",
        (
            ("Query ID", _field("id")),
            ("Query Type", _field("queryType")),
            ("Status", _query_state),
            ("Sink Name", _sinks("sinks")),
            ("Sink Kafka Topic", _sinks("sinkKafkaTopics")),
            ("Query String", lambda query: _one_line(query.get("queryString", ""))),
        ),
    ),
    "function_names": _listed("functions", (("Function Name", _field("name")), ("Category", _field("category")))),
    "type_list": _types,
    "variables": _listed("variables", (("Variable Name", _field("name")), ("Value", _field("value")))),
    "properties": _properties,
    "connector_list": _listed(
        "connectors",
        (
            ("Connector Name", _field("name")),
            ("Type", _field("type")),
            ("Class", _field("className")),
            ("Status", _field("state")),
        ),
    ),
    "connector_plugins_list": _listed(
        "connectorsPlugins",
        (("Class", _field("className")), ("Type", _field("type")), ("Version", _field("version"))),
    ),
    "connector_description": _connector,
    "connector_info": lambda entity: f"Created connector {(entity.get('info') or {}).get('name', '')}",
    "drop_connector": lambda entity: f'Dropped connector "{entity.get("connectorName", "")}"',
    "sourceDescription": lambda entity: described_source(entity.get("sourceDescription") or {}),
    "source_descriptions": _sources,
    "queryDescription": lambda entity: described_query(entity.get("queryDescription") or {}),
    "query_descriptions": lambda entity: "\n\n".join(map(described_query, entity.get("queryDescriptions") or ())),
    "describe_function": described_function,
    "warning_entity": lambda entity: f"WARNING: {entity.get('message', '')}",
    "assert_topic": lambda entity: (
        f"Topic {entity.get('topicName')} {'exists' if entity.get('exists', True) else 'does not exist'}."
    ),
    "assert_schema": lambda entity: (
        f"Schema {entity.get('subject') or entity.get('id')} "
        f"{'exists' if entity.get('exists', True) else 'does not exist'}."
    ),
}
