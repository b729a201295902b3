"""POST /ksql: answers, error envelopes, statuses, sequence numbers, what a request may set."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from support.ksql_server import KsqlServer, created_query
from support.topic_records import read


def test_a_definition_has_a_status_that_can_be_asked_for(ksql: KsqlServer) -> None:
    (answer,) = ksql.run("CREATE STREAM st (k INT KEY) WITH (kafka_topic='st', value_format='json', partitions=1);")
    assert answer["@type"] == "currentStatus"
    assert answer["commandId"] == "stream/`ST`/create"
    assert answer["commandStatus"] == {"status": "SUCCESS", "message": "Stream created", "queryId": None}
    assert isinstance(answer["commandSequenceNumber"], int)
    found = ksql.get("/status/stream/%60ST%60/create").json()
    assert found == {"status": "SUCCESS", "message": "Stream created", "queryId": None}
    assert ksql.get("/status").json()["commandStatuses"]["stream/`ST`/create"] == "SUCCESS"
    missing = ksql.get("/status/stream/NOPE/create")
    assert (missing.status_code, missing.json()["error_code"]) == (404, 40400)


def test_a_statement_that_fails_tells_its_text_and_what_was_done_before(ksql: KsqlServer) -> None:
    status, answer = ksql.statement(
        "CREATE STREAM before1 (k INT KEY) WITH (kafka_topic='before1', value_format='json', partitions=1); SELEC 1;"
    )
    assert status == 400
    assert (answer["@type"], answer["error_code"], answer["statementText"]) == ("statement_error", 40001, "SELEC 1;")
    assert [each["commandId"] for each in answer["entities"]] == ["stream/`BEFORE1`/create"]
    assert answer["message"].startswith("line 1:1: ")


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("", 40001, "No statements"),
        ("SELECT * FROM users;", 40002, "/query"),
        ("PRINT users;", 40002, "/query"),
        ("DESCRIBE nope;", 40001, "Could not find STREAM/TABLE 'NOPE'"),
        ("TERMINATE nope;", 40001, "Unknown queryId: NOPE"),
        ("CREATE STREAM s (k INT KEY) WITH (kafka_topic='s', value_format='json');", 40001, "already exists"),
        ("CREATE STREAM x (k INT KEY) WITH (kafka_topic='never', value_format='json');", 40001, "never"),
        ("CREATE STREAM x WITH (kafka_topic='s', value_format='avro');", 42801, "ksql.schema.registry.url"),
        ("CREATE STREAM x (a INT) WITH (kafka_topic='s', value_format='avro');", 42801, "ksql.schema.registry.url"),
        ("CREATE STREAM x (a INT) WITH (kafka_topic='s', value_format='nonsense');", 40001, "Unknown format"),
        ("ASSERT TOPIC nope TIMEOUT 1 SECONDS;", 41700, "does not exist"),
        ("RUN SCRIPT '/etc/passwd';", 40001, "command line"),
        ("ALTER SYSTEM 'spark.master'='x';", 40001, "server's own settings"),
        ("SHOW CONNECTORS;", 40001, "ksql.connect.url"),
        ("INSERT INTO users (name) VALUES ('x');", 40001, "ID"),
    ],
)
def test_refusals_have_ksqldbs_codes(ksql: KsqlServer, text: str, code: int, part: str) -> None:
    status, answer = ksql.statement(text)
    assert (status, answer["error_code"]) == (code // 100, code), answer
    assert answer["@type"] == "statement_error"
    assert part in answer["message"]


@pytest.mark.parametrize("name", ["bootstrap.servers", "ksql.extension.modules", "sasl.jaas.config", "spark.master"])
@pytest.mark.parametrize("path", ["/ksql", "/query", "/query-stream"])
def test_no_request_sets_what_is_the_operators(ksql: KsqlServer, name: str, path: str) -> None:
    given = {name: "x"}
    answer = ksql.post(
        path, {"ksql": "SHOW STREAMS;", "sql": "SHOW STREAMS;", "streamsProperties": given, "properties": given}
    )
    assert answer.status_code == 400
    assert f"Cannot override property '{name}'" in answer.json()["message"]
    assert ksql.refused(f"SET '{name}'='x';")["error_code"] == 40001
    assert ksql.get(f"/is_valid_property/{name}").status_code == 400
    assert ksql.get("/is_valid_property/auto.offset.reset").json() is True


def test_show_properties_hides_secrets(ksql: KsqlServer) -> None:
    (answer,) = ksql.run("SET 'auto.offset.reset'='earliest'; SHOW PROPERTIES;")[1:]
    shown = {each["name"]: each for each in answer["properties"]}
    assert shown["auto.offset.reset"]["value"] == "earliest"
    assert answer["overwrittenProperties"] == ["auto.offset.reset"]
    assert "bootstrap.servers" in shown


def test_a_sequence_number_is_waited_for(ksql: KsqlServer) -> None:
    (answer,) = ksql.run("CREATE TYPE waited AS STRUCT<a INT>;")
    number = answer["commandSequenceNumber"]
    assert ksql.post("/ksql", {"ksql": "SHOW TYPES;", "commandSequenceNumber": number}).status_code == 200
    started = time.monotonic()
    late = ksql.post("/ksql", {"ksql": "SHOW TYPES;", "commandSequenceNumber": number + 1})
    assert (late.status_code, late.json()["error_code"]) == (503, 50300)
    assert f"command sequence number: {number + 1}" in late.json()["message"]
    assert time.monotonic() - started >= 4.9


def test_of_two_that_define_the_same_at_once_one_is_refused(ksql: KsqlServer) -> None:
    text = "CREATE STREAM twice (k INT KEY) WITH (kafka_topic='twice', value_format='json', partitions=1);"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ksql.statement(text), range(8)))
    assert sorted(status for status, _ in answers) == [200] + [400] * 7
    assert all("already exists" in answer["message"] for status, answer in answers if status == 400)


def test_the_command_topic_has_the_requests_properties_and_no_others(ksql: KsqlServer, cluster: Any) -> None:
    ksql.run("CREATE STREAM props AS SELECT * FROM s;", auto_offset_reset="earliest")
    records = read(cluster.bootstrap_servers, "_confluent-ksql-default__command_topic")
    commands = [json.loads(each.value) for each in records if each.value]
    (mine,) = [each for each in commands if each.get("command_id") == "stream/`PROPS`/create"]
    assert mine["properties"] == {"auto.offset.reset": "earliest"}


def test_a_query_runs_pauses_and_ends(ksql: KsqlServer) -> None:
    query_id = created_query(ksql.run("CREATE STREAM running AS SELECT * FROM s WHERE v > 5;"))
    described = ksql.until_state(query_id, "RUNNING")
    assert (described["sources"], described["sinks"]) == (["S"], ["RUNNING"])
    ksql.run(f"PAUSE {query_id};")
    ksql.until_state(query_id, "PAUSED")
    ksql.run(f"RESUME {query_id};")
    ksql.until_state(query_id, "RUNNING")
    assert f'riacho_ksql_query_rows_total{{query="{query_id}"}} 7' in ksql.until(
        lambda: ksql.get("/metrics").text, lambda text: f'rows_total{{query="{query_id}"' in text
    )
    assert "RUNNING" in ksql.refused("DROP STREAM s;")["message"]
    ksql.run(f"TERMINATE {query_id}; DROP STREAM running DELETE TOPIC;")
    assert query_id not in ksql.queries()


def test_a_query_that_failed_says_so_with_its_reason(ksql: KsqlServer) -> None:
    query_id = created_query(ksql.run("CREATE STREAM fails_for_good AS SELECT * FROM s;"))
    described = ksql.until_state(query_id, "ERROR")
    assert [each["errorMessage"] for each in described["queryErrors"]] == ["It cannot be done."]
    (listed,) = ksql.run("SHOW QUERIES;")
    assert {"ERROR": 1} in [each["statusCount"] for each in listed["queries"]]
    ksql.run(f"TERMINATE {query_id};")


def test_terminate_ends_all_queries_and_deletes_the_topics_that_are_named(ksql: KsqlServer) -> None:
    ksql.run("CREATE STREAM doomed1 AS SELECT * FROM s; CREATE STREAM doomed2 AS SELECT * FROM s;")
    answer = ksql.post("/ksql/terminate", {"deleteTopicList": ["DOOMED.*", "users"]})
    assert answer.status_code == 200
    assert ksql.queries() == {}
    (topics,) = ksql.run("SHOW TOPICS;")
    names = {each["name"] for each in topics["topics"]}
    assert not {"DOOMED1", "DOOMED2"} & names
    assert "users" in names
    ksql.run("DROP STREAM doomed1; DROP STREAM doomed2;")


def test_what_it_is_and_whether_it_is_well(ksql: KsqlServer) -> None:
    info = ksql.get("/info").json()["KsqlServerInfo"]
    assert info["ksqlServiceId"] == "default_"
    assert info["kafkaClusterId"]
    assert info["serverStatus"] == "RUNNING"
    assert httpx.get(ksql.url + "/", follow_redirects=False).headers["location"] == "/info"
    health = ksql.get("/healthcheck").json()
    assert health["isHealthy"] is True
    assert set(health["details"]) == {"metastore", "kafka", "commandRunner"}
    own = ksql.url.partition("://")[2]
    cluster = ksql.get("/clusterStatus").json()["clusterStatus"]
    assert list(cluster) == [own]
    assert cluster[own]["lastStatusUpdateMs"] > 0
    assert ksql.get("/v1/metadata/id").json()["scope"]["clusters"]["ksql-cluster"] == "default_"
    assert (ksql.get("/chc/ready").status_code, ksql.get("/chc/live").status_code) == (200, 200)


def test_bodies_that_are_no_requests(ksql: KsqlServer) -> None:
    for body in (b"", b"{", b"[]", b'{"ksql": 7}', b"\xff", b"[" * 10_000):
        answer = httpx.post(ksql.url + "/ksql", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), (body, answer.text)
        assert answer.json()["@type"] == "generic_error"
    assert ksql.get("/nope").json()["error_code"] == 40400
    assert httpx.get(ksql.url + "/ksql").json()["error_code"] == 40500


def test_variables(ksql: KsqlServer) -> None:
    answers = ksql.run("DEFINE name = 'users'; DESCRIBE ${name}; SHOW VARIABLES;")
    assert answers[0]["sourceDescription"]["name"] == "USERS"
    assert answers[1]["variables"] == [{"name": "name", "value": "users"}]


def test_a_long_statement_holds_up_nobody(ksql: KsqlServer) -> None:
    long = (
        "SELECT * FROM s WHERE v IN (" + ", ".join(str(number) for number in range(90_000)) + ") EMIT CHANGES LIMIT 0;"
    )
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(ksql.post, "/ksql", {"ksql": long})
        waits = []
        while not slow.done():
            started = time.monotonic()
            assert ksql.get("/chc/live").status_code == 200
            waits.append(time.monotonic() - started)
        assert slow.result().status_code == 400
    assert max(waits) < 1.0


def test_a_body_as_curl_sends_it_is_taken_but_not_from_another_sites_page(ksql: KsqlServer) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    taken = httpx.post(ksql.url + "/ksql", content=b'{"ksql": "SHOW TABLES;"}', headers=form)
    assert (taken.status_code, taken.json()[0]["@type"]) == (200, "tables")
    foreign = form | {"origin": "http://elsewhere.example"}
    assert httpx.post(ksql.url + "/ksql", content=b'{"ksql": "SHOW TABLES;"}', headers=foreign).status_code == 403


def test_aggregates_are_listed_and_described_with_the_other_functions(ksql: KsqlServer) -> None:
    (listed,) = ksql.run("SHOW FUNCTIONS;")
    kinds = {each["name"]: each["type"] for each in listed["functions"]}
    assert (kinds["COUNT"], kinds["EXPLODE"], kinds["UCASE"]) == ("AGGREGATE", "TABLE", "SCALAR")
    (described,) = ksql.run("DESCRIBE FUNCTION topk;")
    assert (described["name"], described["type"]) == ("TOPK", "AGGREGATE")
