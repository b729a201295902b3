"""The whole REST proxy, as `service.py` puts it together, on an event loop in a thread of its own.

`post` is a client's call. `stream` is one whose body is sent piece by piece while its answer is read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from time import monotonic
from typing import Any

import httpx
from confluent_kafka import Consumer, Message, TopicPartition

from riacho.rest_proxy.config import load_proxy_settings
from riacho.rest_proxy.service import RestProxy
from support.rest_proxy_world import TIMEOUT_S, LoopThread

JSON = "application/vnd.kafka.json.v2+json"


class ProxyService:
    """`registry` stands in for the HTTP of the schema registry: an object with `request`, as web/upstream.py has it."""

    def __init__(
        self, bootstrap_servers: str, properties: Mapping[str, str] | None = None, registry: Any = None
    ) -> None:
        self.thread = LoopThread()
        own = {"bootstrap.servers": bootstrap_servers, "schema.registry.url": "" if registry is None else "http://r:1"}
        own["riacho.allowed.hosts"] = "proxy"
        self.thread.run(self._start(own | dict(properties or {}), registry))

    async def _start(self, properties: Mapping[str, str], registry: Any) -> None:
        self.service = RestProxy(load_proxy_settings(properties))
        self.proxy = self.service.proxy
        if registry is not None:
            assert self.proxy.registry is not None
            self.proxy.registry._upstream = registry
        await self.service.app.start(())
        transport = httpx.ASGITransport(self.service.app)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://proxy:8082", timeout=TIMEOUT_S)

    def stop(self) -> None:
        self.thread.run(self._stop())
        self.thread.stop()

    async def _stop(self) -> None:
        await self._client.aclose()
        await self.service.app.stop()

    @property
    def cluster_id(self) -> str:
        return self.thread.run(self.proxy.admin.cluster_id())

    def post(self, path: str, body: Any, content_type: str = JSON, **headers: str) -> httpx.Response:
        return self.thread.run(self._post(path, body, content_type, **headers))

    def post_together(self, path: str, body: Any, count: int) -> list[httpx.Response]:
        async def together() -> list[httpx.Response]:
            return await asyncio.gather(*(self._post(path, body, JSON) for _ in range(count)))

        return self.thread.run(together())

    async def _post(self, path: str, body: Any, content_type: str, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self._client.post(path, content=content, headers={"content-type": content_type, **headers})

    def records(self, topic: str, *objects: Any) -> list[dict[str, Any]]:
        """A v3 call; its receipts."""
        body = b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in objects)
        answer = self.post(f"/v3/clusters/{self.cluster_id}/topics/{topic}/records", body, "application/json")
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def stream(self, path: str) -> StreamedCall:
        return StreamedCall(self.thread, self.service.app, path)


class StreamedCall:
    """One POST without a length, as a server would hand it to the app."""

    def __init__(self, thread: LoopThread, app: Any, path: str) -> None:
        self._thread = thread
        self.status: int | None = None
        self._scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8082),
        }
        thread.run(self._begin(app))

    async def _begin(self, app: Any) -> None:
        self._in: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._out: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._received = b""
        self._task = asyncio.ensure_future(app(self._scope, self._in.get, self._out.put))

    def send(self, piece: bytes, *, is_last: bool = False) -> None:
        message = {"type": "http.request", "body": piece, "more_body": not is_last}
        self._thread.run(self._in.put(message))

    def hang_up(self) -> None:
        self._thread.run(self._in.put({"type": "http.disconnect"}))

    def receipt(self) -> dict[str, Any] | None:
        """The next; None when the answer has ended."""
        return self._thread.run(self._receipt())

    async def _receipt(self) -> dict[str, Any] | None:
        while b"\n" not in self._received:
            message = await self._out.get()
            if message["type"] == "http.response.start":
                self.status = message["status"]
                continue
            self._received += message.get("body", b"")
            if not message.get("more_body", False):
                break
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line) if line.strip() else None

    def wait(self) -> None:
        async def ended() -> None:
            await self._task

        self._thread.run(ended())


def read(bootstrap_servers: str, topic: str, count: int, partition: int = 0, offset: int = 0) -> list[Message]:
    """So many records of a partition, from an offset on."""
    consumer = Consumer(
        {"bootstrap.servers": bootstrap_servers, "group.id": "test-reader", "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition(topic, partition, offset)])
    found: list[Message] = []
    deadline = monotonic() + TIMEOUT_S
    while len(found) < count and monotonic() < deadline:
        found += [each for each in consumer.consume(count - len(found), timeout=0.1) if each.error() is None]
    consumer.close()
    assert len(found) == count, f"{len(found)} of {count} records came"
    return found
