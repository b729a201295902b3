"""Pull and push queries, PRINT, over every endpoint that has rows."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from support.ksql_server import KsqlServer

ALL = [
    ["a", "Ana", 30, 1.5, ["x"]],
    ["b", "Bob", 20, 2.5, ["x", "y"]],
    ["c", "Cid", None, None, None],
]  # fmt: skip


# Pull


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("", "abc"), ("WHERE id = 'a'", "a"), ("WHERE id = 'nobody'", ""), ("WHERE id IN ('a', 'c', 'x')", "ac"),
        ("WHERE id > 'a'", "bc"), ("WHERE id BETWEEN 'a' AND 'b'", "ab"), ("WHERE age > 25", "a"),
        ("WHERE age IS NULL", "c"), ("WHERE name LIKE '%b'", "b"), ("WHERE score = 2.5", "b"),
        ("WHERE id = 'a' AND age > 50", ""), ("WHERE id = 'a' OR age = 20", "ab"), ("LIMIT 2", "ab"),
        ("ORDER BY age DESC", "abc"), ("ORDER BY age", "cba"), ("ORDER BY score DESC LIMIT 1", "b"),
        ("WHERE id = 'a''; DROP TABLE tables; --'", ""), ("WHERE id = '\" OR 1=1 --'", ""),
    ],
)  # fmt: skip
def test_rows_by_key_range_and_condition(ksql: KsqlServer, condition: str, ids: str) -> None:
    rows = ksql.rows(f"SELECT * FROM users {condition};")
    assert [row[0] for row in rows] == list(ids)
    by_id = {row[0]: row for row in ALL}
    assert rows == [by_id[each] for each in ids]


def test_a_pull_query_sees_what_was_written_before(ksql: KsqlServer) -> None:
    for number in range(20):
        ksql.run(f"INSERT INTO users (id, age) VALUES ('w', {number});")
        assert ksql.rows("SELECT age FROM users WHERE id = 'w';") == [[number]]
    ksql.run("DELETE FROM users WHERE id = 'w';")
    assert ksql.rows("SELECT age FROM users WHERE id = 'w';") == []


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT COUNT(*) FROM users;", [[3]]),
        ("SELECT COUNT(*) AS n, SUM(age) AS total, MIN(age), MAX(name) FROM users;", [[3, 50, 20, "Cid"]]),
        ("SELECT COUNT(*) FROM users WHERE id = 'nobody';", [[0]]),
        ("SELECT age, COUNT(*) AS n FROM users GROUP BY age ORDER BY age;", [[None, 1], [20, 1], [30, 1]]),
        ("SELECT age FROM users GROUP BY age HAVING COUNT(*) > 1;", []),
    ],
)
def test_aggregates(ksql: KsqlServer, query: str, rows: list[Any]) -> None:
    assert ksql.rows(query) == rows


def test_a_pull_query_of_a_stream_reads_it_to_its_end(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE STREAM pulled (id VARCHAR KEY, v INT) WITH (kafka_topic='pulled', value_format='json', partitions=2);"
        "INSERT INTO pulled VALUES ('a', 1); INSERT INTO pulled VALUES ('b', 2); INSERT INTO pulled VALUES ('a', 3);"
    )
    assert sorted(ksql.rows("SELECT id, v FROM pulled;")) == [["a", 1], ["a", 3], ["b", 2]]
    assert ksql.rows("SELECT v FROM pulled WHERE id = 'b';") == [[2]]


def test_windows_by_their_bounds(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE TABLE win (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='win', value_format='json', partitions=1, "
        "window_type='tumbling', window_size='10 seconds');"
    )
    producer = Producer({"bootstrap.servers": ksql.properties["bootstrap.servers"]})
    for start in (0, 10_000, 20_000):
        producer.produce("win", key=b"a" + start.to_bytes(8, "big"), value=b'{"v":%d}' % start)
    producer.flush()
    assert [row[1:3] for row in ksql.rows("SELECT * FROM win WHERE id = 'a';")] == [
        [0, 10_000], [10_000, 20_000], [20_000, 30_000],
    ]  # fmt: skip
    bounded = "SELECT v FROM win WHERE id = 'a' AND WINDOWSTART >= 10000 AND WINDOWEND <= 20000;"
    assert ksql.rows(bounded) == [[10_000]]
    assert ksql.rows("SELECT v FROM win WHERE WINDOWSTART = 20000;") == [[20_000]]


def test_what_is_more_than_columns_is_asked_of_spark(ksql: KsqlServer) -> None:
    assert ksql.rows("SELECT UCASE(name) AS n FROM users WHERE id = 'a';") == [[42]]
    assert ksql.rows("SELECT age + 1 AS n FROM users;") == [[42], [42], [42]]
    status, answer = ksql.query_error("SELECT CONCAT(name, 'FAILS') AS n FROM users;")
    assert (status, answer["message"]) == (400, "It cannot be evaluated.")
    status, answer = ksql.query_error("SELECT CONCAT(name, 'DIES') AS n FROM users;")
    assert (status, answer["message"]) == (400, "The runner ended before it had answered; try again.")
    assert ksql.rows("SELECT UCASE(name) AS n FROM users WHERE id = 'a';") == [[42]]


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("SELECT nope FROM users;", "NOPE"), ("SELECT * FROM nope;", "NOPE does not exist"),
        ("SELECT * FROM users GROUP BY tags;", ""), ("SHOW STREAMS;", "/ksql"), ("", ""), ("SELECT 1", ""),
        ("SELECT * FROM users ORDER BY tags;", "ORDER BY"), ("SELECT * FROM users; SELECT * FROM users;", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/query", "/query-stream"])
def test_refusals(ksql: KsqlServer, query: str, part: str, path: str) -> None:
    status, answer = ksql.query_error(query, path)
    assert (status, answer["@type"], answer["error_code"]) == (400, "statement_error", 40001)
    assert part in answer["message"]


def test_the_shapes_of_rows(ksql: KsqlServer) -> None:
    text = "SELECT id, score FROM users WHERE id = 'a';"
    header = {"queryId": None, "columnNames": ["ID", "SCORE"], "columnTypes": ["STRING", "DECIMAL(6, 2)"]}
    plain = ksql.post("/query-stream", {"sql": text})
    assert plain.headers["content-type"] == "application/vnd.ksqlapi.delimited.v1"
    assert plain.text == json.dumps(header, separators=(",", ":")) + '\n["a",1.50]\n'
    array = ksql.post("/query-stream", {"sql": text}, headers={"accept": "application/json"})
    assert array.json() == [header, ["a", 1.5]]
    older = ksql.post("/query", {"ksql": text})
    assert older.json() == [
        {"header": {"queryId": None, "schema": "`ID` STRING, `SCORE` DECIMAL(6, 2)"}},
        {"row": {"columns": ["a", 1.5]}},
    ]


# Push


@contextmanager
def _pushed(ksql: KsqlServer, text: str, **properties: str) -> Iterator[Iterator[Any]]:
    given = {name.replace("_", "."): value for name, value in properties.items()}
    body = {"sql": text, "properties": given}
    with httpx.stream("POST", ksql.url + "/query-stream", json=body, timeout=60) as answer:
        assert answer.status_code == 200, answer.read()
        yield (json.loads(line) for line in answer.iter_lines())


def _open_queries(ksql: KsqlServer) -> int:
    (line,) = [each for each in ksql.get("/metrics").text.splitlines() if each.startswith("riacho_ksql_push_queries ")]
    return int(line.split()[1])


def _until_open(ksql: KsqlServer, count: int) -> None:
    ksql.until(lambda: _open_queries(ksql), lambda found: found == count)


def test_rows_that_come_after_the_header_are_in_a_push_query(ksql: KsqlServer) -> None:
    with _pushed(ksql, "SELECT id, v FROM s WHERE v > 1 EMIT CHANGES;") as rows:
        assert next(rows)["columnNames"] == ["ID", "V"]
        ksql.run("INSERT INTO s VALUES ('a', 1); INSERT INTO s VALUES ('b', 2);")
        assert next(rows) == ["b", 2]
    _until_open(ksql, 0)


def test_a_limit_ends_it(ksql: KsqlServer) -> None:
    rows = ksql.rows("SELECT id FROM users EMIT CHANGES LIMIT 2;", auto_offset_reset="earliest")
    assert len(rows) == 2
    older = ksql.post(
        "/query",
        {"ksql": "SELECT id FROM users EMIT CHANGES LIMIT 1;", "streamsProperties": {"auto.offset.reset": "earliest"}},
    ).json()
    assert older[-1] == {"finalMessage": "Limit Reached"}
    assert ksql.rows("SELECT id FROM users EMIT CHANGES LIMIT 0;") == []
    _until_open(ksql, 0)


def _changes(ksql: KsqlServer, text: str) -> list[Any]:
    """Rows of /query, which has tombstones."""
    properties = {"auto.offset.reset": "earliest"}
    _, *rows = ksql.post("/query", {"ksql": text, "streamsProperties": properties}).json()
    return [each.get("row", each) for each in rows]


def test_deleted_rows_of_a_table_are_tombstones(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE TABLE kept (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='kept', value_format='json',"
        " partitions=1);"
        "INSERT INTO kept VALUES ('a', 1); INSERT INTO kept VALUES ('b', 2); DELETE FROM kept WHERE id = 'a';"
        "INSERT INTO kept VALUES ('b', 0); INSERT INTO kept VALUES ('b', -1); INSERT INTO kept VALUES ('c', 3);"
    )
    assert _changes(ksql, "SELECT v, id FROM kept EMIT CHANGES LIMIT 3;") == [
        {"columns": [1, "a"]},
        {"columns": [2, "b"]},
        {"columns": [None, "a"], "tombstone": True},
        {"finalMessage": "Limit Reached"},
    ]
    # What stops passing is gone once, and what never passed was never there.
    assert _changes(ksql, "SELECT id AS k, v FROM kept WHERE v > 1 EMIT CHANGES LIMIT 3;") == [
        {"columns": ["b", 2]},
        {"columns": ["b", None], "tombstone": True},
        {"columns": ["c", 3]},
        {"finalMessage": "Limit Reached"},
    ]
    # /query-stream leaves them out, as ksqlDB does, and LIMIT counts what is shown.
    rows = ksql.rows("SELECT id, v FROM kept EMIT CHANGES LIMIT 5;", auto_offset_reset="earliest")
    assert rows == [["a", 1], ["b", 2], ["b", 0], ["b", -1], ["c", 3]]


def test_tombstones_of_sparks_rows(ksql: KsqlServer) -> None:
    assert _changes(ksql, "SELECT id AS k, UCASE(name) AS deletes FROM users EMIT CHANGES LIMIT 2;")[:2] == [
        {"columns": ["x", "x"]},
        {"columns": ["x", None], "tombstone": True},
    ]


def test_a_time_that_cannot_be_read_ends_a_query_that_says_so(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE STREAM timed (id VARCHAR KEY, t VARCHAR) WITH (kafka_topic='timed', value_format='json', partitions=1,"
        " timestamp='t', timestamp_format='yyyy-MM-dd');"
    )
    producer = Producer({"bootstrap.servers": ksql.properties["bootstrap.servers"]})
    for day in ("never", "2024-01-01"):
        producer.produce("timed", key=b"a", value=json.dumps({"T": day}))
    producer.flush()
    text = "SELECT t FROM timed EMIT CHANGES LIMIT 1;"
    assert ksql.rows(text, auto_offset_reset="earliest") == [["2024-01-01"]]
    (error,) = ksql.rows(text, auto_offset_reset="earliest", ksql_timestamp_throw_on_invalid="true")
    assert error["message"] == (
        "Fatal user code error in TimestampExtractor callback for a record of timed: "
        "The timestamp column T holds no time"
    )


@pytest.mark.parametrize("text", ["SELECT * FROM s EMIT CHANGES;", "SELECT id + 'NEVER' AS x FROM s EMIT CHANGES;"])
def test_close_query_ends_it_and_whoever_reads_it_is_told(ksql: KsqlServer, text: str) -> None:
    with _pushed(ksql, text) as rows:
        query_id = next(rows)["queryId"]
        assert ksql.post("/close-query", {"queryId": query_id}).status_code == 200
        assert list(rows) == []
    _until_open(ksql, 0)
    gone = ksql.post("/close-query", {"queryId": query_id})
    assert (gone.status_code, gone.json()["error_code"]) == (400, 40000)


def test_more_than_the_operator_allows_are_refused(ksql: KsqlServer) -> None:
    streams = []
    with httpx.Client(timeout=60) as client:
        for _ in range(5):
            request = client.build_request(
                "POST", ksql.url + "/query-stream", json={"sql": "SELECT * FROM s EMIT CHANGES;"}
            )
            streams.append(client.send(request, stream=True))
        for path in ("/query-stream", "/query"):
            status, answer = ksql.query_error("SELECT * FROM s EMIT CHANGES;", path)
            assert (status, answer["error_code"]) == (400, 40003)
        for stream in streams:
            stream.close()
    _until_open(ksql, 0)
    with _pushed(ksql, "SELECT * FROM s EMIT CHANGES;") as rows:
        next(rows)


def test_spark_runs_what_is_more_than_columns(ksql: KsqlServer) -> None:
    assert ksql.rows("SELECT v + 1 AS x FROM s EMIT CHANGES LIMIT 2;") == [["x"], ["x"]]
    rows = ksql.rows("SELECT id + 'FAILS' AS x FROM s EMIT CHANGES;")
    assert rows == [{"@type": "generic_error", "error_code": 50000, "message": "It cannot be pushed."}]
    (error,) = ksql.rows("SELECT id + 'DIES' AS x FROM s EMIT CHANGES;")
    assert error["message"] == "The runner ended, and the query with it; try again."
    _until_open(ksql, 0)


def test_who_does_not_read_sparks_rows_is_told_and_closed(ksql: KsqlServer) -> None:
    with _pushed(ksql, "SELECT id + 'FLOOD' AS x FROM s EMIT CHANGES;") as rows:
        next(rows)
        time.sleep(1.0)
        (last,) = deque(rows, maxlen=1)
    assert last["message"] == "The rows of this query are not read as fast as they come; it was closed."
    assert ksql.rows("SELECT v + 1 AS x FROM s EMIT CHANGES LIMIT 1;") == [["x"]]


def test_a_caller_that_goes_away_leaves_nothing_behind(ksql: KsqlServer) -> None:
    body = json.dumps({"sql": "SELECT * FROM s EMIT CHANGES;"}).encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", ksql.port)) as raw:
            raw.sendall(
                b"POST /query-stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
    _until_open(ksql, 0)


def test_headers_are_columns(ksql: KsqlServer) -> None:
    ksql.run(
        "CREATE STREAM hs (id VARCHAR KEY, v INT, h BYTES HEADER('trace')) "
        "WITH (kafka_topic='hs', value_format='json', partitions=1);"
    )
    producer = Producer({"bootstrap.servers": ksql.properties["bootstrap.servers"]})
    producer.produce("hs", key="a", value=b'{"v":1}', headers=[("trace", b"one"), ("trace", b"two")])
    producer.flush()
    assert ksql.rows("SELECT h FROM hs EMIT CHANGES LIMIT 1;", auto_offset_reset="earliest") == [["dHdv"]]
    assert ksql.rows("SELECT h FROM hs;") == [["dHdv"]]


# PRINT


def test_print(ksql: KsqlServer) -> None:
    ksql.run("CREATE STREAM pr (id VARCHAR KEY, v INT) WITH (kafka_topic='pr', value_format='json', partitions=1);")
    for number in range(6):
        ksql.run(f"INSERT INTO pr VALUES ('k', {number});")
    answer = ksql.post("/query", {"ksql": "PRINT pr FROM BEGINNING INTERVAL 2 LIMIT 3;"})
    lines = answer.text.splitlines()
    assert lines[0].startswith("Key format: ")
    assert [json.loads(line.partition("value: ")[2].partition(", partition")[0])["V"] for line in lines[2:]] == [
        0,
        2,
        4,
    ]
    status, error = ksql.query_error("PRINT nowhere FROM BEGINNING;", "/query")
    assert (status, error["error_code"]) == (400, 40001)
    assert "Could not find topic 'nowhere'" in error["message"]


# WebSocket


def _conversation(ksql: KsqlServer, text: str, **properties: str) -> list[Any]:
    request = {"ksql": text, "streamsProperties": {name.replace("_", "."): each for name, each in properties.items()}}

    async def talk() -> list[Any]:
        messages = []
        url = f"ws://127.0.0.1:{ksql.port}/ws/query?request={quote(json.dumps(request))}"
        async with connect(url) as socket:
            try:
                async for message in socket:
                    messages.append(json.loads(message))
            except ConnectionClosed:
                pass
            messages.append((socket.close_code, socket.close_reason))
        return messages

    return asyncio.run(talk())


def test_rows_over_a_websocket(ksql: KsqlServer) -> None:
    schema, row, end = _conversation(ksql, "SELECT id FROM users EMIT CHANGES LIMIT 1;", auto_offset_reset="earliest")
    assert [each["name"] for each in schema] == ["ID"]
    assert list(row) == ["row"]
    assert end[0] == 1000
    _, *rows, _ = _conversation(ksql, "SELECT id FROM users WHERE id = 'a';")
    assert rows == [{"row": {"columns": ["a"]}}]
    assert _conversation(ksql, "SELECT nope FROM users;") == [
        (1008, "Line: 1, Col: 8: SELECT column 'NOPE' cannot be resolved.")
    ]
    _until_open(ksql, 0)


def test_two_protocols(ksql: KsqlServer) -> None:
    with httpx.Client(http1=False, http2=True, timeout=60) as client:
        answer = client.post(ksql.url + "/query-stream", json={"sql": "SELECT id FROM users WHERE id = 'a';"})
        assert (answer.http_version, answer.text.splitlines()[1]) == ("HTTP/2", '["a"]')
        assert client.post(ksql.url + "/ksql", json={"ksql": "SHOW STREAMS;"}).status_code == 200


def test_many_ask_at_once_while_one_table_is_behind(ksql: KsqlServer) -> None:
    """Those who wait for a topic that is gone hold up nobody else."""
    ksql.run(
        "CREATE TABLE gone (id VARCHAR PRIMARY KEY, v INT) "
        "WITH (kafka_topic='gone', value_format='json', partitions=1);"
    )
    admin = AdminClient({"bootstrap.servers": ksql.properties["bootstrap.servers"]})
    admin.delete_topics(["gone"])["gone"].result()
    waiting = [threading.Thread(target=ksql.query_error, args=("SELECT * FROM gone;",)) for _ in range(10)]
    for thread in waiting:
        thread.start()
    started = time.monotonic()
    assert len(ksql.rows("SELECT * FROM users;")) == 3
    assert time.monotonic() - started < 3.0
    for thread in waiting:
        thread.join()
    ksql.run("DROP TABLE gone;")
