"""Changes of the catalogue as JSON: what the command topic keeps of a statement.

A command holds what a statement came to, not only its text: a schema that was read from the registry, or a topic's
partitions, may be different when the topic is replayed. Fields that a later version adds have defaults here, so that
old commands stay readable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from riacho.pipelines.sql.catalogue.changes import (
    Change,
    QueryStarted,
    QueryStateSet,
    QueryTerminated,
    SourceDefined,
    SourceRemoved,
    TypeDefined,
    TypeRemoved,
)
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryState, QueryType
from riacho.pipelines.sql.catalogue.sources import (
    Column,
    DataSource,
    FormatInfo,
    LogicalSchema,
    Namespace,
    TimestampColumn,
    WindowInfo,
)
from riacho.pipelines.sql.plan.plan_json import plan_from_builtins, plan_to_builtins
from riacho.pipelines.sql.syntax.statements import Kind, WindowKind
from riacho.pipelines.sql.type_text import type_from_text

Json = dict[str, Any]


def change_to_json(change: Change) -> Json:
    match change:
        case SourceDefined(source, reads):
            return {"change": "source", "source": _source_to_json(source), "reads": list(reads)}
        case SourceRemoved(name):
            return {"change": "source_removed", "name": name}
        case TypeDefined(name, kind):
            return {"change": "type", "name": name, "type": str(kind)}
        case TypeRemoved(name):
            return {"change": "type_removed", "name": name}
        case QueryStarted(query, replaces):
            return {"change": "query", "query": _query_to_json(query), "replaces": replaces}
        case QueryTerminated(query_id):
            return {"change": "query_terminated", "query_id": query_id}
        case QueryStateSet(query_id, state):
            return {"change": "query_state", "query_id": query_id, "state": state.value}
        case _:
            assert_never(change)


def change_from_json(json: Mapping[str, Any]) -> Change:
    """ValueError, KeyError or TypeError where it is none."""
    match json["change"]:
        case "source":
            return SourceDefined(_source_from_json(json["source"]), tuple(json.get("reads", ())))
        case "source_removed":
            return SourceRemoved(json["name"])
        case "type":
            return TypeDefined(json["name"], type_from_text(json["type"]))
        case "type_removed":
            return TypeRemoved(json["name"])
        case "query":
            return QueryStarted(_query_from_json(json["query"]), json.get("replaces"))
        case "query_terminated":
            return QueryTerminated(json["query_id"])
        case "query_state":
            return QueryStateSet(json["query_id"], QueryState(json["state"]))
        case other:
            raise ValueError(f"a change of the kind {other} is not known")


def _source_to_json(source: DataSource) -> Json:
    window, timestamp = source.window, source.timestamp
    return {
        "name": source.name,
        "kind": source.kind.value,
        "columns": [
            [column.name, str(column.type), column.namespace.value, column.header_key] for column in source.schema
        ],
        "topic": source.topic,
        "key_format": _format_to_json(source.key_format),
        "value_format": _format_to_json(source.value_format),
        "window": None if window is None else [window.kind.value, window.size_ms],
        "timestamp": None if timestamp is None else [timestamp.name, timestamp.format],
        "sql": source.sql,
        "is_source": source.is_source,
        "is_created_as": source.is_created_as,
        "partitions": source.partitions,
        "replicas": source.replicas,
    }


def _source_from_json(json: Mapping[str, Any]) -> DataSource:
    window, timestamp = json.get("window"), json.get("timestamp")
    return DataSource(
        name=json["name"],
        kind=Kind(json["kind"]),
        schema=LogicalSchema(
            tuple(
                Column(name, type_from_text(kind), Namespace(namespace), header_key)
                for name, kind, namespace, header_key in json["columns"]
            )
        ),
        topic=json["topic"],
        key_format=_format_from_json(json["key_format"]),
        value_format=_format_from_json(json["value_format"]),
        window=None if window is None else WindowInfo(WindowKind(window[0]), window[1]),
        timestamp=None if timestamp is None else TimestampColumn(*timestamp),
        sql=json.get("sql", ""),
        is_source=json.get("is_source", False),
        is_created_as=json.get("is_created_as", False),
        partitions=json.get("partitions", 1),
        replicas=json.get("replicas", 1),
    )


def _format_to_json(format_: FormatInfo) -> Json:
    return {
        "name": format_.name,
        "wrap": format_.wrap,
        "properties": dict(format_.properties),
        "schema_id": format_.schema_id,
    }


def _format_from_json(json: Mapping[str, Any]) -> FormatInfo:
    return FormatInfo(json["name"], json.get("wrap"), dict(json.get("properties", {})), json.get("schema_id"))


def _query_to_json(query: PersistentQuery) -> Json:
    return {
        "query_id": query.query_id,
        "type": query.type.name,
        "text": query.text,
        "sink": query.sink,
        "reads": list(query.reads),
        "plan": plan_to_builtins(query.plan),
        "state": query.state.value,
        "properties": dict(query.properties),
    }


def _query_from_json(json: Mapping[str, Any]) -> PersistentQuery:
    return PersistentQuery(
        query_id=json["query_id"],
        type=QueryType[json["type"]],
        text=json["text"],
        sink=json["sink"],
        reads=tuple(json["reads"]),
        plan=plan_from_builtins(json["plan"]),
        state=QueryState(json.get("state", QueryState.RUNNING.value)),
        properties=dict(json.get("properties", {})),
    )
