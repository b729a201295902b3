"""The JDBC sink without Spark: layouts, statements, markers, and the configs that make no sense."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

from riacho.pipelines.connectors.jdbc.changes import changes, runs
from riacho.pipelines.connectors.jdbc.database import database
from riacho.pipelines.connectors.jdbc.markers import BatchMark, OffsetRanges, create_markers
from riacho.pipelines.connectors.jdbc.sink import JdbcSinkConnector
from riacho.pipelines.connectors.jdbc.source import JdbcSourceConnector
from riacho.pipelines.connectors.jdbc.tables import create_statement, layout
from riacho.pipelines.connectors.jdbc.writer import TaskWriter, WriterSettings
from riacho.pipelines.plugin import ConnectError, Connector

VALUE = StructType([StructField("id", LongType()), StructField("name", StringType())])


def test_where_the_primary_key_comes_from() -> None:
    kafka = layout(StringType(), VALUE, "kafka", [], [])
    assert [cell.name for cell in kafka.keys] == ["__connect_topic", "__connect_partition", "__connect_offset"]
    by_key = layout(StringType(), VALUE, "record_key", ["id"], ["name"])
    assert [(cell.name, cell.origin) for cell in by_key.cells] == [("id", "key"), ("name", "value")]
    by_field = layout(VALUE, VALUE, "record_key", [], [])
    assert [(cell.name, cell.field) for cell in by_field.keys] == [("id", "id"), ("name", "name")]
    with pytest.raises(ConnectError, match=r"pk.fields names nope, which the value does not have; it has id, name"):
        layout(StringType(), VALUE, "record_value", ["nope"], [])
    with pytest.raises(ConnectError, match="exactly one column"):
        layout(StringType(), VALUE, "record_key", [], [])


def test_statements_of_both_databases() -> None:
    postgresql = database("jdbc:postgresql://h/d", None, None)
    lite = database("jdbc:sqlite:x.db", None, None, "never")
    needed = layout(StringType(), VALUE, "record_value", ["id"], [])
    assert create_statement(postgresql, "s.t", needed) == (
        'CREATE TABLE IF NOT EXISTS "s"."t" ("id" BIGINT NOT NULL, "name" TEXT, PRIMARY KEY ("id"))'
    )
    assert postgresql.upsert("t", ["id", "na%me"], ["id"]) == (
        'INSERT INTO "t" ("id", "na%%me") VALUES (%s, %s) ON CONFLICT ("id") DO UPDATE SET "na%%me" = EXCLUDED."na%%me"'
    )
    assert lite.upsert("t", ["id"], ["id"]) == "INSERT INTO t (id) VALUES (?) ON CONFLICT (id) DO NOTHING"
    assert lite.update("t", ["name"], ["id"]) == "UPDATE t SET name = ? WHERE id = ?"
    assert lite.delete("t", ["a", "b"]) == "DELETE FROM t WHERE a = ? AND b = ?"
    nested = StructType([StructField("a", ArrayType(IntegerType()))])
    assert "INT[]" in create_statement(postgresql, "t", layout(StringType(), nested, "none", [], []))
    with pytest.raises(ConnectError, match="flatten it first"):
        create_statement(lite, "t", layout(StringType(), nested, "none", [], []))


def test_runs_keep_the_order_of_changes() -> None:
    value = pa.array([{"id": 1}, {"id": 2}, None, {"id": 3}], pa.struct([("id", pa.int64())]))
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array(["t"] * 4),
            pa.array([0] * 4, pa.int32()),
            pa.array(range(4), pa.int64()),
            pa.array(list("aabc")),
            value,
        ],
        ["topic", "partition", "offset", "key", "value"],
    )
    needed = layout(StringType(), StructType([StructField("id", LongType())]), "record_key", ["k"], [])
    found = list(runs(list(changes(batch, needed, True)), 2))
    assert [[(each.kind, each.keys, each.others) for each in run] for run in found] == [
        [("write", ("a",), (1,)), ("write", ("a",), (2,))],
        [("delete", ("b",), (None,))],
        [("write", ("c",), (3,))],
    ]


def test_ranges_end_where_a_record_was_left_out() -> None:
    ranges = OffsetRanges()
    for offset in (3, 4, 9):
        ranges.add("t", 0, offset)
    ranges.leave_out("t", 0)
    ranges.add("t", 0, 11)
    assert list(ranges) == [("t", 0, 3, 9), ("t", 0, 11, 11)]
    assert [offset for offset in range(13) if ranges.covers("t", 0, offset)] == [3, 4, 5, 6, 7, 8, 9, 11]
    assert not ranges.covers("t", 1, 3)


def test_a_task_done_again_inserts_what_is_missing_only(tmp_path: Path) -> None:
    path = tmp_path / "sink.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (id INTEGER, name TEXT NOT NULL)")
    settings = WriterSettings(url=f"jdbc:sqlite:{path}", retries_max=0)
    create_markers(settings.database(), connection)
    connection.commit()
    needed = layout(StringType(), VALUE, "none", [], [])
    value = pa.array(
        [{"id": n, "name": None if n == 1 else "x"} for n in range(3)],
        pa.struct([("id", pa.int64()), ("name", pa.string())]),
    )
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array(["t"] * 3),
            pa.array([0] * 3, pa.int32()),
            pa.array(range(3), pa.int64()),
            pa.nulls(3, pa.string()),
            value,
        ],
        ["topic", "partition", "offset", "key", "value"],
    )
    writer = TaskWriter(settings, needed, "c", 7)
    records = list(changes(batch, needed, False))
    (refused,) = writer.write(records[:2], BatchMark("c", "q", 7), 0)
    assert (refused.offset, "NOT NULL constraint failed" in refused.message) == (1, True)
    assert len(writer.write(records, BatchMark("c", "q", 7), 0)) == 1
    assert connection.execute("SELECT id FROM t ORDER BY id").fetchall() == [(0,), (2,)]
    # Another query is another life: its offsets were reset, and all of it is written once more.
    assert len(writer.write(records, BatchMark("c", "r", 7), 0)) == 1
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (4,)
    connection.close()


def test_records_of_two_topics_that_were_routed_to_one_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "sink.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE both (id INTEGER)")
    settings = WriterSettings(url=f"jdbc:sqlite:{path}", retries_max=0)
    create_markers(settings.database(), connection)
    connection.commit()
    kind = StructType([StructField("id", LongType())])
    needed = layout(StringType(), kind, "none", [], [])
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array(["both"] * 2),
            pa.array([0] * 2, pa.int32()),
            pa.array([5] * 2, pa.int64()),
            pa.nulls(2, pa.string()),
            pa.array([{"id": 1}, {"id": 2}], pa.struct([("id", pa.int64())])),
            pa.array(["a", "b"]),
        ],
        ["topic", "partition", "offset", "key", "value", "raw_topic"],
    )
    first, second = changes(batch, needed, False)
    writer = TaskWriter(settings, needed, "c", 7)
    # The task of one topic came through, the one of the other did not: the batch is done again.
    assert writer.write([first], BatchMark("c", "q", 7), 0) == []
    assert writer.write([first, second], BatchMark("c", "q", 7), 0) == []
    assert connection.execute("SELECT id FROM both ORDER BY id").fetchall() == [(1,), (2,)]
    connection.close()


@pytest.mark.parametrize(
    ("kind", "configs", "name", "words"),
    [
        (JdbcSinkConnector, {"delete.enabled": "true"}, "delete.enabled", "only supported for pk.mode record_key"),
        (JdbcSinkConnector, {"insert.mode": "upsert"}, "pk.mode", "needs a primary key"),
        (JdbcSinkConnector, {"pk.mode": "kafka", "pk.fields": "a"}, "pk.fields", "three pk.fields"),
        (JdbcSinkConnector, {"connection.url": "jdbc:oracle:x"}, "connection.url", "must start with"),
        (JdbcSourceConnector, {"mode": "timestamp"}, "timestamp.column.name", "must be set"),
        (JdbcSourceConnector, {"mode": "bulk", "query": "q", "table.whitelist": "t"}, "table.whitelist", "together"),
        (JdbcSourceConnector, {"mode": "sideways"}, "mode", "must be one of"),
        (JdbcSourceConnector, {"mode": "bulk", "db.timezone": "Mars/Base"}, "db.timezone", "Invalid time zone"),
    ],
)
def test_configs_that_make_no_sense(kind: type[Connector], configs: Mapping[str, str], name: str, words: str) -> None:
    usual: dict[str, Any] = {"connection.url": "jdbc:sqlite:x.db", "topic.prefix": "p"}
    wrong = {each.definition.name: each.errors for each in kind.check(usual | dict(configs)) if each.errors}
    assert list(wrong) == [name]
    assert words in wrong[name][0]
