"""Queries: rows as they come, in a table that fills the width, until there are no more or somebody ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from riacho.cli.ksql.main import command
from riacho.cli.ksql.tables import RowTable
from support.ksql_fake_server import FakeKsql

QUERY = "SELECT * FROM s EMIT CHANGES LIMIT 2;"
RULE = "+" + "-" * 38 + "+" + "-" * 38 + "+"


def row(first: str, second: str) -> str:
    return f"|{first:38}|{second:38}|"


def test_rows_are_a_table(server: FakeKsql, ksql: Any) -> None:
    server.rows[QUERY] = [[1, "ana"], [None, True], {"finalMessage": "Limit Reached"}]
    result = ksql("-e", QUERY)
    lines = [RULE, row("ID", "NAME"), RULE, row("1", "ana"), row("null", "true"), "Limit Reached", "Query terminated"]
    assert result.output.splitlines() == lines
    assert result.exit_code == 0
    assert server.sent("/query-stream") == [{"sql": QUERY, "properties": {}}]


def test_rows_are_json_where_that_is_asked_for(server: FakeKsql, ksql: Any) -> None:
    server.rows[QUERY] = [[1, "ana"], [2, {"A": [1, None]}]]
    lines = [json.loads(line) for line in ksql("--output", "JSON", "-e", QUERY).output.splitlines()]
    assert lines == [
        {"header": {"queryId": "q-1", "schema": "`ID` INTEGER, `NAME` STRING"}},
        {"row": {"columns": [1, "ana"]}},
        {"row": {"columns": [2, {"A": [1, None]}]}},
    ]


def test_a_query_has_properties_and_variables(server: FakeKsql, ksql: Any) -> None:
    ksql("-e", "SET 'auto.offset.reset'='earliest'; DEFINE s='x'; SELECT * FROM ${s};")
    assert server.sent("/query-stream") == [
        {"sql": "SELECT * FROM x;", "properties": {"auto.offset.reset": "earliest"}}
    ]


def test_a_query_that_is_refused(server: FakeKsql, ksql: Any) -> None:
    server.errors[QUERY] = (400, {"error_code": 40001, "message": "S does not exist.", "statementText": QUERY})
    result = ksql("-e", QUERY)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"S does not exist.\nStatement: {QUERY}\n"


def test_a_query_that_fails_midway(server: FakeKsql, ksql: Any) -> None:
    server.rows[QUERY] = [[1, "ana"], {"@type": "generic_error", "error_code": 50000, "message": "Spark is gone"}]
    result = ksql("-e", QUERY)
    assert result.exit_code == 1
    assert "|ana" in result.stdout
    assert result.stderr == "Spark is gone\n"


def test_a_server_that_goes_midway(server: FakeKsql, ksql: Any) -> None:
    server.rows[QUERY] = [[1, "ana"]]
    server.breaks_off = True
    result = ksql("-e", QUERY)
    assert result.exit_code == 1
    assert "|ana" in result.stdout
    assert result.stderr.startswith(f"{server.url} broke off the connection: ")


def test_a_query_goes_by_the_proxy_that_statements_go_by(server: FakeKsql, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", server.url)
    CliRunner().invoke(command, ["http://ksql.invalid:8088", "-e", QUERY])
    assert [request.path for request in server.requests][-1] == "http://ksql.invalid:8088/query-stream"


def test_rows_are_limited(server: FakeKsql, ksql: Any) -> None:
    server.rows[QUERY] = [[number, "x"] for number in range(9)]
    result = ksql("--query-row-limit", "3", "-e", QUERY)
    assert result.output.endswith("Limit Reached\nQuery terminated\n")
    assert result.output.count("|x ") == 3


def test_a_topic_is_printed(server: FakeKsql, ksql: Any) -> None:
    server.printed = ["Key format: KAFKA_STRING", "rowtime: 1, key: a, value: {}"]
    result = ksql("-e", "PRINT 'orders' FROM BEGINNING LIMIT 1;")
    assert result.output == "Key format: KAFKA_STRING\nrowtime: 1, key: a, value: {}\nTopic printing ceased\n"
    assert server.sent("/query") == [{"ksql": "PRINT 'orders' FROM BEGINNING LIMIT 1;", "streamsProperties": {}}]


def test_ctrl_c_ends_a_query_and_the_program_goes_on(server: FakeKsql) -> None:
    server.is_endless = True
    server.rows["SELECT * FROM s EMIT CHANGES;"] = [[1, "ana"]]
    source = Path(__file__).resolve().parents[4] / "src"
    program = subprocess.Popen(
        [sys.executable, "-m", "riacho", "ksql", server.url, "-e", "SELECT * FROM s EMIT CHANGES; SHOW STREAMS;"],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert server.flowing.wait(60)
        assert program.stdout is not None
        seen = ""
        while "ana" not in seen:
            seen += program.stdout.readline()
        program.send_signal(signal.SIGINT)
        rest, told = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait()
    assert rest.endswith("Query terminated\n")
    assert told == ""
    assert program.returncode == 0
    assert server.sent("/close-query") == [{"queryId": "q-1"}]
    assert server.statement_bodies() == ["SHOW STREAMS;"]


def test_long_values_go_on_below() -> None:
    table = RowTable(["A", "B"], 21)
    assert table.head() == "+---------+---------+\n|A        |B        |\n+---------+---------+"
    assert table.row(["abcdefghijkl", "x\ny"]) == "|abcdefghi|x        |\n|jkl      |y        |"
    assert table.row([None, ""]) == "|null     |         |"


def test_many_columns_keep_a_least_width() -> None:
    assert RowTable([str(n) for n in range(40)], 80).row(["x"] * 40).count("|") == 41
