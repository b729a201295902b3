"""The REST proxy's consuming and admin endpoints in the real app, on an event loop in a thread of its own.

Tests call it as a client does, by method and path, and wait for nothing but answers.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

import httpx
import uvicorn
from confluent_kafka import Producer

from riacho.rest_proxy.admin import Admin
from riacho.rest_proxy.config import ProxyConfig
from riacho.rest_proxy.consumers.instances import ConsumerInstances
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.embedded.decoders import Decoders
from riacho.rest_proxy.forwarding import Peers
from riacho.rest_proxy.v2 import brokers, consumers, partitions, root, topics
from riacho.web.app import App
from riacho.web.upstream import Upstream

T = TypeVar("T")
TIMEOUT_S = 60.0
V2 = "application/vnd.kafka.v2+json"
JSON_V2 = "application/vnd.kafka.json.v2+json"
BINARY_V2 = "application/vnd.kafka.binary.v2+json"
_MODULES = (root, topics, partitions, brokers, consumers)


class LoopThread:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="rest-proxy-loop", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(TIMEOUT_S)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(TIMEOUT_S)
        self.loop.close()


class ProxyWorld:
    """`clock_ms` is what instances expire by. `registry` stands in for the schema registry's client."""

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        clock_ms: Callable[[], int] | None = None,
        registry: Any = None,
        admin_timeout_s: float = TIMEOUT_S,
        modules: tuple[Any, ...] = _MODULES,
        **settings: Any,
    ) -> None:
        kafka = {"bootstrap.servers": bootstrap_servers}
        # Heartbeats tell a member of rebalances.
        consumer = {**kafka, "heartbeat.interval.ms": 200, "session.timeout.ms": 45_000}
        self.config = ProxyConfig(bootstrap_servers=bootstrap_servers, consumer=consumer, admin=kafka, **settings)
        self._server: uvicorn.Server | None = None
        self.thread = LoopThread()
        self.thread.run(self._start(clock_ms, registry, admin_timeout_s, modules))

    async def _start(self, clock_ms: Any, registry: Any, admin_timeout_s: float, modules: tuple[Any, ...]) -> None:
        self.admin = Admin(self.config.admin, timeout_s=admin_timeout_s)
        clock = {} if clock_ms is None else {"clock_ms": clock_ms}
        self.consumers = ConsumerInstances(self.config, self.admin.topic_names, **clock)
        unused = cast(Any, None)
        upstream = Upstream()
        proxy = Proxy(
            config=self.config,
            admin=self.admin,
            consumers=self.consumers,
            producer=unused,
            topics=unused,
            encoders=unused,
            decoders=Decoders(registry),
            registry=registry,
            upstream=upstream,
            peers=Peers(self.config.peers, upstream),
        )
        self.proxy = proxy
        self.app = App("rest-proxy", [each for module in modules for each in module.endpoints(proxy)])
        await self.consumers.start()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app), base_url="http://proxy:8082", timeout=TIMEOUT_S
        )

    def listen(self) -> str:
        """Serves on a port too, and tells its URL."""

        async def listen() -> str:
            if self._server is not None:
                return _url(self._server)
            config = uvicorn.Config(self.app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
            self._server = uvicorn.Server(config)
            config.load()
            self._server.lifespan = config.lifespan_class(config)
            await self._server.startup()
            return _url(self._server)

        return self.thread.run(listen())

    def stop(self) -> None:
        self.thread.run(self._stop())
        self.thread.stop()

    async def _stop(self) -> None:
        await self.consumers.stop()
        await self.admin.close()
        self.proxy.upstream.close()
        await self._client.aclose()
        if self._server is not None:
            await self._server.shutdown()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """`headers` with underscores for dashes; a body is JSON of the v2 API unless a content type is named."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            sent.setdefault("content-type", V2)
        content = {} if body is None else {"content": body} if isinstance(body, bytes) else {"json": body}
        return self.thread.run(self._client.request(method, path, headers=sent, **content))

    def get(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.call("GET", path, body, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self.call("POST", path, body, **headers)

    def delete(self, path: str, **headers: str) -> httpx.Response:
        return self.call("DELETE", path, **headers)

    # Consumers

    def create(self, group: str, name: str, **settings: Any) -> str:
        """The path of a new instance, of format json that reads from the beginning unless said otherwise."""
        body = {"format": "json", "auto.offset.reset": "earliest", "name": name, **settings}
        answer = self.post(f"/consumers/{group}", body)
        assert answer.status_code == 200, answer.text
        return f"/consumers/{group}/instances/{name}"

    def read(self, instance: str, count: int, *, accept: str = JSON_V2, query: str = "") -> list[dict[str, Any]]:
        """Calls for records until there are so many."""
        records: list[dict[str, Any]] = []
        for _ in range(200):
            answer = self.get(f"{instance}/records{query}", accept=accept)
            assert answer.status_code == 200, answer.text
            records += answer.json()
            if len(records) >= count:
                return records
        raise AssertionError(f"{len(records)} of {count} records came")


def _url(server: uvicorn.Server) -> str:
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def produce(bootstrap_servers: str, topic: str, values: list[Any], **fields: Any) -> None:
    """To partition 0 unless `fields` says otherwise."""
    producer = Producer({"bootstrap.servers": bootstrap_servers, "linger.ms": 0})
    for value in values:
        producer.produce(topic, value=value, **{"partition": 0, **fields})
    assert producer.flush(TIMEOUT_S) == 0
