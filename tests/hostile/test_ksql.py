"""What anybody may send to a KSQL server, and what may be in its topics: one sentence each, and everybody else goes on.

No answer has a traceback, and neither has the server's log at the end.
"""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from riacho.testing import KafkaCluster
from support.ksql_server import KsqlServer, running_ksql

SETUP = (
    "CREATE STREAM s (id VARCHAR KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);"
    "CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='t', value_format='json', partitions=1);"
    "INSERT INTO t VALUES ('a', 1);"
)
_JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def ksql(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KsqlServer]:
    with running_ksql(
        cluster.bootstrap_servers, tmp_path_factory.mktemp("ksql"), {"ksql.max.push.queries": "50"}
    ) as server:
        server.run(SETUP)
        yield server
        assert "Traceback" not in server.output(), server.output()[-5_000:]


@pytest.fixture(autouse=True)
def _others_go_on(ksql: KsqlServer) -> Iterator[None]:
    yield
    assert ksql.rows("SELECT * FROM t WHERE id = 'a';") == [["a", 1]]


def _one_sentence(answer: httpx.Response) -> None:
    assert 400 <= answer.status_code < 500, answer.text[:500]
    found = answer.json()
    assert found["message"]
    assert "Traceback" not in found["message"]
    assert ".py" not in found["message"]
    assert len(answer.content) < 3 * 1024 * 1024


BOMBS = {
    "parentheses": "SELECT " + "(" * 50_000 + "1" + ")" * 50_000 + " FROM s EMIT CHANGES;",
    "not": "SELECT * FROM s WHERE " + "NOT " * 100_000 + "TRUE EMIT CHANGES;",
    "minus": "SELECT " + "- " * 100_000 + "1 FROM s EMIT CHANGES;",
    "plus": "SELECT " + "+".join(["v"] * 20_000) + " FROM s EMIT CHANGES;",
    "case": "SELECT " + "CASE WHEN TRUE THEN " * 5_000 + "1" + " END" * 5_000 + " FROM s EMIT CHANGES;",
    "struct": "CREATE STREAM x (a "
    + "STRUCT<a " * 20_000
    + "INT"
    + ">" * 20_000
    + ") WITH (kafka_topic='s', value_format='json');",
    "array": "CREATE TYPE x AS " + "ARRAY<" * 50_000 + "INT" + ">" * 50_000 + ";",
    "lambda": "SELECT " + "TRANSFORM(ARRAY[1], x => " * 5_000 + "1" + ")" * 5_000 + " FROM s EMIT CHANGES;",
    "columns": "SELECT " + ", ".join(f"v AS c{number}" for number in range(60_000)) + " FROM s EMIT CHANGES;",
    "name": "SELECT " + "x" * 1_000_000 + " FROM s EMIT CHANGES;",
    "literal": "SELECT '" + "x" * 1_500_000 + "' AS x FROM nope EMIT CHANGES;",
    "open quote": "SELECT '" + "x" * 1_000_000,
    "comment": "/*" * 500_000,
    "statements": "SHOW STREAMS;" * 100_000,
    "variables": "SELECT ${a}${b}" * 50_000 + ";",
    "nul": "SELECT \0 FROM s EMIT CHANGES;",
}


@pytest.mark.parametrize("name", BOMBS)
def test_statement_bombs(ksql: KsqlServer, name: str) -> None:
    started = time.monotonic()
    for path, field in (("/ksql", "ksql"), ("/query-stream", "sql")):
        _one_sentence(ksql.post(path, {field: BOMBS[name]}))
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("text", ["\\ud800", "\\udfff\\ud800", "\\u0000"])
def test_characters_that_are_none(ksql: KsqlServer, text: str) -> None:
    for path, field in (("/ksql", "ksql"), ("/query-stream", "sql"), ("/query", "ksql")):
        body = f'{{"{field}": "SELECT \'{text}\' AS x FROM nope EMIT CHANGES;"}}'
        _one_sentence(httpx.post(ksql.url + path, content=body.encode(), headers=_JSON, timeout=60))


@pytest.mark.parametrize("path", ["/ksql", "/query", "/query-stream", "/close-query"])
def test_a_body_of_100_megabytes(ksql: KsqlServer, path: str) -> None:
    def body() -> Iterator[bytes]:
        yield b'{"ksql": "'
        for _ in range(1_600):
            yield b"x" * 65_536
        yield b'"}'

    try:
        answer = httpx.post(ksql.url + path, content=body(), headers=_JSON, timeout=60)
    except (httpx.WriteError, httpx.RemoteProtocolError, httpx.ReadError):
        return  # it was cut off while it was sent
    assert answer.status_code == 413


NAMES = [
    "a`b",
    "a'b",
    'a"b',
    "a\\b",
    "a;b",
    "a b",
    "é",
    "`); DROP TABLE tables; --",
    "x` AS y, (SELECT 1) AS `z",
    "${v}",
    "a\nb",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_and_values_stay_what_they_are(ksql: KsqlServer, name: str) -> None:
    """Columns, sources and values: in SQLite, in JSON and in the sentence that refuses them."""
    quoted = "`" + name.replace("`", "``") + "`"
    literal = "'" + name.replace("'", "''") + "'"
    status, answer = ksql.statement(
        f"CREATE TABLE {quoted} ({quoted} VARCHAR PRIMARY KEY, v INT) "
        "WITH (kafka_topic='names', value_format='json', partitions=1);"
    )
    if status != 200:
        assert answer["message"]
        return
    try:
        ksql.run(f"INSERT INTO {quoted} VALUES ({literal}, 1);")
        assert ksql.rows(f"SELECT * FROM {quoted} WHERE {quoted} = {literal};") == [[name, 1]]
        assert ksql.rows(f"SELECT {quoted} AS {quoted} FROM {quoted} WHERE v = 1 AND {quoted} = {literal};") == [[name]]
        assert [each["name"] for each in ksql.run(f"DESCRIBE {quoted};")[0]["sourceDescription"]["fields"]] == [
            name,
            "V",
        ]
    finally:
        ksql.run(f"DROP TABLE {quoted} DELETE TOPIC;")


@pytest.mark.parametrize("topic", ["..", "a/b", "a b", "a'b", "\0", "x" * 300, "é"])
def test_topics_that_cannot_be(ksql: KsqlServer, topic: str) -> None:
    quoted = topic.replace("'", "''")
    _one_sentence(
        ksql.post(
            "/ksql",
            {"ksql": f"CREATE STREAM x (a INT) WITH (kafka_topic='{quoted}', value_format='json', partitions=1);"},
        )
    )
    _one_sentence(ksql.post("/query", {"ksql": f"PRINT '{quoted}' FROM BEGINNING;"}))


@pytest.mark.parametrize("form", ["XML", "avro'", "", "JSON; DROP", "THRIFT"])
def test_formats_that_nobody_knows(ksql: KsqlServer, form: str) -> None:
    text = f"CREATE STREAM x (a INT) WITH (kafka_topic='s', value_format='{form.replace(chr(39), chr(39) * 2)}');"
    _one_sentence(ksql.post("/ksql", {"ksql": text}))


def test_records_that_are_not_what_the_table_says(ksql: KsqlServer, cluster: KafkaCluster) -> None:
    """A schema that changes midway, bytes that are nothing, depths: left out, and those after them are there."""
    ksql.run(
        "CREATE TABLE odd (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='odd', value_format='json', partitions=1);"
    )
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    values = [
        b'{"v":1}', b'{"v":"text"}', b'{"v":{"v":[1]}}', b"[1]", b"7", b"\xff\xfe", b"", b"{" * 5_000, b"[" * 400_000,
        b'{"v":1e999}', b'{"v":99999999999999999999}', b'{"w":1}', b'{"v":null,"v":3}', b'{"v":2}',
    ]  # fmt: skip
    for number, value in enumerate(values):
        producer.produce("odd", key=f"k{number:02d}", value=value)
    producer.flush()
    rows = dict(ksql.rows("SELECT id, v FROM odd;"))
    assert rows["k00"] == 1
    assert rows["k13"] == 2
    pushed = ksql.rows("SELECT id FROM odd WHERE id = 'k13' EMIT CHANGES LIMIT 1;", auto_offset_reset="earliest")
    assert pushed == [["k13"]]
    printed = ksql.post("/query", {"ksql": "PRINT odd FROM BEGINNING LIMIT 14;"})
    assert len(printed.text.splitlines()) >= 14


def test_a_topic_that_is_deleted_under_queries(ksql: KsqlServer, cluster: KafkaCluster) -> None:
    ksql.run(
        "CREATE TABLE doomed (id VARCHAR PRIMARY KEY, v INT) "
        "WITH (kafka_topic='doomed', value_format='json', partitions=1);"
    )
    ksql.run("INSERT INTO doomed VALUES ('a', 1);")
    assert ksql.rows("SELECT v FROM doomed;") == [[1]]
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.delete_topics(["doomed"])["doomed"].result()
    status, answer = ksql.until(lambda: ksql.query_error("SELECT v FROM doomed;"), lambda found: found[0] >= 400)
    assert status in (400, 503)
    assert "doomed" in answer["message"].lower()
    ksql.run("DROP TABLE doomed;")


def test_a_thousand_push_callers(ksql: KsqlServer) -> None:
    """As many as the operator allows; the others are told so, and the next ones find room when those are gone."""
    body = json.dumps({"sql": "SELECT * FROM s EMIT CHANGES;"}).encode()
    request = (
        b"POST /query-stream HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )

    def call(_: int) -> tuple[socket.socket, bytes]:
        raw = socket.create_connection(("127.0.0.1", ksql.port), timeout=60)
        raw.sendall(request)
        return raw, raw.recv(65_536)

    with ThreadPoolExecutor(50) as pool:
        called = list(pool.map(call, range(1_000)))
    statuses = Counter(answer[9:12] for _, answer in called)
    assert statuses[b"200"] == 50, statuses
    assert statuses.keys() <= {b"200", b"400", b"503"}, statuses
    for raw, _ in called:
        raw.close()
    ksql.until(lambda: ksql.get("/metrics").text, lambda text: "\nriacho_ksql_push_queries 0\n" in text)


def test_connections_that_only_half_exist(ksql: KsqlServer) -> None:
    held = [socket.create_connection(("127.0.0.1", ksql.port)) for _ in range(100)]
    for number, raw in enumerate(held):
        raw.sendall([b"", b"POST /ksql HTTP/1.1\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0\xff\xfe"][number % 4])
    started = time.monotonic()
    assert ksql.run("SHOW STREAMS;")
    assert time.monotonic() - started < 10
    for raw in held:
        raw.close()
