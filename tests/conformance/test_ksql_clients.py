"""Clients of ksqlDB that nobody here wrote: PyPI's ksqldb and ksql, npm's ksqldb-client, curl, websockets; and our own
command line. What needs Spark is not asked for: the runner is a fake."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from ksqldb import KSQLdbClient
from websockets.asyncio.client import connect

from conformance import checks_program, node_packages
from conformance.running_broker import kinds, run
from e2e.shell import Shell
from e2e.terminal import Terminal
from support.ksql_server import KsqlServer, running_ksql

SCRIPTS = Path(__file__).with_name("node_ksql")
PATTERN = r"^  (\w+): async \(\) =>"
INSTALL_S = 120.0
SETUP = (
    "CREATE TABLE t (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='t', value_format='json', partitions=2);"
    "INSERT INTO t VALUES ('a', 1); INSERT INTO t VALUES ('b', 2);"
)
EARLIEST = {"auto.offset.reset": "earliest"}
pytestmark = pytest.mark.timeout(node_packages.INSTALL_S + 180)


@pytest.fixture(scope="module", params=kinds())
def ksql(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KsqlServer]:
    directory = tmp_path_factory.mktemp("ksql-clients")
    with run(request.param, directory / "broker") as broker, running_ksql(broker.bootstrap, directory) as server:
        server.run(SETUP)
        yield server
        assert "Traceback" not in server.output(), server.output()


def test_ksqldb_from_pypi(ksql: KsqlServer) -> None:
    client = KSQLdbClient(ksql.url)
    assert {"name": "T", "type": "TABLE"}.items() <= client.ksql("SHOW TABLES;")[0]["tables"][0].items()
    assert any(each["name"] == "bootstrap.servers" for each in client.get_properties())
    header, *rows = client.query_sync("SELECT id, v FROM t WHERE id = 'a';")
    assert (header["columnNames"], rows) == (["ID", "V"], [["a", 1]])
    acks = client.inserts_stream("t", [{"ID": "c", "V": 3}, {"ID": "d", "V": "x"}])
    assert [each["status"] for each in acks] == ["ok", "error"]

    async def pushed() -> list[Any]:
        query = client.query_async("SELECT id, v FROM t EMIT CHANGES LIMIT 3;", EARLIEST, timeout=30)
        return [each async for each in query]

    header, *rows = asyncio.run(pushed())
    assert header["queryId"].startswith("transient_T_")
    assert len(rows) == 3
    assert client.close_query("nobody") is False


def _ksql_package() -> Path:
    """Installed once, without what it wants to build itself with: its setup imports pip."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riacho"
    target = home / "pypi-ksql-0.10.2"
    if not target.exists():
        home.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=home))
        words = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
        done = subprocess.run(
            [*words, "--target", str(scratch), "ksql==0.10.2", "six"],
            capture_output=True, text=True, timeout=INSTALL_S, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            shutil.rmtree(scratch)
            pytest.skip(f"no ksql here: pip install failed: {done.stderr[-300:]}")
        try:
            scratch.rename(target)
        except OSError:  # somebody else was first
            shutil.rmtree(scratch)
    return target


def test_ksql_from_pypi(ksql: KsqlServer) -> None:
    script = Path(__file__).with_name("ksql_package_checks.py")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), ksql.url],
        env={**os.environ, "PYTHONPATH": str(_ksql_package())},
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        "version", "statements", "properties", "create_stream", "pull", "push", "refusal", "close",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def node_outcome(ksql: KsqlServer) -> dict[str, str]:
    words = node_packages.program(SCRIPTS, "ksql-clients", "ksqldb_client_checks.js", "127.0.0.1", str(ksql.port))
    return checks_program.run(words, timeout_s=90)


@pytest.mark.parametrize("check", checks_program.names(SCRIPTS / "ksqldb_client_checks.js", PATTERN))
def test_ksqldb_client_from_npm(node_outcome: dict[str, str], check: str) -> None:
    checks_program.verdict(node_outcome, check)


@pytest.mark.parametrize("protocol", ["--http1.1", "--http2-prior-knowledge", "--http2"])
def test_curl(ksql: KsqlServer, protocol: str) -> None:
    curl = shutil.which("curl")
    if curl is None or "HTTP2" not in subprocess.run([curl, "-V"], capture_output=True, text=True, check=True).stdout:
        pytest.skip("no curl here that speaks HTTP/2")

    def post(path: str, body: str, *more: str) -> str:
        words = [curl, "-sS", protocol, "-X", "POST", ksql.url + path, "--data-binary", "@-", *more]
        return subprocess.run(words, input=body, capture_output=True, text=True, timeout=60, check=True).stdout

    json_type = ("-H", "Content-Type: application/vnd.ksql.v1+json; charset=utf-8")
    (answer,) = json.loads(post("/ksql", '{"ksql": "LIST TABLES;", "streamsProperties": {}}', *json_type))
    assert answer["@type"] == "tables"
    rows = post("/query-stream", '{"sql": "SELECT v FROM t WHERE id = \'b\';"}').splitlines()
    assert rows[1:] == ["[2]"]
    pushed = json.dumps({"sql": "SELECT v FROM t EMIT CHANGES LIMIT 2;", "properties": EARLIEST})
    assert len(post("/query-stream", pushed, *json_type).splitlines()) == 3
    older = json.loads(post("/query", '{"ksql": "SELECT v FROM t WHERE id = \'b\';"}', *json_type))
    assert older[1] == {"row": {"columns": [2]}}
    acks = post("/inserts-stream", '{"target": "t"}\n{"ID": "curl", "V": 7}\n')
    assert json.loads(acks) == {"status": "ok", "seq": 0}


def test_websockets(ksql: KsqlServer) -> None:
    request = quote(json.dumps({"ksql": "SELECT v FROM t EMIT CHANGES LIMIT 2;", "streamsProperties": EARLIEST}))

    async def talk() -> list[Any]:
        async with connect(f"{ksql.url.replace('http', 'ws')}/ws/query?request={request}") as socket:
            return [json.loads(message) async for message in socket]

    schema, *rows = asyncio.run(talk())
    assert (schema[0]["name"], len(rows)) == ("V", 2)


def test_our_own_command_line(ksql: KsqlServer, tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(
        "CREATE STREAM IF NOT EXISTS cli (id VARCHAR KEY, v INT)\n"
        "  WITH (kafka_topic='cli', value_format='json', partitions=1);\n"
        "INSERT INTO cli VALUES ('x', 5); -- a comment\nSELECT v FROM cli;\n"
    )
    words = [sys.executable, "-m", "riacho", "ksql"]

    def cli(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*words, *more, ksql.url], capture_output=True, text=True, timeout=90, check=False)

    from_file = cli("-f", str(script))
    assert from_file.returncode == 0, from_file.stdout + from_file.stderr
    assert "5" in from_file.stdout
    one = cli("-e", "SELECT v FROM t WHERE id = 'a';")
    assert one.returncode == 0, one.stderr
    assert "1" in one.stdout
    refused = cli("-e", "SELECT nope FROM t;")
    assert refused.returncode != 0
    assert "NOPE" in refused.stdout + refused.stderr
    assert "Traceback" not in refused.stderr


def test_sql_in_our_own_shell(ksql: KsqlServer, tmp_path: Path) -> None:
    """Its SQL mode shows rows, and completes what the server has."""
    ksql.run("CREATE STREAM kept_orders (v INT) WITH (kafka_topic='kept', value_format='json', partitions=1);")
    shell = Shell(tmp_path, {"TERM": "xterm", "RIACHO_KSQL_URL": ksql.url, "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"})
    with Terminal(shell.command("shell"), shell.environment) as terminal:
        terminal.wait_for("127.0.0.1:1>")
        terminal.write("SELECT id, v FROM t WHERE id = 'b';\r")
        terminal.wait_for(r"\|b +\|2 +\|")
        terminal.wait_for("127.0.0.1:1>")
        terminal.write("sql\r")
        terminal.wait_for("127.0.0.1:1 sql>")
        terminal.write("DESCRIBE kept")
        terminal.wait_for("kept_orders +stream on kept")
        terminal.write("\t;\r")
        terminal.wait_for(r"Name +: KEPT_ORDERS")
        terminal.wait_for(r"V +\| INTEGER")
        terminal.wait_for("127.0.0.1:1 sql>")
        terminal.write("SET 'auto.offset.reset'='earliest';\r")
        terminal.wait_for("127.0.0.1:1 sql>")
        terminal.write("SELECT id, v\r FROM t EMIT CHANGES LIMIT 2;\r")
        terminal.wait_for(r"\|[ab] +\|[12] +\|[^|]*\|[ab] +\|[12] +\|")
        terminal.wait_for(r"\nQuery terminated\r\n")
        terminal.write("nonsense;\r")
        terminal.wait_for("line 1:1: ")
        terminal.write("exit\r")
        terminal.wait_for("127.0.0.1:1>")
        terminal.write("exit\r")
        assert terminal.wait_for_exit() == 0
    assert "V" in shell.run("shell", "-c", "SELECT * FROM t WHERE id = 'a';")
