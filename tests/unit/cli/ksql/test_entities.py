"""Answers as ksqlDB's documentation has them, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.cli.ksql.entities import entity_text

FIELDS = [
    {"name": "ID", "schema": {"type": "STRING", "fields": None, "memberSchema": None}, "type": "KEY"},
    {"name": "N", "schema": {"type": "DECIMAL", "parameters": {"precision": 4, "scale": 2}}},
    {"name": "A", "schema": {"type": "ARRAY", "memberSchema": {"type": "INTEGER"}}},
    {"name": "M", "schema": {"type": "MAP", "memberSchema": {"type": "BIGINT"}}},
    {"name": "S", "schema": {"type": "STRUCT", "fields": [{"name": "X", "schema": {"type": "DOUBLE"}}]}},
]
SOURCE = {
    "name": "ORDERS",
    "type": "STREAM",
    "fields": FIELDS,
    "topic": "orders",
    "keyFormat": "KAFKA",
    "valueFormat": "JSON",
    "timestamp": "",
    "extended": False,
    "readQueries": [{"id": "CSAS_X_1", "queryString": "CREATE\n STREAM x;", "state": "RUNNING"}],
    "writeQueries": [],
    "statistics": "consumer-messages-per-sec: 0",
    "errorStats": "",
    "partitions": 4,
    "replication": 1,
    "statement": "CREATE STREAM orders;",
}
ENTITIES: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"@type": "tables", "tables": [{"name": "T", "topic": "t", "format": "JSON"}]},
        [" Table Name | Kafka Topic", " T          | t "],
    ),
    (
        {
            "@type": "kafka_topics",
            "topics": [{"name": "b", "replicaInfo": [1, 1]}, {"name": "a", "replicaInfo": [1, 2]}],
        },
        [
            " Kafka Topic | Partitions | Partition Replicas ",
            " a           | 2          | 1, 2 ",
            " b           | 2          | 1 ",
        ],
    ),
    (
        {"@type": "kafka_topics_extended", "topics": [{"name": "b", "replicaInfo": [], "consumerCount": 3}]},
        ["Consumers | ConsumerGroups", " b           | 0          |                    | 3         | 0 "],
    ),
    (
        {
            "@type": "queries",
            "queries": [
                {
                    "id": "Q_1",
                    "queryType": "PERSISTENT",
                    "statusCount": {"RUNNING": 1},
                    "sinks": ["X"],
                    "sinkKafkaTopics": ["x"],
                    "queryString": "CREATE STREAM x\n AS SELECT",
                }
            ],
        },
        [
            "| Query Type | Status",
            " Q_1      | PERSISTENT | RUNNING:1 | X         | x                | CREATE STREAM x AS SELECT ",
        ],
    ),
    ({"@type": "function_names", "functions": [{"name": "ABS", "category": "MATH"}]}, [" ABS           | MATH "]),
    ({"@type": "type_list", "types": {"T": FIELDS[4]["schema"]}}, [" T         | STRUCT<X DOUBLE> "]),
    ({"@type": "properties", "properties": {"a": "b"}}, [" a        | b "]),
    (
        {"@type": "properties", "properties": [{"name": "a", "scope": "KSQL", "level": "SERVER", "value": "b"}]},
        [" a        | KSQL  | SERVER | b "],
    ),
    ({"@type": "variables", "variables": [{"name": "a", "value": "b"}]}, [" a             | b "]),
    (
        {
            "@type": "connector_list",
            "connectors": [{"name": "c", "type": "source", "className": "x.Y", "state": "RUNNING (1/1 tasks RUNNING)"}],
        },
        [" c              | source | x.Y   | RUNNING (1/1 tasks RUNNING) "],
    ),
    (
        {"@type": "connector_plugins_list", "connectorsPlugins": [{"className": "x.Y", "type": "source"}]},
        [" x.Y   | source | "],
    ),
    (
        {
            "@type": "connector_description",
            "connectorClass": "x.Y",
            "status": {
                "name": "c",
                "type": "source",
                "connector": {"state": "RUNNING", "worker_id": "w"},
                "tasks": [{"id": 0, "state": "FAILED", "trace": "oh"}],
            },
            "topics": ["t"],
        },
        ["Name                 : c", "State                : RUNNING", " 0       | FAILED | oh ", " t "],
    ),
    ({"@type": "connector_info", "info": {"name": "c"}}, ["Created connector c"]),
    ({"@type": "drop_connector", "connectorName": "c"}, ['Dropped connector "c"']),
    ({"@type": "warning_entity", "message": "careful"}, ["WARNING: careful"]),
    ({"@type": "assert_topic", "topicName": "t", "exists": False}, ["Topic t does not exist."]),
    ({"@type": "assert_schema", "subject": None, "id": 3, "exists": True}, ["Schema 3 exists."]),
    (
        {"@type": "sourceDescription", "sourceDescription": SOURCE},
        [
            "Name                 : ORDERS",
            " ID    | VARCHAR(STRING) (key) ",
            " N     | DECIMAL(4, 2) ",
            " A     | ARRAY<INTEGER> ",
            " M     | MAP<STRING, BIGINT> ",
            " S     | STRUCT<X DOUBLE> ",
            "For runtime statistics and query details run: DESCRIBE <Stream,Table> EXTENDED;",
        ],
    ),
    (
        {"@type": "sourceDescription", "sourceDescription": {**SOURCE, "extended": True}},
        [
            "Type                 : STREAM",
            "Timestamp field      : Not set - using <ROWTIME>",
            "Kafka topic          : orders (partitions: 4, replication: 1)",
            "Queries that read from this STREAM",
            "CSAS_X_1 (RUNNING) : CREATE STREAM x;",
            "consumer-messages-per-sec: 0",
        ],
    ),
    (
        {
            "@type": "sourceDescription",
            "sourceDescription": {
                **SOURCE,
                "type": "TABLE",
                "windowType": "TUMBLING",
                "fields": [
                    FIELDS[0],
                    {"name": "H", "schema": {"type": "BYTES"}, "type": "HEADER", "headerKey": "k"},
                    {"name": "ALL", "schema": {"type": "BYTES"}, "type": "HEADER"},
                ],
            },
        },
        [
            " ID    | VARCHAR(STRING) (primary key) (Window type: TUMBLING) ",
            " H     | BYTES (header('k')) ",
            " ALL   | BYTES (headers) ",
        ],
    ),
    (
        {"@type": "source_descriptions", "sourceDescriptions": [SOURCE, {**SOURCE, "name": "B"}]},
        ["Name                 : B"],
    ),
    (
        {
            "@type": "queryDescription",
            "queryDescription": {
                "id": "Q_1",
                "statementText": "CREATE STREAM x AS SELECT 1",
                "fields": FIELDS[:1],
                "sources": ["S"],
                "sinks": ["X"],
                "executionPlan": " > [ SINK ]\n",
                "topology": "Topologies:",
                "overriddenProperties": {"a": "b"},
                "state": "ERROR",
                "queryErrors": [{"type": "USER", "errorMessage": "the topic is gone"}],
                "statistics": {"rows": 3},
            },
        },
        [
            " USER | the topic is gone ",
            " rows      | 3     ",
            "ID                   : Q_1",
            "Execution plan",
            " > [ SINK ]",
            "Processing topology",
            " a        | b ",
        ],
    ),
    (
        {
            "@type": "describe_function",
            "name": "ABS",
            "author": "Riacho",
            "description": "Without its sign",
            "type": "SCALAR",
            "functions": [
                {
                    "arguments": [{"name": "n", "type": "INT", "description": "the number", "isVariadic": False}],
                    "returnType": "INT",
                    "description": "x",
                }
            ],
        },
        [
            "Overview             : Without its sign",
            "\tVariation   : ABS(n INT)",
            "\tReturns     : INT",
            "\tn           : the number",
        ],
    ),
]


@pytest.mark.parametrize(("entity", "lines"), ENTITIES, ids=[entity["@type"] for entity, _ in ENTITIES])
def test_an_answer_is_shown(entity: dict[str, Any], lines: list[str]) -> None:
    shown = entity_text(entity)
    for line in lines:
        assert line in shown, shown


@pytest.mark.parametrize("kind", sorted({entity["@type"] for entity, _ in ENTITIES} | {"currentStatus", "streams"}))
def test_an_answer_with_nothing_in_it_is_no_reason_to_fail(kind: str) -> None:
    assert isinstance(entity_text({"@type": kind}), str)
