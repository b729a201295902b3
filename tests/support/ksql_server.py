"""A KSQL server as a process of its own, with the fake runner: no Spark, no JVM.

with running_ksql(cluster.bootstrap_servers, tmp_path) as ksql:
    ksql.run("CREATE STREAM s (id VARCHAR KEY) WITH (kafka_topic='s', value_format='json', partitions=1);")
    header, *rows = ksql.query("SELECT * FROM t;")
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from support.service_process import ServiceProcess

TIMEOUT_S = 60.0
_POLL_S = 0.02
_HERE = Path(__file__).parent


def fake_settings(directory: Path) -> dict[str, str]:
    return {
        "riacho.runner.command": f"{sys.executable},{_HERE / 'ksql_fake_runner.py'}",
        "ksql.state.dir": str(directory / "state"),
    }


class KsqlCalls:
    """Calls of the API at a URL."""

    def __init__(self, url: str) -> None:
        self.url = url

    def post(self, path: str, body: object, **more: Any) -> httpx.Response:
        return httpx.post(self.url + path, json=body, timeout=TIMEOUT_S, **more)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, timeout=TIMEOUT_S)

    def statement(self, text: str, **properties: Any) -> tuple[int, Any]:
        """Underscores in names of properties are dots."""
        given = {name.replace("_", "."): value for name, value in properties.items()}
        answer = self.post("/ksql", {"ksql": text, "streamsProperties": given})
        return answer.status_code, answer.json()

    def run(self, text: str, **properties: Any) -> list[Any]:
        """Fails the test where it is refused."""
        status, answer = self.statement(text, **properties)
        assert status == 200, answer
        assert isinstance(answer, list)
        return answer

    def refused(self, text: str, **properties: Any) -> dict[str, Any]:
        status, answer = self.statement(text, **properties)
        assert status >= 400, answer
        assert isinstance(answer, dict)
        return answer

    def query(self, text: str, **properties: Any) -> list[Any]:
        """Header and rows of /query-stream. Fails the test where it is refused."""
        given = {name.replace("_", "."): value for name, value in properties.items()}
        answer = self.post("/query-stream", {"sql": text, "properties": given})
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def rows(self, text: str, **properties: Any) -> list[Any]:
        return self.query(text, **properties)[1:]

    def query_error(self, text: str, path: str = "/query-stream", **properties: Any) -> tuple[int, dict[str, Any]]:
        given = {name.replace("_", "."): value for name, value in properties.items()}
        answer = self.post(path, {"sql": text, "ksql": text, "properties": given, "streamsProperties": given})
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()

    def queries(self) -> dict[str, dict[str, Any]]:
        """What SHOW QUERIES EXTENDED tells, by id."""
        (answer,) = self.run("SHOW QUERIES EXTENDED;")
        return {each["id"]: each for each in answer["queryDescriptions"]}

    def until_state(self, query_id: str, state: str) -> dict[str, Any]:
        found: dict[str, Any] = self.until(
            lambda: self.queries().get(query_id, {}), lambda each: each.get("state") == state
        )
        return found

    def until(self, ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            found = ask()
            if holds(found):
                return found
            assert time.monotonic() < deadline, f"still {found}"
            time.sleep(_POLL_S)


class KsqlServer(ServiceProcess, KsqlCalls):
    def __init__(self, bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        super().__init__("ksqldb-server", bootstrap, directory, {**fake_settings(directory), **(properties or {})})


@contextmanager
def running_ksql(bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None) -> Iterator[KsqlServer]:
    server = KsqlServer(bootstrap, directory, properties)
    try:
        server.start()
        yield server
    finally:
        if server.process is not None and server.is_running:
            server.resume()
            server.stop()


def created_query(answers: list[Any]) -> str:
    """The id of the query that the last statement has started."""
    query_id = answers[-1]["commandStatus"]["queryId"]
    assert isinstance(query_id, str)
    return query_id
