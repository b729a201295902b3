"""The whole control center, as `service.py` puts it together, on an event loop in a thread of its own.

`get` and the like are a browser's calls: with the token that changes have to carry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.config import load_console_settings
from riacho.console.service import ControlCenter
from support.rest_proxy_world import TIMEOUT_S, LoopThread

HOST = "127.0.0.1:9021"
CLUSTER = "/api/v1/clusters/default"


class ControlCenterService:
    def __init__(self, bootstrap_servers: str, properties: Mapping[str, str] | None = None) -> None:
        self.thread = LoopThread()
        own = {"bootstrap.servers": bootstrap_servers, "riacho.console.refresh.ms": "600000"}
        self.thread.run(self._start(own | dict(properties or {})))
        self.csrf = self.get("/api/v1/me").json()["csrf"]

    async def _start(self, properties: Mapping[str, str]) -> None:
        self.center = ControlCenter(load_console_settings(properties))
        await self.center.app.start(())
        transport = httpx.ASGITransport(self.center.app)
        self.client = httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}", timeout=TIMEOUT_S)

    def stop(self) -> None:
        async def stop() -> None:
            await self.client.aclose()
            await self.center.app.stop()

        self.thread.run(stop())
        self.thread.stop()

    @property
    def cluster(self) -> ConsoleCluster:
        return next(iter(self.center.parts.clusters))

    def look(self) -> None:
        """A look at each cluster that begins now has ended."""
        for each in self.center.parts.clusters:
            self.thread.run(each.watch.seen())

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """`body` is made JSON unless it is bytes. Header names have underscores for dashes; empty ones are left out."""
        sent = {"x-riacho-csrf": "" if method in ("GET", "HEAD") else self.csrf}
        if body is not None:
            sent["content-type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kept = {name: value for name, value in sent.items() if value}
        return self.thread.run(self.client.request(method, path, content=content, headers=kept))

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.call("POST", path, {} if body is None else body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.call("DELETE", path, body, **headers)
