"""Every statement of the language, in its forms."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql import types
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.printer import statement_text
from riacho.pipelines.sql.syntax.expressions import (
    ArrayName,
    Column,
    Comparison,
    CustomType,
    FunctionCall,
    IntegerLiteral,
    KnownType,
    StringLiteral,
    StructName,
)
from riacho.pipelines.sql.syntax.statements import (
    AlterSource,
    AlterSystem,
    AssertSchema,
    AssertSource,
    AssertTopic,
    AssertValues,
    ColumnDefinition,
    Constraint,
    CreateAsSelect,
    CreateConnector,
    CreateSource,
    CreateType,
    DefineVariable,
    DeleteFrom,
    Describe,
    DescribeAll,
    DescribeConnector,
    DescribeFunction,
    DropConnector,
    DropSource,
    DropType,
    Duration,
    Emit,
    Explain,
    InsertInto,
    InsertValues,
    Kind,
    Listed,
    Pause,
    PrintTopic,
    Query,
    Relation,
    Resume,
    RunScript,
    SelectStar,
    SetProperty,
    Show,
    Statement,
    Terminate,
    UndefineVariable,
    UnsetProperty,
)

INT, STRING, BYTES = KnownType(types.INTEGER), KnownType(types.STRING), KnownType(types.BYTES)
ALL_OF_S = Query((SelectStar(),), Relation("S"))
CHANGES_OF_S = Query((SelectStar(),), Relation("S"), emit=Emit.CHANGES)
HEADER_TYPE = ArrayName(StructName((("KEY", STRING), ("VALUE", BYTES))))
A_IS_1 = Comparison("=", Column("A"), IntegerLiteral(1))

FORMS: list[tuple[str, Statement]] = [
    # CREATE STREAM and TABLE
    (
        "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='t')",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("A", INT),), {"KAFKA_TOPIC": "t"}),
    ),
    (
        "create table t (a int primary key, b string);",
        CreateSource(
            Kind.TABLE, "T", (ColumnDefinition("A", INT, Constraint.PRIMARY_KEY), ColumnDefinition("B", STRING)), {}
        ),
    ),
    (
        "CREATE STREAM s WITH (kafka_topic='t', value_format='AVRO', partitions=3)",
        CreateSource(Kind.STREAM, "S", (), {"KAFKA_TOPIC": "t", "VALUE_FORMAT": "AVRO", "PARTITIONS": 3}),
    ),
    (
        "CREATE OR REPLACE STREAM s (a INT KEY)",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("A", INT, Constraint.KEY),), {}, or_replace=True),
    ),
    (
        "CREATE STREAM IF NOT EXISTS s (a INT)",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("A", INT),), {}, if_not_exists=True),
    ),
    (
        "CREATE SOURCE STREAM s (a INT)",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("A", INT),), {}, is_source=True),
    ),
    (
        "CREATE OR REPLACE SOURCE TABLE IF NOT EXISTS s (a INT)",
        CreateSource(
            Kind.TABLE, "S", (ColumnDefinition("A", INT),), {}, or_replace=True, if_not_exists=True, is_source=True
        ),
    ),
    (
        "CREATE STREAM s (h ARRAY<STRUCT<key STRING, value BYTES>> HEADERS)",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("H", HEADER_TYPE, Constraint.HEADERS),), {}),
    ),
    (
        "CREATE STREAM s (h BYTES HEADER('trace id'))",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("H", BYTES, Constraint.HEADERS, "trace id"),), {}),
    ),
    (
        "CREATE STREAM s (headers ARRAY<STRUCT<key STRING, value BYTES>>)",
        CreateSource(Kind.STREAM, "S", (ColumnDefinition("HEADERS", HEADER_TYPE),), {}),
    ),
    (
        "CREATE STREAM s WITH (wrap_single_value=false, timestamp=NULL, x=-3, y=1.50, z=-1e3)",
        CreateSource(
            Kind.STREAM, "S", (), {"WRAP_SINGLE_VALUE": False, "TIMESTAMP": None, "X": -3, "Y": "1.50", "Z": "-1e3"}
        ),
    ),
    ("CREATE STREAM s WITH ('kafka_topic'='a''b')", CreateSource(Kind.STREAM, "S", (), {"KAFKA_TOPIC": "a'b"})),
    # AS SELECT
    ("CREATE STREAM x AS SELECT * FROM s EMIT CHANGES", CreateAsSelect(Kind.STREAM, "X", CHANGES_OF_S)),
    (
        "CREATE TABLE x WITH (PARTITIONS=2) AS SELECT * FROM s",
        CreateAsSelect(Kind.TABLE, "X", ALL_OF_S, {"PARTITIONS": 2}),
    ),
    (
        "CREATE OR REPLACE TABLE IF NOT EXISTS x AS SELECT * FROM s",
        CreateAsSelect(Kind.TABLE, "X", ALL_OF_S, {}, or_replace=True, if_not_exists=True),
    ),
    # Rows
    ("INSERT INTO x SELECT * FROM s", InsertInto("X", ALL_OF_S)),
    (
        "INSERT INTO x WITH (QUERY_ID='q') SELECT * FROM s EMIT CHANGES",
        InsertInto("X", CHANGES_OF_S, {"QUERY_ID": "q"}),
    ),
    ("INSERT INTO x VALUES (1, 'b')", InsertValues("X", (), (IntegerLiteral(1), StringLiteral("b")))),
    ("INSERT INTO x (a, `b`) VALUES (1, 'b')", InsertValues("X", ("A", "b"), (IntegerLiteral(1), StringLiteral("b")))),
    ("DELETE FROM x WHERE a = 1", DeleteFrom("X", A_IS_1)),
    # DROP, ALTER
    ("DROP STREAM s", DropSource(Kind.STREAM, "S")),
    ("DROP TABLE IF EXISTS s DELETE TOPIC", DropSource(Kind.TABLE, "S", if_exists=True, delete_topic=True)),
    ("DROP TYPE IF EXISTS t", DropType("T", if_exists=True)),
    ("DROP TYPE t", DropType("T")),
    ("DROP CONNECTOR IF EXISTS `jdbc-source`", DropConnector("jdbc-source", if_exists=True)),
    ("DROP CONNECTOR 'jdbc-source'", DropConnector("jdbc-source")),
    ("ALTER STREAM s ADD a INT", AlterSource(Kind.STREAM, "S", (ColumnDefinition("A", INT),))),
    (
        "ALTER TABLE s ADD COLUMN a INT, ADD b STRING",
        AlterSource(Kind.TABLE, "S", (ColumnDefinition("A", INT), ColumnDefinition("B", STRING))),
    ),
    # Types and connectors
    (
        "CREATE TYPE address AS STRUCT<street STRING, city custom>",
        CreateType("ADDRESS", StructName((("STREET", STRING), ("CITY", CustomType("CUSTOM"))))),
    ),
    ("CREATE TYPE IF NOT EXISTS t AS INT", CreateType("T", INT, if_not_exists=True)),
    (
        "CREATE SOURCE CONNECTOR c WITH (\"connector.class\"='x', 'tasks.max'=2, topics='t')",
        CreateConnector("SOURCE", "C", {"connector.class": "x", "tasks.max": 2, "topics": "t"}),
    ),
    (
        "CREATE SINK CONNECTOR IF NOT EXISTS 'my-sink' WITH ('a'='b')",
        CreateConnector("SINK", "my-sink", {"a": "b"}, if_not_exists=True),
    ),
    # Questions
    *[(f"{word} {what.value}", Show(what)) for word in ("SHOW", "list") for what in Listed],
    *[
        (f"SHOW {what.value} EXTENDED", Show(what, is_extended=True))
        for what in (Listed.STREAMS, Listed.TABLES, Listed.TOPICS, Listed.QUERIES)
    ],
    ("SHOW ALL TOPICS", Show(Listed.TOPICS, show_all=True)),
    ("LIST ALL TOPICS EXTENDED", Show(Listed.TOPICS, is_extended=True, show_all=True)),
    ("DESCRIBE s", Describe("S")),
    ("DESCRIBE EXTENDED s", Describe("S", is_extended=True)),
    ("DESCRIBE s EXTENDED", Describe("S", is_extended=True)),
    ("DESCRIBE STREAMS", DescribeAll(Kind.STREAM)),
    ("DESCRIBE TABLES EXTENDED", DescribeAll(Kind.TABLE, is_extended=True)),
    ("DESCRIBE FUNCTION ucase", DescribeFunction("UCASE")),
    ("DESCRIBE CONNECTOR `my-sink`", DescribeConnector("my-sink")),
    ("EXPLAIN ctas_x_1", Explain(query_id="CTAS_X_1")),
    ("EXPLAIN `Mixed_1`", Explain(query_id="Mixed_1")),
    ("EXPLAIN 'Mixed_1'", Explain(query_id="Mixed_1")),
    ("EXPLAIN SELECT * FROM s EMIT CHANGES", Explain(statement=CHANGES_OF_S)),
    ("EXPLAIN CREATE STREAM x AS SELECT * FROM s", Explain(statement=CreateAsSelect(Kind.STREAM, "X", ALL_OF_S))),
    ("PRINT my_Topic", PrintTopic("my_Topic")),
    (
        "PRINT 'my-topic' FROM BEGINNING INTERVAL 5 LIMIT 3",
        PrintTopic("my-topic", from_beginning=True, interval=5, limit=3),
    ),
    ("PRINT `a.b` SAMPLE 2", PrintTopic("a.b", interval=2)),
    # Control
    ("TERMINATE q_1", Terminate("Q_1")),
    ("TERMINATE QUERY q_1", Terminate("Q_1")),
    ("TERMINATE ALL", Terminate(None)),
    ("PAUSE 'q_1'", Pause("q_1")),
    ("PAUSE ALL", Pause(None)),
    ("RESUME q_1", Resume("Q_1")),
    ("RESUME ALL", Resume(None)),
    ("SET 'auto.offset.reset'='earliest'", SetProperty("auto.offset.reset", "earliest")),
    ("UNSET 'auto.offset.reset'", UnsetProperty("auto.offset.reset")),
    ("ALTER SYSTEM 'a.b'='c'", AlterSystem("a.b", "c")),
    ("DEFINE topicName = '''my_topic'''", DefineVariable("topicName", "'my_topic'")),
    ("UNDEFINE topicName", UndefineVariable("topicName")),
    ("RUN SCRIPT '/tmp/a.sql'", RunScript("/tmp/a.sql")),
    # Assertions
    ("ASSERT TOPIC foo", AssertTopic("foo")),
    (
        "ASSERT NOT EXISTS TOPIC 'f-o' WITH (PARTITIONS=1, replicas=2) TIMEOUT 10 SECONDS",
        AssertTopic("f-o", {"PARTITIONS": 1, "REPLICAS": 2}, exists=False, timeout=Duration(10, "SECONDS")),
    ),
    (
        "ASSERT SCHEMA SUBJECT 'foo-value' ID 3 TIMEOUT 1 MINUTE",
        AssertSchema("foo-value", 3, timeout=Duration(1, "MINUTES")),
    ),
    ("ASSERT NOT EXISTS SCHEMA ID 3", AssertSchema(None, 3, exists=False)),
    ("ASSERT SCHEMA SUBJECT foo", AssertSchema("foo", None)),
    ("ASSERT VALUES s (a) VALUES (1)", AssertValues("S", ("A",), (IntegerLiteral(1),))),
    ("ASSERT NULL VALUES s (a) KEY (1)", AssertValues("S", ("A",), (IntegerLiteral(1),), is_tombstone=True)),
    (
        "ASSERT STREAM s (a INT KEY) WITH (KAFKA_TOPIC='t')",
        AssertSource(
            CreateSource(Kind.STREAM, "S", (ColumnDefinition("A", INT, Constraint.KEY),), {"KAFKA_TOPIC": "t"})
        ),
    ),
    (
        "ASSERT TABLE s (a INT PRIMARY KEY)",
        AssertSource(CreateSource(Kind.TABLE, "S", (ColumnDefinition("A", INT, Constraint.PRIMARY_KEY),), {})),
    ),
]


@pytest.mark.parametrize(("text", "expected"), FORMS, ids=[text for text, _ in FORMS])
def test_a_statement_is_read_and_its_text_is_read_again(text: str, expected: Statement) -> None:
    assert parse_one(text).statement == expected
    assert parse_one(statement_text(expected)).statement == expected


def test_columns_and_sources_know_where_they_stood() -> None:
    parsed = parse_one("  CREATE STREAM s (\n    a INT,\n    b STRING);")
    assert isinstance(parsed.statement, CreateSource)
    assert [column.at for column in parsed.statement.columns] == [(2, 5), (3, 5)]
    assert parsed.at == (1, 3)


def test_a_function_in_a_query_knows_where_it_stood() -> None:
    parsed = parse_one("SELECT a,\n  NO_SUCH(b) FROM s").statement
    assert isinstance(parsed, Query)
    call = parsed.select[1].expression  # type: ignore[union-attr]
    assert isinstance(call, FunctionCall)
    assert call.at == (2, 3)
