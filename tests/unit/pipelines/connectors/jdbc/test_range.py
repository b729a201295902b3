"""Where a micro-batch of a table ends and which rows it has, asked of a real SQLite."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadMaxRows

from riacho.pipelines.connectors.jdbc.chunks import PAYLOAD
from riacho.pipelines.connectors.jdbc.database import database
from riacho.pipelines.connectors.jdbc.range import Order, end_statement, rows_statement
from riacho.pipelines.connectors.jdbc.relations import JdbcSettings
from riacho.pipelines.connectors.jdbc.stream import JdbcStreamReader
from riacho.pipelines.connectors.jdbc.types import Column


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE t (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL, name TEXT);
        INSERT INTO t VALUES (1, '2024-01-01 00:00:00', 'a'), (2, '2024-01-01 00:00:00', 'b'),
                             (3, '2024-01-02 00:00:00', 'c'), (4, '2999-01-01 00:00:00', 'later');
    """)
    connection.close()
    return path


def _reader(path: Path, **settings: Any) -> JdbcStreamReader:
    settings = {"mode": "incrementing", "poll_s": 0.0, "prefix": "p-", **settings}
    return JdbcStreamReader(JdbcSettings(url=f"jdbc:sqlite:{path}", **settings), {})


def _rows(reader: JdbcStreamReader, start: dict[str, Any], end: dict[str, Any]) -> list[Any]:
    import pyarrow as pa

    chunks = [batch for part in reader.partitions(start, end) for batch in reader.read(part)]
    return [
        row
        for chunk in chunks
        for row in pa.ipc.open_stream(chunk.column(PAYLOAD)[0].as_buffer()).read_all().to_pylist()
    ]


def test_statements_compare_rows_of_one_moment_by_id() -> None:
    postgresql = database("jdbc:postgresql://h/d", "u", "p")
    order = Order("timestamp+incrementing", "id", ("a", "b%"), 500)
    text, parameters = end_statement(postgresql, order, '"t"', {"timestamp": "2024", "incrementing": 7}, 10)
    assert '(COALESCE("a", "b%%"), "id") > (%s, %s)' in text
    assert "interval '500 milliseconds'" in text
    assert text.endswith("ORDER BY riacho_timestamp DESC, riacho_incrementing DESC LIMIT 1")
    assert parameters == ["2024", 7]
    columns = [Column("id", "int"), Column("gone", "int")]
    text, parameters = rows_statement(
        postgresql, order, '"t"', columns, ["id"], {}, {"timestamp": "2025", "incrementing": 1}
    )
    assert text.startswith('SELECT "id", NULL FROM "t" WHERE (COALESCE(')
    assert parameters == ["2025", 1]


def test_a_batch_read_again_has_the_same_rows_and_columns(path: Path) -> None:
    reader = _reader(path)
    first = reader.latestOffset({}, ReadMaxRows(2))
    assert [name for name in first] == ["t#id"]
    assert [row["id"] for row in _rows(reader, {}, first)] == [1, 2]
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE t ADD COLUMN extra TEXT DEFAULT 'x'")
        connection.execute("ALTER TABLE t DROP COLUMN name")
    assert [row["name"] for row in _rows(reader, {}, first)] == [None, None]
    second = reader.latestOffset(first, ReadMaxRows(2))
    assert [(row["id"], row["extra"]) for row in _rows(reader, first, second)] == [(3, "x"), (4, "x")]
    assert reader.latestOffset(second, ReadMaxRows(2)) == second


def test_a_moment_stays_together_and_the_future_is_left(path: Path) -> None:
    reader = _reader(path, mode="timestamp", timestamps=["at"])
    first = reader.latestOffset({}, ReadMaxRows(1))
    assert [row["id"] for row in _rows(reader, {}, first)] == [1, 2]
    second = reader.latestOffset(first, ReadMaxRows(10))
    assert [row["id"] for row in _rows(reader, first, second)] == [3]
    assert reader.latestOffset(second, ReadMaxRows(10)) == second


def test_polls_keep_their_distance_and_bulk_reads_all_each_time(path: Path) -> None:
    reader = _reader(path, mode="bulk", poll_s=3600.0)
    first = reader.latestOffset({}, ReadMaxRows(1))
    assert len(_rows(reader, {}, first)) == 4
    assert reader.latestOffset(first, ReadMaxRows(1)) == first, "an hour has not gone by"
    eager = _reader(path, mode="bulk")
    assert eager.latestOffset(first, ReadMaxRows(1))["t"]["snapshot"] == 2
