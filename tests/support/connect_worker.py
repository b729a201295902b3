"""A Connect worker as a process of its own, with the fake runner and the fake plugins: no Spark, no JVM.

with running_connect(cluster.bootstrap_servers, tmp_path) as connect:
    connect.create("a", topic="t")
    connect.until_state("a", "RUNNING")
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from support.connect_fake_plugins import SINK, SOURCE
from support.service_process import ServiceProcess

TIMEOUT_S = 60.0
_POLL_S = 0.02
_HERE = Path(__file__).parent


def fake_settings(directory: Path) -> dict[str, str]:
    """Settings of a worker whose connectors are fakes; its checkpoints are under `directory`."""
    return {
        "riacho.runner.command": f"{sys.executable},{_HERE / 'connect_fake_runner.py'}",
        "riacho.catalog.command": f"{sys.executable},{_HERE / 'connect_fake_plugins.py'}",
        "checkpoint.location": str(directory / "checkpoints"),
    }


class ConnectCalls:
    """Calls of the API at a URL, answered as (status, JSON)."""

    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, sent, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def get(self, path: str) -> tuple[int, Any]:
        return self.call("GET", path)

    def create(self, name: str, kind: str = SOURCE, **config: str) -> Any:
        """Underscores in names of settings are dots. Fails the test when it is refused."""
        given = {key.replace("_", "."): value for key, value in config.items()}
        if kind == SINK:
            given.setdefault("topics", "t")
        else:
            given.setdefault("topic", "t")
        status, answer = self.call("POST", "/connectors", {"name": name, "config": {"connector.class": kind, **given}})
        assert status == 201, answer
        return answer

    def status(self, name: str) -> Any:
        return self.get(f"/connectors/{quote(name, safe='')}/status")[1]

    def until_state(self, name: str, state: str) -> Any:
        return self.until(lambda: self.status(name), lambda found: found.get("connector", {}).get("state") == state)

    def until(self, ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                found = ask()
                if holds(found):
                    return found
            except (urllib.error.URLError, OSError) as error:
                found = error
            assert time.monotonic() < deadline, f"still {found}"
            time.sleep(_POLL_S)


class ConnectWorker(ServiceProcess, ConnectCalls):
    def __init__(self, bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        super().__init__("connect", bootstrap, directory, {**fake_settings(directory), **(properties or {})})


@contextmanager
def running_connect(
    bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None
) -> Iterator[ConnectWorker]:
    worker = ConnectWorker(bootstrap, directory, properties)
    try:
        worker.start()
        yield worker
    finally:
        if worker.process is not None and worker.is_running:
            worker.stop()


def topics_named(prefix: str) -> dict[str, str]:
    """A cluster of workers of its own on shared brokers."""
    return {
        "group.id": prefix,
        "config.storage.topic": f"{prefix}-configs",
        "offset.storage.topic": f"{prefix}-offsets",
        "status.storage.topic": f"{prefix}-status",
        "offset.storage.partitions": "3",
    }
