"""The JDBC source in a streaming query: all modes and types, from a real PostgreSQL and from SQLite."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from riacho.pipelines.connectors.jdbc.source import JdbcSourceConnector
from riacho.pipelines.plugin import ConnectError, SourceOffset
from support.postgresql import PASSWORD, USER, PostgreSQL

TYPES = """
    CREATE TABLE kinds (id BIGSERIAL PRIMARY KEY, small SMALLINT, whole INT, price NUMERIC(10,2), free NUMERIC,
        near REAL, far DOUBLE PRECISION, yes BOOLEAN, words TEXT, short VARCHAR(10), tag UUID, doc JSONB, raw BYTEA,
        day DATE, clock TIME, plain TIMESTAMP, zoned TIMESTAMPTZ, numbers INT[], names TEXT[])"""
ROW = """
    INSERT INTO kinds VALUES (DEFAULT, 1, 2, 3.50, 4.125, 1.5, 2.5, true, 'a%b', 'c',
        '00000000-0000-4000-8000-000000000001', '{"a": [1]}', '\\x0102', '2024-02-29', '10:11:12.5',
        '2024-01-01 00:00:00.123456', '2024-01-01 00:00:00+02', '{1,NULL,3}', '{x,y}')"""


def _configs(server: PostgreSQL, **more: str) -> dict[str, str]:
    given = {"connection.url": server.jdbc_url, "connection.user": USER, "connection.password": PASSWORD}
    named = {name.replace("_", "."): value for name, value in more.items()}
    return given | {"topic.prefix": "pg-", "poll.interval.ms": "0"} | named


def test_types_nulls_and_a_column_added_while_running(
    postgresql: PostgreSQL, make_connector: Callable[..., Any], run_source: Callable[..., Any]
) -> None:
    postgresql.execute(TYPES, ROW, "INSERT INTO kinds DEFAULT VALUES")
    connector = make_connector(
        JdbcSourceConnector, _configs(postgresql, mode="incrementing", table_whitelist="kinds", batch_max_rows="10")
    )
    (rows,) = run_source(connector)
    assert [row.topic for row in rows] == ["pg-kinds"] * 2
    first = rows[0].value.asDict()
    assert first == {
        "id": 1,
        "small": 1,
        "whole": 2,
        "price": Decimal("3.50"),
        "free": Decimal("4.125"),
        "near": 1.5,
        "far": 2.5,
        "yes": True,
        "words": "a%b",
        "short": "c",
        "tag": "00000000-0000-4000-8000-000000000001",
        "doc": '{"a": [1]}',
        "raw": b"\x01\x02",
        "day": dt.date(2024, 2, 29),
        "clock": 36_672_500,
        "plain": dt.datetime(2024, 1, 1, 0, 0, 0, 123456),
        "zoned": dt.datetime(2023, 12, 31, 22),
        "numbers": [1, None, 3],
        "names": ["x", "y"],
    }
    assert {name for name, value in rows[1].value.asDict().items() if value is not None} == {"id"}

    postgresql.execute("ALTER TABLE kinds ADD COLUMN later TEXT", "INSERT INTO kinds (later) VALUES ('new')")
    ((row,),) = run_source(connector)
    assert (row.value.id, row.value.later) == (3, "new")


def test_updates_by_timestamp_and_rows_of_one_moment(
    postgresql: PostgreSQL, make_connector: Callable[..., Any], run_source: Callable[..., Any]
) -> None:
    postgresql.execute(
        "CREATE TABLE moves (id INT PRIMARY KEY, changed TIMESTAMP NOT NULL, name TEXT)",
        "INSERT INTO moves SELECT n, '2024-01-01'::timestamp + (n / 4) * interval '1 second', 'n' || n "
        "FROM generate_series(1, 10) n",
    )
    both = {"timestamp_column_name": "changed", "incrementing_column_name": "id", "table_whitelist": "public.moves"}
    connector = make_connector(
        JdbcSourceConnector, _configs(postgresql, mode="timestamp+incrementing", batch_max_rows="3", **both)
    )
    batches = run_source(connector)
    assert [[row.value.id for row in batch] for batch in batches] == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10]]
    postgresql.execute("UPDATE moves SET changed = '2024-01-02', name = 'moved' WHERE id IN (2, 9)")
    assert [[row.value.id for row in batch] for batch in run_source(connector)] == [[2, 9]]

    # By timestamp alone a moment is not divided, and an offset that was set by hand is where it begins.
    del both["incrementing_column_name"]
    connector = make_connector(JdbcSourceConnector, _configs(postgresql, mode="timestamp", batch_max_rows="2", **both))
    start = [SourceOffset({"protocol": "1", "table": "public.moves"}, {"timestamp": 1_704_067_200_000})]
    batches = run_source(connector, start, checkpoint="other")
    assert [[row.value.id for row in batch] for batch in batches] == [[4, 5, 6, 7], [8, 10], [2, 9]]
    ends = connector.source_offsets({"public.moves": {"timestamp": "2024-01-02 00:00:00", "columns": "[]"}})
    assert ends == [SourceOffset({"protocol": "1", "table": "public.moves"}, {"timestamp": "2024-01-02 00:00:00"})]


def test_bulk_of_several_tables_and_a_query_from_sqlite(
    tmp_path: Path, make_connector: Callable[..., Any], run_source: Callable[..., Any]
) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as shop:
        shop.executescript("""
            CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL(8,2), seen TIMESTAMP, flag BOOLEAN);
            INSERT INTO item VALUES (1, 'lamp', 9.99, '2024-01-01 10:00:00', 1), (2, 'desk', NULL, 1704103200000, 0);
            CREATE TABLE note (body TEXT);
            INSERT INTO note VALUES ('hello');
        """)
    shop.close()
    configs = {"connection.url": f"jdbc:sqlite:{path}", "topic.prefix": "s-", "poll.interval.ms": "0", "mode": "bulk"}
    batches = run_source(make_connector(JdbcSourceConnector, configs))
    # One table a batch, since each has fields of its own.
    assert sorted((batch[0].topic, len(batch)) for batch in batches) == [("s-item", 2), ("s-note", 1)]
    lamp, desk = next(batch for batch in batches if batch[0].topic == "s-item")
    seen = dt.datetime(2024, 1, 1, 10)
    assert tuple(lamp.value) == (1, "lamp", Decimal("9.99"), seen, True)
    assert tuple(desk.value) == (2, "desk", None, seen, False)

    query = {"query": "SELECT id, name || '!' AS loud FROM item", "mode": "incrementing"}
    counted = configs | query | {"incrementing.column.name": "id", "topic.prefix": "loud"}
    (rows,) = run_source(make_connector(JdbcSourceConnector, counted), checkpoint="query")
    assert [(row.topic, *row.value) for row in rows] == [("loud", 1, "lamp!"), ("loud", 2, "desk!")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"connection.password": "wr0ng"}, 'password authentication failed for user "riacho"'),
        ({"table.whitelist": "nowhere"}, "The table nowhere is not in"),
        ({"incrementing.column.name": "nope"}, "has no column nope; it has id, name"),
        ({"incrementing.column.name": "name", "validate.non.null": "false"}, "is no number that counts up"),
        ({"mode": "timestamp", "timestamp.column.name": "at"}, "may be null; declare it NOT NULL"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    postgresql: PostgreSQL, make_connector: Callable[..., Any], change: dict[str, str], message: str
) -> None:
    postgresql.execute("CREATE TABLE IF NOT EXISTS wrongs (id SERIAL PRIMARY KEY, name TEXT, at TIMESTAMP)")
    configs = _configs(postgresql, mode="incrementing", table_whitelist="wrongs") | change
    with pytest.raises(ConnectError) as raised:
        make_connector(JdbcSourceConnector, configs)
    assert message in str(raised.value)
    assert not [secret for secret in ("\n", "wr0ng", PASSWORD) if secret in str(raised.value)]
