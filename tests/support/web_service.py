"""Services for tests of `riacho.web`: an ASGI call without a network, a server in a thread, raw bytes on a socket.

status, headers, body = asgi(app, "GET", "/topics/a%2Fb")
with running(app) as base_url: ...
answer = exchange(port, b"GET / HTTP/1.1\\r\\n\\r\\n")
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
import uvloop

from riacho.web.app import App
from riacho.web.config import load_settings, service_keys
from riacho.web.server import Server

TIMEOUT_S = 60.0


class Got(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def asgi(
    app: App,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | Sequence[bytes] | None = None,
    query: str = "",
    ends: bool = True,
) -> Got:
    """One call. `path` is the raw path. Pieces of `body` come one by one; without `ends` the caller then goes away."""
    return asyncio.run(asgi_call(app, method, path, headers=headers, body=body, query=query, ends=ends))


async def asgi_call(
    app: App,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | Sequence[bytes] | None = None,
    query: str = "",
    ends: bool = True,
) -> Got:
    pieces = [body] if isinstance(body, bytes) else list(body or [b""])
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    if isinstance(body, bytes) and "content-length" not in sent:
        sent["content-length"] = str(len(body))
    elif body is not None and "content-length" not in sent:
        sent["transfer-encoding"] = "chunked"
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "scheme": "http",
    }
    answers: list[Any] = []

    async def receive() -> Any:
        if pieces:
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces) or not ends}
        if ends:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message)

    await app(scope, receive, send)
    if not answers:
        return Got(0, {}, b"")
    told = {name.decode(): value.decode() for name, value in answers[0]["headers"]}
    return Got(answers[0]["status"], told, b"".join(message.get("body", b"") for message in answers[1:]))


class RunningServer:
    """A server on its own loop in a thread; `submit` runs a coroutine there."""

    def __init__(self, app: App, properties: Mapping[str, str]) -> None:
        self.loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        settings = load_settings(service_keys(0), {"listeners": "http://127.0.0.1:0", **properties})
        self.server = self.submit(_made(app, settings))

    def submit(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(TIMEOUT_S)

    def start(self) -> None:
        self.submit(self.server.start())

    @property
    def urls(self) -> list[str]:
        return list(self.server.addresses)

    @property
    def port(self) -> int:
        return int(self.urls[0].rpartition(":")[2])

    def connection(self) -> Any:
        """The server's end of the one connection there is."""
        return self.submit(_only_connection(self.server))

    def close(self) -> None:
        self.submit(self.server.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(TIMEOUT_S)
        self.loop.close()


async def _made(app: App, settings: Any) -> Server:
    return Server(app, settings)


async def _only_connection(server: Server) -> Any:
    while not server._state.connections:
        await asyncio.sleep(0.001)
    [connection] = server._state.connections
    return connection


@contextmanager
def running(app: App, properties: Mapping[str, str] | None = None) -> Iterator[RunningServer]:
    """Port 0 unless `properties` name listeners."""
    server = RunningServer(app, properties or {})
    try:
        server.start()
        yield server
    finally:
        server.close()


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as sock:
        yield sock


def read_all(sock: socket.socket) -> bytes:
    """Until the other side closes."""
    pieces = []
    while True:
        piece = sock.recv(65536)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def exchange(port: int, *requests: bytes) -> bytes:
    """Send the pieces, read until the other side closes: the last request should ask for that, or be refused."""
    with connected(port) as sock:
        for request in requests:
            sock.sendall(request)
        return read_all(sock)
