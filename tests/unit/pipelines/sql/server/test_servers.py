"""Servers as processes: two of one cluster, behind a login, with a file of statements, with a registry; after a
restart, and with nobody to write to."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from riacho.testing import KafkaCluster
from support.ksql_server import KsqlServer, created_query, running_ksql
from support.service_process import running_service
from support.topic_records import read

STREAM = "CREATE STREAM s (id VARCHAR KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);"
TABLE = "CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='t', value_format='json', partitions=1);"


def _named(name: str, **more: str) -> dict[str, str]:
    return {"ksql.service.id": name, **more}


def test_two_servers_are_one_cluster(cluster: KafkaCluster, tmp_path: Path) -> None:
    shared = _named("pair_", **{"ksql.state.dir": str(tmp_path / "state")})
    bootstrap = cluster.bootstrap_servers
    with (
        running_ksql(bootstrap, tmp_path / "one", shared) as one,
        running_ksql(bootstrap, tmp_path / "two", shared) as two,
    ):
        two.run(STREAM)
        one.run(TABLE)
        assert {each["name"] for each in two.run("SHOW STREAMS;")[0]["streams"]} == {"S"}
        query_id = created_query(two.run("CREATE STREAM big AS SELECT * FROM s WHERE v > 5;"))
        for server in (one, two):
            assert server.until_state(query_id, "RUNNING")["sinks"] == ["BIG"]
        two.run("INSERT INTO t VALUES ('a', 1);")
        assert one.rows("SELECT v FROM t;") == two.rows("SELECT v FROM t;") == [[1]]
        hosts = {server.url.partition("://")[2] for server in (one, two)}
        statuses = [server.until(lambda: _cluster(server), lambda found: set(found) == hosts) for server in (one, two)]  # noqa: B023
        leaders = [[host for host, each in found.items() if each["activeStandbyPerQuery"]] for found in statuses]
        assert len(leaders[0]) == 1
        assert leaders[0] == leaders[1]
        assert all(
            each["hostAlive"] and each["lastStatusUpdateMs"] > 0 for found in statuses for each in found.values()
        )
        leading, other = (one, two) if one.url.endswith(leaders[0][0]) else (two, one)
        leading.kill()
        # The one that died is missed after its session.
        other.until(lambda: other.statement("SHOW QUERIES;")[0], lambda status: status == 200)
        other.until_state(query_id, "RUNNING")
        assert other.rows("SELECT v FROM t;") == [[1]]
        other.until(lambda: set(_cluster(other)), lambda found: found == {other.url.partition("://")[2]})
        assert "Traceback" not in other.output()


def _cluster(server: KsqlServer) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/clusterStatus").json()["clusterStatus"]
    return found


def test_a_restart_has_everything_again(cluster: KafkaCluster, tmp_path: Path) -> None:
    with running_ksql(cluster.bootstrap_servers, tmp_path, _named("again_")) as ksql:
        ksql.run(TABLE.replace("'t'", "'again_t'") + "INSERT INTO t VALUES ('a', 1); CREATE TYPE p AS STRUCT<a INT>;")
        ksql.kill()
        ksql.start()
        assert ksql.rows("SELECT * FROM t;") == [["a", 1]]
        assert list(ksql.run("SHOW TYPES;")[0]["types"]) == ["P"]
        assert ksql.get("/status/table/%60T%60/create").json()["status"] == "SUCCESS"
        assert ksql.stop() == 0


@pytest.fixture(scope="module")
def locked(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("locked")
    users = directory / "users.properties"
    users.write_text("ana: secret,admin\n")
    login = {
        "authentication.method": "BASIC",
        "authentication.user.file": str(users),
    }
    with running_ksql(cluster.bootstrap_servers, directory, _named("locked_", **login)) as ksql:
        yield ksql


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/ksql"), ("POST", "/query"), ("POST", "/query-stream"), ("POST", "/inserts-stream"),
        ("POST", "/close-query"), ("POST", "/ksql/terminate"), ("GET", "/info"), ("GET", "/status"),
        ("GET", "/clusterStatus"), ("GET", "/is_valid_property/x"), ("GET", "/v1/metadata"),
    ],
)  # fmt: skip
def test_a_login_is_asked_for_everywhere(locked: KsqlServer, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": "Basic " + base64.b64encode(b"ana:wrong").decode()}):
        answer = httpx.request(
            method, locked.url + path, json={"ksql": "SHOW STREAMS;"} if method == "POST" else None, headers=headers
        )
        assert (answer.status_code, answer.json()["error_code"]) == (401, 40100), answer.text


def test_a_login_lets_in(locked: KsqlServer) -> None:
    auth = ("ana", "secret")
    assert httpx.post(locked.url + "/ksql", json={"ksql": "SHOW STREAMS;"}, auth=auth).status_code == 200
    assert httpx.get(locked.url + "/healthcheck").status_code == 200
    with pytest.raises(InvalidStatus, match="401"):
        connect(f"ws://127.0.0.1:{locked.port}/ws/query?request=%7B%7D").close()
    header = {"Authorization": "Basic " + base64.b64encode(b"ana:secret").decode()}
    request = "%7B%22ksql%22%3A%22SHOW%20STREAMS%3B%22%7D"
    url = f"ws://127.0.0.1:{locked.port}/ws/query?request={request}"
    with (
        connect(url, additional_headers=header) as socket,
        pytest.raises(ConnectionClosed, match="other statements go to /ksql"),
    ):
        socket.recv()


def test_a_file_of_statements_is_carried_out_once_and_nothing_else_is(cluster: KafkaCluster, tmp_path: Path) -> None:
    file = tmp_path / "queries.sql"
    file.write_text(
        "SET 'auto.offset.reset' = 'earliest';\n"
        "CREATE STREAM f (id VARCHAR KEY, v BIGINT) WITH (kafka_topic='f', value_format='json', partitions=1);\n"
        "CREATE STREAM g AS SELECT * FROM f WHERE v > 1;\nINSERT INTO g SELECT * FROM f WHERE v < 0;\n"
    )
    with running_ksql(cluster.bootstrap_servers, tmp_path, _named("file_", **{"ksql.queries.file": str(file)})) as ksql:

        def figures() -> str:
            return ksql.get("/metrics").text

        ksql.until(figures, lambda text: text.count('state="RUNNING"') == 2)
        refused = ksql.refused("CREATE TYPE x AS STRUCT<a INT>;")
        assert "ksql.queries.file" in refused["message"]
        assert ksql.query("SELECT * FROM f EMIT CHANGES LIMIT 0;")[0]["columnNames"] == ["ID", "V"]
        before = ksql.get("/status").json()
        ksql.stop()
        ksql.start()
        ksql.until(figures, lambda text: text.count('state="RUNNING"') == 2)
        assert ksql.get("/status").json() == before


def test_columns_come_from_the_registry_and_subjects_go_with_the_topic(cluster: KafkaCluster, tmp_path: Path) -> None:
    with running_service("schema-registry", cluster.bootstrap_servers, tmp_path) as registry:
        settings = _named("schemas_", **{"ksql.schema.registry.url": registry.url})
        with running_ksql(cluster.bootstrap_servers, tmp_path, settings) as ksql:
            ksql.run("CREATE STREAM w (a INT, b VARCHAR) WITH (kafka_topic='sr', value_format='avro', partitions=1);")
            ksql.run("INSERT INTO w VALUES (1, 'x');")
            ksql.run("CREATE STREAM r WITH (kafka_topic='sr', value_format='avro');")
            (described,) = ksql.run("DESCRIBE r;")
            assert [each["name"] for each in described["sourceDescription"]["fields"]] == ["A", "B"]
            assert ksql.rows("SELECT * FROM r;") == [[1, "x"]]
            assert httpx.get(registry.url + "/subjects").json() == ["sr-value"]
            other = ksql.refused("CREATE STREAM x WITH (kafka_topic='sr', value_format='protobuf');")
            assert "Value schema is not in the expected format" in other["message"]
            ksql.run("DROP STREAM r; DROP STREAM w DELETE TOPIC;")
            assert httpx.get(registry.url + "/subjects").json() == []
            ksql.run("CREATE STREAM w (a INT, b VARCHAR) WITH (kafka_topic='sr', value_format='avro', partitions=1);")
            assert httpx.get(registry.url + "/subjects").json() == ["sr-value"]
            registry.kill()
            started = time.monotonic()
            gone = ksql.refused("CREATE STREAM x (c INT) WITH (kafka_topic='sr2', value_format='avro', partitions=1);")
            assert "cannot be reached" in gone["message"]
            assert ksql.run("SHOW STREAMS;")
            assert time.monotonic() - started < 30
            assert "Traceback" not in ksql.output(), ksql.output()


def test_secrets_are_not_shown_and_not_written_down(cluster: KafkaCluster, tmp_path: Path) -> None:
    secret, schema = "h1dden-s3cret", "value_format='avro', partitions=1"
    with running_service("schema-registry", cluster.bootstrap_servers, tmp_path) as registry:
        addresses = ",".join([registry.url.replace("://", f"://u:{secret}@")] * 2)
        settings = {
            "ksql.schema.registry.url": addresses,
            "ksql.schema.registry.basic.auth.user.info": f"u:{secret}",
            "ksql.connect.url": f"http://u:{secret}@127.0.0.1:1",
            "ksql.streams.sasl.password": secret,
            "ksql.streams.ssl.key.pem": secret,
            "spark.hadoop.fs.azure.account.key.lake.dfs.core.windows.net": secret,
            "ksql.output.topic.name.prefix": "of_",
        }
        with running_ksql(cluster.bootstrap_servers, tmp_path, _named("secret_", **settings)) as ksql:
            ksql.run(f"CREATE STREAM s (id VARCHAR KEY, v BIGINT) WITH (kafka_topic='secret_s', {schema});")
            query_id = created_query(ksql.run("CREATE STREAM x AS SELECT * FROM s;"))
            told = ksql.run(
                "SHOW PROPERTIES; SHOW QUERIES EXTENDED; DESCRIBE x EXTENDED; EXPLAIN SELECT * FROM s EMIT CHANGES;"
                f"EXPLAIN {query_id};"
            )
            assert secret not in json.dumps(told)
            commands = read(cluster.bootstrap_servers, "_confluent-ksql-secret__command_topic")
            (created,) = [each.value for each in commands if query_id.encode() in (each.value or b"")]
            assert created is not None
            assert secret.encode() not in created
            # What the server says of all queries holds all the same.
            assert b'"topic":"of_X"' in created
            assert secret not in ksql.output()


def test_brokers_that_are_gone_are_told_of(tmp_path: Path) -> None:
    with KafkaCluster() as own, running_ksql(own.bootstrap_servers, tmp_path) as ksql:
        ksql.run(TABLE)
        assert ksql.get("/healthcheck").json()["isHealthy"] is True
        own.stop()
        health = ksql.until(lambda: ksql.get("/healthcheck").json(), lambda found: not found["isHealthy"])
        assert health["details"]["kafka"] == {"isHealthy": False}
        ksql.kill()
