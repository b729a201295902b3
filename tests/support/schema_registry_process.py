"""Registries that run: on a thread of the test process, over a cluster of the test kit."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from riacho.schema_registry.config import load_registry_settings
from riacho.schema_registry.run import SchemaRegistry
from riacho.testing import KafkaCluster
from support.web_service import RunningServer, running

T = TypeVar("T")
TIMEOUT_S = 60.0
_LOOK_S = 0.02


class RunningRegistry:
    """Calls as of `RegistryClient`, over the network."""

    def __init__(self, registry: SchemaRegistry, server: RunningServer) -> None:
        self.registry = registry
        self.url = server.urls[0]

    @property
    def is_leader(self) -> bool:
        return self.registry.service.replicated_log.is_leader

    def call(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/vnd.schemaregistry.v1+json", **(headers or {})}
        try:
            with urlopen(Request(self.url + path, data, given, method=method), timeout=TIMEOUT_S) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def get(self, path: str) -> tuple[int, Any]:
        return self.call("GET", path)

    def register(self, subject: str, schema: str) -> int:
        """Until somebody leads."""

        def ask() -> int | None:
            status, answer = self.call("POST", f"/subjects/{subject}/versions", {"schema": schema})
            if status >= 500:
                return None
            assert status == 200, answer
            found: int = answer["id"]
            return found

        return until(ask)


@contextmanager
def running_registry(cluster: KafkaCluster, properties: Mapping[str, str] | None = None) -> Iterator[RunningRegistry]:
    settings = {
        "kafkastore.bootstrap.servers": cluster.bootstrap_servers,
        "listeners": "http://127.0.0.1:0",
        "kafkastore.timeout.ms": str(int(TIMEOUT_S * 1_000)),
        **(properties or {}),
    }
    registry = SchemaRegistry(load_registry_settings(settings))
    # A machine that is busy with other tests may take long to elect somebody.
    registry.service.leader_wait_s = TIMEOUT_S
    served = {name: value for name, value in settings.items() if name.startswith(("listeners", "ssl."))}
    with running(registry.app, served) as server:
        yield RunningRegistry(registry, server)


def until(ask: Callable[[], T | None]) -> T:
    """The first answer that is one; fails after a generous time."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = ask()
        if found:
            return found
        time.sleep(_LOOK_S)
    raise AssertionError("it did not come to that in time")
