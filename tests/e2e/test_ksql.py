"""A KSQL server with Spark: what the server does not do itself, and names that might be taken for SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riacho.testing import KafkaCluster
from support.ksql_server import KsqlServer, created_query

pytest.importorskip("pyspark")
pytestmark = pytest.mark.timeout(600)

NAME = "x` AS y, 'z"
QUOTED = "`" + NAME.replace("`", "``") + "`"
VALUE = 'it\'s \\ "quoted" `so` ${v} \n é'


@pytest.fixture(scope="module")
def ksql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KsqlServer]:
    directory = tmp_path_factory.mktemp("ksql")
    with KafkaCluster() as cluster:
        server = KsqlServer(cluster.bootstrap_servers, directory, {"spark.master": "local[2]"})
        del server.properties["riacho.runner.command"]
        try:
            server.start()
            server.run(
                f"CREATE TABLE t (id VARCHAR PRIMARY KEY, {QUOTED} VARCHAR, v INT) "
                "WITH (kafka_topic='t', value_format='json', partitions=1);"
            )
            server.run(f"INSERT INTO t VALUES ('a', '{VALUE.replace(chr(39), chr(39) * 2)}', 1);")
            yield server
        finally:
            if server.is_running:
                server.stop()
        assert "Traceback" not in server.output(), server.output()[-5_000:]


def test_spark_evaluates_what_is_more_than_columns(ksql: KsqlServer) -> None:
    assert ksql.rows(f"SELECT CONCAT({QUOTED}, '{VALUE.replace(chr(39), chr(39) * 2)}') AS c, v + 1 AS w FROM t;") == [
        [VALUE + VALUE, 2]
    ]
    assert ksql.rows("SELECT FORMAT_TIMESTAMP(FROM_UNIXTIME(0), 'yyyy') AS y FROM t;") == [["1970"]]
    assert ksql.rows("SELECT UCASE(id) AS u, COUNT(*) AS n FROM t GROUP BY UCASE(id);") == [["A", 1]]


def test_a_row_with_expressions_is_inserted(ksql: KsqlServer) -> None:
    ksql.run("INSERT INTO t (id, v) VALUES (UCASE('b'), 2 + 3);")
    assert ksql.rows("SELECT v FROM t WHERE id = 'B';") == [[5]]
    ksql.run("DELETE FROM t WHERE id = 'B';")


def test_a_result_that_is_too_large_is_one_sentence_and_ends_nothing_else(ksql: KsqlServer) -> None:
    query_id = created_query(
        ksql.run(f"CREATE TABLE u AS SELECT id, {QUOTED} AS {QUOTED}, v * 2 AS w FROM t;", auto_offset_reset="earliest")
    )
    ksql.until_state(query_id, "RUNNING")
    big = "REPLACE(RPAD('x', 1000, 'x'), 'x', RPAD('y', 20000, 'y'))"
    status, answer = ksql.query_error(f"SELECT {big} AS big FROM t;")
    assert status == 400
    assert "larger than" in answer["message"]
    assert ksql.queries()[query_id]["queryErrors"] == []
    rows = ksql.until(lambda: ksql.rows("SELECT * FROM u;"), bool)
    assert rows == [["a", VALUE, 2]]


def test_a_push_query_on_spark(ksql: KsqlServer) -> None:
    text = f"SELECT LCASE(id) AS i, {QUOTED} AS {QUOTED} FROM t WHERE LEN(id) = 1 EMIT CHANGES LIMIT 1;"
    assert ksql.rows(text, auto_offset_reset="earliest") == [["a", VALUE]]
