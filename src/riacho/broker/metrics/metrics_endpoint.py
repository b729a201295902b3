"""`GET /metrics`, `/counters`, `/health` and `/ready` over HTTP: for Prometheus, consoles, and who asks if we are up.

Four fixed answers do not justify a web framework in the core: one short request, one answer, connection closed.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, cast

from riacho.base.http_sites import is_loopback, is_own_host, is_same_site

if TYPE_CHECKING:
    from riacho.base.ports import Accepting, BoundPort, Network
    from riacho.broker.config import BrokerConfig
    from riacho.broker.logs import Logs
    from riacho.broker.metrics.exposition import Exposition

_REQUEST_SIZE_BYTES_MAX = 8 * 1024
_TIMEOUT_S = 10
_CONNECTIONS_MAX = 64
_OK = b"HTTP/1.1 200"


class MetricsEndpoint:
    def __init__(self, network: Network, host: str, port: int) -> None:
        self._network = network
        self.host = host
        self.port = port
        self.open_count = 0
        self._bound: BoundPort | None = None
        self._server: Accepting | None = None
        self._rendering: asyncio.Task[str] | None = None

    def bind(self) -> None:
        """Take the port; a port of 0 takes a free one and remembers it."""
        try:
            self._bound = self._network.bind(self.host, self.port)
        except OSError as error:
            address = f"{self.host}:{self.port}"
            raise OSError(error.errno, f"metrics address {address} cannot be opened: {error.strerror}") from error
        self.port = self._bound.port

    async def accept(self, exposition: Exposition) -> None:
        assert self._bound is not None, "bind comes first"
        self._server = await self._network.serve(self._bound, lambda: _Exchange(self, exposition))

    def unbind(self) -> None:
        """Give the port back after a start that failed."""
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        if self._rendering is not None:
            self._rendering.cancel()

    def is_scrape(self, request: bytes) -> bool:
        """Whether all metrics are exported, which takes more than one turn of the loop."""
        return b" /metrics" in request.split(b"\r\n", 1)[0] and self.answer(request).startswith(_OK)

    async def metrics(self, exposition: Exposition) -> str:
        """Rendered once for all who ask meanwhile."""
        if self._rendering is None or self._rendering.done():
            self._rendering = asyncio.get_running_loop().create_task(exposition.render())
        return await asyncio.shield(self._rendering)

    def answer(self, request: bytes, metrics: str = "", exposition: Exposition | None = None) -> bytes:
        """`metrics` are those that a scrape gets."""
        words = request.split(b"\r\n", 1)[0].split(b" ")
        if len(words) != 3 or words[0] not in (b"GET", b"HEAD"):
            return _http("405 Method Not Allowed", "only GET is served\n")
        if not self._may_call(request):
            return _http("403 Forbidden", "called by a name that is not this machine's, or by another site's page\n")
        path = words[1].split(b"?", 1)[0]
        if path == b"/metrics":
            return _http("200 OK", metrics, "text/plain; version=0.0.4; charset=utf-8")
        if path == b"/counters" and exposition is not None:
            return _http("200 OK", exposition.counters(), "application/json")
        if path == b"/health":
            return _http("200 OK", '{"status":"UP"}\n', "application/json")
        if path == b"/ready" and exposition is not None:
            trouble = exposition.trouble()
            if trouble is None:
                return _http("200 OK", '{"status":"UP"}\n', "application/json")
            return _http("503 Service Unavailable", f'{{"status":"DOWN","trouble":"{trouble}"}}\n', "application/json")
        return _http("404 Not Found", "try /metrics, /counters, /health or /ready\n")

    def _may_call(self, request: bytes) -> bool:
        """As the HTTP services have it (`web/sites`): pages in a browser on this machine are kept out."""
        lines = (line.partition(b":") for line in request.split(b"\r\n\r\n", 1)[0].split(b"\r\n")[1:])
        headers = {name.strip().lower(): value.strip().decode("latin-1") for name, _, value in lines}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if is_loopback(self.host) and host and not is_own_host(host, (self.host, socket.gethostname())):
            return False
        return origin is None or is_same_site(origin, host)


def bind_metrics(config: BrokerConfig, network: Network, logs: Logs) -> MetricsEndpoint | None:
    """The endpoint with its port taken; None where it is turned off, or the default port is another's."""
    port = config.get("riacho.metrics.port")
    if port < 0:
        return None
    endpoint = MetricsEndpoint(network, config.get("riacho.metrics.host"), port)
    try:
        endpoint.bind()
    except OSError as error:
        if config.is_set("riacho.metrics.port"):
            raise
        # The default port is a convenience: a second broker on this machine goes without.
        logs.error.warning("metrics are not served port=%d reason=%s", port, error.strerror)
        return None
    return endpoint


def _http(status: str, body: str, content_type: str = "text/plain; charset=utf-8") -> bytes:
    content = body.encode()
    head = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(content)}",
        "Connection: close",
    )
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content


class _Exchange(asyncio.Protocol):
    def __init__(self, endpoint: MetricsEndpoint, exposition: Exposition) -> None:
        self._endpoint = endpoint
        self._exposition = exposition
        self._request = b""
        self._scraping: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._endpoint.open_count += 1
        self._deadline = asyncio.get_running_loop().call_later(_TIMEOUT_S, self._transport.abort)
        if self._endpoint.open_count > _CONNECTIONS_MAX:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._scraping is not None:
            return
        self._request += data
        if b"\r\n\r\n" in self._request:
            if self._endpoint.is_scrape(self._request):
                self._scraping = asyncio.get_running_loop().create_task(self._send_metrics())
            else:
                self._send(self._endpoint.answer(self._request, exposition=self._exposition))
        elif len(self._request) > _REQUEST_SIZE_BYTES_MAX:
            self._transport.abort()

    async def _send_metrics(self) -> None:
        self._send(self._endpoint.answer(self._request, await self._endpoint.metrics(self._exposition)))

    def _send(self, answer: bytes) -> None:
        self._transport.write(answer)
        self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._deadline.cancel()
        if self._scraping is not None:
            self._scraping.cancel()
        self._endpoint.open_count -= 1
