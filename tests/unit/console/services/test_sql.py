"""SQL by this project's own server (with its fake runner): statements, rows as events, plans, and who may what."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riacho.console.services.sql_text import one_statement, quoted, statements_of
from riacho.testing import KafkaCluster
from riacho.web.errors import ApiError
from support.control_center import CLUSTER, ControlCenterService
from support.ksql_server import KsqlServer

SQL = f"{CLUSTER}/sql"


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def run(console: ControlCenterService, sql: str) -> Any:
    answer = console.post(f"{SQL}/statements", {"sql": sql})
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def query(console: ControlCenterService, sql: str, **properties: str) -> list[tuple[str, Any]]:
    given = {name.replace("_", "."): value for name, value in properties.items()}
    answer = console.post(f"{SQL}/query", {"sql": sql, "properties": given}, accept="text/event-stream")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events(answer.text)


@pytest.fixture(scope="module")
def orders(with_ksql: ControlCenterService) -> str:
    run(with_ksql, """
        CREATE STREAM orders (id VARCHAR KEY, total BIGINT, at STRUCT<city VARCHAR, rows ARRAY<DECIMAL(4, 2)>>)
          WITH (kafka_topic='orders', value_format='json', partitions=1);
        INSERT INTO orders (id, total) VALUES ('a', 1);
        INSERT INTO orders (id, total) VALUES ('b', 9007199254740993);
    """)  # fmt: skip
    return "ORDERS"


def test_what_there_is(with_ksql: ControlCenterService, orders: str) -> None:
    row = next(each for each in with_ksql.get(f"{SQL}/sources").json() if each["name"] == orders)
    assert (row["kind"], row["topic"], row["value_format"]) == ("stream", "orders", "JSON")
    page = with_ksql.get(f"{SQL}/sources/{orders}").json()
    assert page["fields"][:2] == [
        {"name": "ID", "type": "STRING", "is_key": True},
        {"name": "TOTAL", "type": "BIGINT", "is_key": False},
    ]
    assert page["fields"][2]["type"] == "STRUCT<CITY STRING, ROWS ARRAY<DECIMAL(4, 2)>>"
    assert with_ksql.get(f"{SQL}/sources/none%60%3B%20DROP%20STREAM%20orders%3B").status_code == 400
    assert with_ksql.get(f"{SQL}/sources/{orders}").status_code == 200


def test_functions_that_an_editor_offers(with_ksql: ControlCenterService) -> None:
    found = {each["name"]: each["kind"] for each in with_ksql.get(f"{SQL}/functions").json()}
    assert (found["SUBSTRING"], found["COUNT"], found["EXPLODE"]) == ("scalar", "aggregate", "table")
    assert list(found) == sorted(found)


def test_rows_of_a_push_query_come_as_events(with_ksql: ControlCenterService, orders: str) -> None:
    found = query(with_ksql, "SELECT id, total FROM orders EMIT CHANGES LIMIT 2;", auto_offset_reset="earliest")
    name, header = found[0]
    assert (name, [each["name"] for each in header["columns"]]) == ("header", ["ID", "TOTAL"])
    rows = [row for name, data in found if name == "rows" for row in data["rows"]]
    assert rows == [["a", 1], ["b", "9007199254740993"]], "what a browser would round is a text"
    assert found[-1] == ("done", {"rows": 2})


def test_print_answers_lines(with_ksql: ControlCenterService, orders: str) -> None:
    found = query(with_ksql, "PRINT orders FROM BEGINNING LIMIT 2;")
    lines = [line for name, data in found if name == "lines" for line in data["lines"]]
    assert any('"TOTAL":1' in line for line in lines)
    assert found[-1][0] == "done"


def test_a_page_that_leaves_ends_the_query_at_the_server(
    brokers: KafkaCluster, ksql: KsqlServer, orders: str, with_ksql: ControlCenterService
) -> None:
    def open_queries() -> int:
        text = ksql.get("/metrics").text
        return int(
            float(next(line.split()[1] for line in text.splitlines() if line.startswith("riacho_ksql_push_queries ")))
        )

    before = open_queries()
    rows = with_ksql.cluster.services.ksql.rows

    async def first_lines() -> int:
        lines = rows.lines("SELECT * FROM orders EMIT CHANGES;", {"auto.offset.reset": "earliest"}, is_print=False)
        taken = await anext(lines)
        ksql_sees = open_queries()
        await lines.aclose()
        assert taken
        return ksql_sees

    assert with_ksql.thread.run(first_lines()) == before + 1
    ksql.until(open_queries, lambda count: count == before)
    assert not rows._open


def test_refusals_are_problems_in_the_servers_words(with_ksql: ControlCenterService, orders: str) -> None:
    [(name, data)] = query(with_ksql, "SELECT * FROM nothing EMIT CHANGES;")
    assert (name, "NOTHING" in data["message"]) == ("problem", True)
    refused = with_ksql.post(f"{SQL}/statements", {"sql": "CREATE STREAM x;"})
    assert refused.status_code == 400
    assert refused.json()["message"]


def test_queries_plans_and_terminating(with_ksql: ControlCenterService, ksql: KsqlServer, orders: str) -> None:
    [made] = run(with_ksql, "CREATE STREAM big AS SELECT * FROM orders WHERE total > 5;")
    query_id = made["commandStatus"]["queryId"]
    ksql.until_state(query_id, "RUNNING")
    row = next(each for each in with_ksql.get(f"{SQL}/queries").json() if each["id"] == query_id)
    assert (row["sources"], row["sinks"]) == (["ORDERS"], ["BIG"])
    assert (row["state_rows"], row["state_bytes"], row["spark_ui"]) == (5, 8192, "http://127.0.0.1:40404")
    assert _pipeline(with_ksql, query_id)["state_bytes"] == 8192
    plan = with_ksql.get(f"{SQL}/queries/{query_id}").json()
    assert plan["plan"]
    shown = with_ksql.get(f"{CLUSTER}/pipelines").json()
    assert [each["kind"] for each in shown["items"] if each["name"] == query_id] == ["query"]
    explained = with_ksql.post(f"{SQL}/explain", {"sql": "SELECT id FROM orders EMIT CHANGES -- why\n"}).json()
    assert explained["plan"]
    assert with_ksql.get(f"{SQL}/queries/none").status_code == 404
    run(with_ksql, f"TERMINATE {query_id};")
    assert query_id not in [each["id"] for each in with_ksql.get(f"{SQL}/queries").json()]


@pytest.mark.parametrize("path", ["explain", "query"])
def test_what_only_asks_cannot_change(with_ksql: ControlCenterService, orders: str, path: str) -> None:
    for sql in (
        "SELECT * FROM orders; DROP STREAM orders;",
        "SELECT '--' FROM orders; DROP STREAM orders;",
        "SELECT 1 /* ; */ ; /* */ DROP STREAM orders;",
    ):
        answer = with_ksql.post(f"{SQL}/{path}", {"sql": sql})
        assert (answer.status_code, answer.json()["error_code"]) == (400, 40021)
    hidden = with_ksql.post(f"{SQL}/{path}", {"sql": "SELECT 1 -- \r ' \n; DROP STREAM orders; '"})
    assert hidden.status_code == 400
    assert with_ksql.post(f"{SQL}/query", {"sql": "DROP STREAM orders;"}).json()["error_code"] == 40023
    assert with_ksql.get(f"{SQL}/sources/{orders}").status_code == 200


def test_literals_do_not_get_into_the_audit_log(with_ksql: ControlCenterService, orders: str) -> None:
    run(with_ksql, "INSERT INTO orders (id, total) VALUES ('my-secret', 3); -- my-comment")
    entry = with_ksql.get("/api/v1/audit").json()["items"][0]
    assert entry["notes"]["sql"] == "INSERT INTO orders (id, total) VALUES ('…', 3)"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE SOURCE CONNECTOR x WITH ('a'='b');",
        "create /* */ sink connector if not exists x with ();",
        "DROP CONNECTOR x;",
        "DROP STREAM x DELETE -- a\n TOPIC;",
        "ALTER SYSTEM 'a'='b';",
        "DEFINE a = 'b'; CREATE SOURCE ${a} x;",
    ],
)
def test_what_admins_alone_may_send(sql: str) -> None:
    assert any(each.needs_admin for each in statements_of(sql))


def test_what_operators_may_send() -> None:
    for sql in ("CREATE TABLE t AS SELECT 'DELETE TOPIC' FROM s;", "DROP STREAM s;", "TERMINATE ALL;", "SHOW STREAMS"):
        assert not one_statement(sql).needs_admin


@pytest.mark.parametrize(
    ("sql", "count"),
    [("SELECT 1", 1), ("a; b ;; ; c", 3), ("a ';' \";\" `;` -- ;\n /* ; */ b;", 1), ("a 'it''s; x'; b", 2)],
)
def test_where_statements_end(sql: str, count: int) -> None:
    assert len(statements_of(sql)) == count


@pytest.mark.parametrize("sql", ["", " ; -- x", "SELECT 'open", "a /* open", 'a "open', "a `open", "x" * 300_000])
def test_what_is_no_sql(sql: str) -> None:
    with pytest.raises(ApiError):
        statements_of(sql)


def test_a_name_is_quoted() -> None:
    assert quoted("a`b") == "`a``b`"


def test_a_role_from_which_fields_are_hidden_gets_no_rows(brokers: KafkaCluster, ksql: KsqlServer) -> None:
    properties = {"ksql.url": ksql.url, "masking.rules": "a", "masking.a.field": "$.card"}
    console = ControlCenterService(brokers.bootstrap_servers, properties)
    try:
        for path in ("query", "statements", "explain"):
            answer = console.post(f"{SQL}/{path}", {"sql": "SELECT * FROM orders;"})
            assert (answer.status_code, answer.json()["error_code"]) == (403, 40305)
    finally:
        console.stop()


def test_so_many_queries_and_no_more(with_ksql: ControlCenterService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riacho.console.services.ksql_rows.QUERIES_MAX", 0)
    [(name, data)] = query(with_ksql, "SELECT * FROM orders EMIT CHANGES;")
    assert (name, data["message"]) == ("problem", "0 queries are open in the console already; close one.")


def _pipeline(console: ControlCenterService, query_id: str) -> dict[str, Any]:
    items = console.get(f"{CLUSTER}/pipelines").json()["items"]
    return next(each for each in items if each["name"] == query_id)
