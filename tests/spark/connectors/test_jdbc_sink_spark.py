"""The JDBC sink from Spark tasks: inserts once, upserts, deletes, new columns, bad rows; PostgreSQL and SQLite."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from riacho.pipelines.connectors.jdbc.sink import JdbcSinkConnector
from riacho.pipelines.plugin import ConnectError, Rejected
from support.postgresql import PASSWORD, USER, PostgreSQL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PLACE = "topic string, partition int, offset bigint, key string, value struct<"


def _configs(server: PostgreSQL, **more: str) -> dict[str, str]:
    given = {"connection.url": server.jdbc_url, "connection.user": USER, "connection.password": PASSWORD}
    return given | {name.replace("_", "."): value for name, value in more.items()}


def _frame(spark: SparkSession, fields: str, *rows: tuple[Any, ...]) -> DataFrame:
    """Rows are (partition, offset, key, value); a partition of the topic is one task."""
    records = [("orders", partition, offset, key, value) for partition, offset, key, value in rows]
    return (
        spark.createDataFrame(records, f"{PLACE}{fields}>").repartition(2, "partition").sortWithinPartitions("offset")
    )


def test_inserts_happen_once_and_bad_rows_alone_are_refused(
    spark: SparkSession, postgresql: PostgreSQL, make_connector: Callable[..., Any]
) -> None:
    sink = make_connector(
        JdbcSinkConnector, _configs(postgresql, table_name_format="ins_${topic}", auto_create="true", batch_size="2")
    )
    when = dt.datetime(2024, 1, 1, 12, 30)
    fields = "n int, price decimal(8,2), at timestamp, raw binary, tags array<string>, words string"
    good = [(n % 2, n, None, (n, Decimal("1.25"), when, b"\x00", ["a"], "x")) for n in range(7)]
    # PostgreSQL has no text with a zero in it.
    bad = (0, 8, None, (8, None, None, None, None, "zero\x00"))
    batch = _frame(spark, fields, *good, bad, (1, 9, None, None))
    refused = sink.put(batch, 4)
    assert sorted((each.topic, each.partition, each.offset) for each in refused) == [("orders", 0, 8), ("orders", 1, 9)]
    assert any("delete.enabled is false" in each.message for each in refused)
    rows = postgresql.execute("SELECT n, price, at, raw, tags, words FROM ins_orders ORDER BY n")
    assert rows[0] == (0, Decimal("1.25"), when, b"\x00", ["a"], "x")
    assert [row[0] for row in rows] == list(range(7))

    # The same batch once more, divided otherwise: nothing is added. What comes after it is.
    assert len(sink.put(batch.coalesce(1), 4)) == 2
    assert postgresql.execute("SELECT count(*) FROM ins_orders") == [(7,)]
    assert sink.put(_frame(spark, fields, (0, 10, None, (10, None, None, None, None, None))), 5) == []
    assert postgresql.execute("SELECT count(*) FROM ins_orders") == [(8,)]
    assert postgresql.execute("SELECT DISTINCT batch_id FROM riacho_sink_markers") == [(5,)]


def test_last_change_of_a_key_wins_and_columns_are_added(
    spark: SparkSession, postgresql: PostgreSQL, make_connector: Callable[..., Any]
) -> None:
    keyed = {"pk_mode": "record_key", "pk_fields": "id", "delete_enabled": "true", "auto_create": "true"}
    configs = _configs(postgresql, insert_mode="upsert", table_name_format="up_${topic}", **keyed)
    sink = make_connector(JdbcSinkConnector, configs)
    batch = _frame(
        spark,
        "name string",
        (0, 1, "a", ("first",)),
        (0, 2, "a", None),
        (0, 3, "b", ("kept",)),
        (0, 4, "a", ("last",)),
        (1, 1, "c", ("gone",)),
        (1, 2, "c", None),
        (1, 3, None, ("no key",)),
    )
    for _ in range(2):
        assert sink.put(batch, 0) == [Rejected("orders", 1, 3, "The key column id would be null")]
        assert postgresql.execute("SELECT * FROM up_orders ORDER BY id") == [("a", "last"), ("b", "kept")]

    wider = _frame(spark, "name string, size int", (0, 5, "b", ("wide", 4)))
    with pytest.raises(ConnectError, match=r"up_orders of .* lacks size and auto.evolve is false"):
        sink.put(wider, 1)
    sink = make_connector(JdbcSinkConnector, configs | {"auto.evolve": "true"})
    assert sink.put(wider, 1) == []
    assert postgresql.execute("SELECT * FROM up_orders ORDER BY id") == [("a", "last", None), ("b", "wide", 4)]


def test_sqlite_takes_turns_and_a_missing_table_is_told(
    spark: SparkSession, tmp_path: Path, make_connector: Callable[..., Any]
) -> None:
    path = tmp_path / "sink.db"
    sqlite3.connect(path).execute("CREATE TABLE there (id INTEGER PRIMARY KEY, at TIMESTAMP, n DECIMAL(6,2))")
    configs = {"connection.url": f"jdbc:sqlite:{path}", "insert.mode": "upsert", "pk.mode": "record_value"}
    configs |= {"pk.fields": "id", "retry.backoff.ms": "10"}
    rows = [(n % 2, n, None, (n % 5, dt.datetime(2024, 1, 1, 0, 0, n), Decimal(n))) for n in range(20)]
    batch = _frame(spark, "id int, at timestamp, n decimal(6,2)", *rows)
    with pytest.raises(ConnectError, match=r"The table orders is not in .* and auto.create is false"):
        make_connector(JdbcSinkConnector, configs).put(batch, 0)
    sink = make_connector(JdbcSinkConnector, configs | {"table.name.format": "there"})
    assert sink.put(batch, 0) == []
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT id, at, n FROM there ORDER BY id").fetchall()
    connection.close()
    # Two tasks write the same ids here, so which is last is open; that each is one of the two is not.
    assert [row[0] for row in found] == [0, 1, 2, 3, 4]
    assert all(row[2] in (row[0] + 10, row[0] + 15) and row[1] == f"2024-01-01 00:00:{row[2]:02d}" for row in found)
