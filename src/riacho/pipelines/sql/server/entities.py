"""Answers to statements, in the shapes that ksqlDB's clients read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.server.topics import KafkaTopic
from riacho.pipelines.sql.syntax.statements import Kind
from riacho.pipelines.sql.types import Array, Decimal, Map, Primitive, SqlType, Struct

Entity = dict[str, Any]


def entity(kind: str, statement: str, **fields: Any) -> Entity:
    return {"@type": kind, "statementText": statement, **fields, "warnings": []}


def current_status(
    statement: str, command_id: str, message: str, query_id: str | None, sequence: int, warnings: Sequence[str] = ()
) -> Entity:
    status = {"status": "SUCCESS", "message": message, "queryId": query_id}
    found = entity(
        "currentStatus", statement, commandId=command_id, commandStatus=status, commandSequenceNumber=sequence
    )
    found["warnings"] = [{"message": warning} for warning in warnings]
    return found


def sources(statement: str, kind: Kind, found: Iterable[DataSource]) -> Entity:
    what = "streams" if kind is Kind.STREAM else "tables"
    listed = [
        {
            "type": each.kind.value,
            "name": each.name,
            "topic": each.topic,
            "keyFormat": each.key_format.name,
            "valueFormat": each.value_format.name,
            "isWindowed": each.window is not None,
        }
        for each in found
    ]
    return entity(what, statement, **{what: listed})


def topics(statement: str, found: Iterable[KafkaTopic], groups: Mapping[str, tuple[int, int]] | None = None) -> Entity:
    """`groups` gives of a topic how many consumers and groups read it; with it, the list is the extended one."""
    if groups is None:
        listed: list[Entity] = [{"name": each.name, "replicaInfo": list(each.replicas)} for each in found]
        return entity("kafka_topics", statement, topics=listed)
    listed = []
    for each in found:
        consumers, count = groups.get(each.name, (0, 0))
        row = {"name": each.name, "replicaInfo": list(each.replicas)}
        listed.append({**row, "consumerCount": consumers, "consumerGroupCount": count})
    return entity("kafka_topics_extended", statement, topics=listed)


def type_schema(kind: SqlType) -> Entity:
    """A type as DESCRIBE tells it: nested types one in the other."""
    match kind:
        case Primitive(base):
            return {"type": base.value, "fields": None, "memberSchema": None}
        case Decimal(precision, scale):
            parameters = {"precision": precision, "scale": scale}
            return {"type": "DECIMAL", "parameters": parameters, "fields": None, "memberSchema": None}
        case Array(item):
            return {"type": "ARRAY", "fields": None, "memberSchema": type_schema(item)}
        case Map(_, value):
            return {"type": "MAP", "fields": None, "memberSchema": type_schema(value)}
        case Struct(fields):
            listed = [{"name": each.name, "schema": type_schema(each.type)} for each in fields]
            return {"type": "STRUCT", "fields": listed, "memberSchema": None}
        case _:
            raise AssertionError("no column is a lambda")
