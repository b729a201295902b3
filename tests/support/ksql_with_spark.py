"""A KSQL server with the runner that everybody has: statements that Spark runs, and a runner that can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx

from support.service_process import ServiceProcess

NAME = "ksqldb-server"
TIMEOUT_S = 240.0
_POLL_S = 0.1
_RUNNER = re.compile(r"runner started session=shared pid=(\d+)")
T = TypeVar("T")


class KsqlServer(ServiceProcess):
    def __init__(self, bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        own = {"ksql.state.dir": str(directory / "state"), "spark.master": "local[2]"}
        super().__init__(NAME, bootstrap, directory, own | dict(properties or {}))

    def execute(self, text: str, properties: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """The answers of statements; AssertionError with the error's body."""
        body = {"ksql": text, "streamsProperties": dict(properties or {})}
        answer = httpx.post(f"{self.url}/ksql", json=body, timeout=60)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found

    def execute_until_done(self, text: str, properties: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """Again where the server or the brokers are not back yet."""

        def attempt() -> list[dict[str, Any]] | None:
            try:
                return self.execute(text, properties)
            except (httpx.HTTPError, AssertionError) as error:
                self._last_refusal = str(error)
                return None

        return until(attempt, lambda: f"'{text}' was not taken: {getattr(self, '_last_refusal', '')}")

    def select(self, text: str, properties: Mapping[str, object] | None = None) -> list[Any]:
        """The rows of a query that ends."""
        body = {"sql": text, "properties": dict(properties or {})}
        answer = httpx.post(f"{self.url}/query-stream", json=body, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        lines = [json.loads(line) for line in answer.text.splitlines() if line]
        assert all(isinstance(line, list) for line in lines[1:]), lines[-1]
        return lines[1:]

    def states(self) -> dict[str, str]:
        return {each["id"]: each["state"] for each in self.execute("SHOW QUERIES;")[0]["queries"]}

    def until_running(self) -> None:
        until(lambda: set(self.states().values()) <= {"RUNNING"} or None, lambda: f"{self.states()}\n{self.output()}")

    @property
    def runner_pid(self) -> int | None:
        """Of the runner that was started last, which leads its process group; None where there is none any more."""
        found = _RUNNER.findall(self.output())
        if not found:
            return None
        pid = int(found[-1])
        return pid if Path(f"/proc/{pid}").exists() else None

    def kill_runner(self) -> bool:
        """The Spark driver, its JVM and its workers; False where there was none."""
        pid = self.runner_pid
        if pid is None:
            return False
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        return True


def until(look: Callable[[], T | None], problem: Callable[[], str], timeout_s: float = TIMEOUT_S) -> T:
    deadline = time.monotonic() + timeout_s
    while True:
        found = look()
        if found is not None:
            return found
        assert time.monotonic() < deadline, problem()
        time.sleep(_POLL_S)
