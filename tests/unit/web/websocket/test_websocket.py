"""WebSocket endpoints by the client of others (websockets), and what they refuse over HTTP."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.auth import BasicAuthenticator, User
from riacho.web.call import Call
from riacho.web.cors import Cors
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError
from riacho.web.sites import Sites
from riacho.web.websocket.handshake import offered_subprotocols
from riacho.web.websocket.web_socket import WebSocket, websocket_answer
from support.web_service import TIMEOUT_S, RunningServer, asgi, connected, exchange, read_all, running
from unit.web.http2.http2_caller import caller

KEY = base64.b64encode(b"sixteen bytes...").decode()


class World:
    """Handlers, and what became of them."""

    def __init__(self, **options: Any) -> None:
        self.ended = threading.Event()
        self.code: int | None = None
        endpoints = [
            Endpoint("GET", "/echo", self._echo, "Echo.", is_websocket=True),
            Endpoint("GET", "/rows", self._rows, "Rows without end.", is_websocket=True),
            Endpoint("GET", "/silent", self._silent, "Says nothing.", is_websocket=True),
            Endpoint("GET", "/fails/{how}", self._fails, "Fails.", is_websocket=True),
            Endpoint("GET", "/public", self._echo, "Echo.", is_websocket=True, is_public=True),
            Endpoint("GET", "/", self._root, "Root."),
        ]
        self.app = App("demo", endpoints, **options)

    async def _root(self, call: Call) -> Any:
        return json_answer({})

    async def _echo(self, call: Call) -> Any:
        if call.text("q") == "bad":
            raise ApiError(400, 40001, "No such query.")

        async def talk(socket: WebSocket) -> None:
            async for message in socket:
                if message == "bye":
                    await socket.close(4000, "as you wish")
                elif isinstance(message, str):
                    await socket.send_text(message)
                else:
                    await socket.send_bytes(message)
            self.code = socket.close_code
            self.ended.set()

        offered = offered_subprotocols(dict(call.scope["headers"]))
        return websocket_answer(talk, message_bytes_max=100_000, subprotocol="json" if "json" in offered else None)

    async def _rows(self, call: Call) -> Any:
        async def talk(socket: WebSocket) -> None:
            try:
                while True:
                    await socket.send_text("row" * 1000)
            finally:
                self.ended.set()

        return websocket_answer(talk)

    async def _silent(self, call: Call) -> Any:
        async def talk(socket: WebSocket) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.set()

        return websocket_answer(talk)

    async def _fails(self, call: Call) -> Any:
        async def talk(socket: WebSocket) -> None:
            if call.segment("how") == "told":
                raise ApiError(400, 40001, "It is not a query.")
            raise RuntimeError("secret detail")

        return websocket_answer(talk)


@contextmanager
def conversation(server: RunningServer, path: str = "/echo", **options: Any) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{server.port}{path}", open_timeout=TIMEOUT_S, compression=None, **options) as socket:
        yield socket


def offer(path: str = "/echo", more: str = f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n") -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    return f"{head}{more}\r\n".encode()


def test_messages_come_back_as_they_were():
    world = World()
    with running(world.app) as server, conversation(server) as socket:
        for message in ("one", "", "ü" * 30_000, b"\0\xff" * 40_000, b""):
            socket.send(message)
            assert socket.recv(TIMEOUT_S) == message
        # In fragments, with a ping between.
        socket.send(["a", "bc", "", "d"])
        assert socket.recv(TIMEOUT_S) == "abcd"
        assert socket.ping().wait(TIMEOUT_S)
    assert world.ended.wait(TIMEOUT_S)
    assert world.code == 1000
    assert world.app.metrics.in_flight == 0
    assert 'endpoint="/echo",status="101"' in world.app.metrics.render()


def test_clients_that_offer_compression_go_without():
    world = World()
    with running(world.app) as server, connect(f"ws://127.0.0.1:{server.port}/echo") as socket:
        socket.send("x" * 1000)
        assert socket.recv(TIMEOUT_S) == "x" * 1000
        assert socket.protocol.extensions == []


def test_the_handler_closes_with_its_own_code():
    world = World()
    with running(world.app) as server, conversation(server) as socket:
        socket.send("bye")
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(TIMEOUT_S)
        assert caught.value.rcvd is not None
        assert (caught.value.rcvd.code, caught.value.rcvd.reason) == (4000, "as you wish")


def test_a_subprotocol_is_agreed_on():
    world = World()
    with running(world.app) as server:
        with conversation(server, subprotocols=["xml", "json"]) as socket:  # type: ignore[list-item]
            assert socket.subprotocol == "json"
        with conversation(server) as socket:
            assert socket.subprotocol is None


@pytest.mark.parametrize(
    ("how", "code", "reason"), [("told", 1008, "It is not a query."), ("untold", 1011, "Internal Server Error")]
)
def test_what_a_handler_raises_closes_it(how: str, code: int, reason: str, caplog: pytest.LogCaptureFixture):
    with running(World().app) as server, conversation(server, f"/fails/{how}") as socket:
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(TIMEOUT_S)
        assert caught.value.rcvd is not None
        assert (caught.value.rcvd.code, caught.value.rcvd.reason) == (code, reason)
    assert ("secret detail" in caplog.text) == (how == "untold")


@pytest.mark.parametrize("path", ["/rows", "/silent"])
def test_a_handler_ends_when_its_caller_has_gone(path: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("riacho.web.websocket.connection.CLOSE_TIMEOUT_S", 0.05)
    world = World()
    with running(world.app) as server:
        with conversation(server, path) as socket:
            if path == "/rows":
                assert socket.recv(TIMEOUT_S)
        assert world.ended.wait(TIMEOUT_S)
        # And where the connection breaks.
        world.ended.clear()
        with connected(server.port) as sock:
            sock.sendall(offer(path))
            assert sock.recv(1000).startswith(b"HTTP/1.1 101 ")
        assert world.ended.wait(TIMEOUT_S)


def test_the_service_says_that_it_stops():
    world = World()
    with running(world.app) as server, conversation(server) as socket:
        stopping = asyncio.run_coroutine_threadsafe(server.server.stop(), server.loop)
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(TIMEOUT_S)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1001
        stopping.result(TIMEOUT_S)
    assert world.ended.is_set()


def refusal(server: RunningServer, path: str = "/echo", **headers: str) -> int:
    with pytest.raises(InvalidStatus) as caught, conversation(server, path, additional_headers=headers):
        pytest.fail("it was accepted")
    return caught.value.response.status_code


def test_pages_of_other_sites_are_refused_before():
    cors = Cors(["https://ui.example"])
    with running(World(sites=Sites({"localhost"}, cors), cors=cors).app) as server:
        assert refusal(server, Origin="http://evil.example") == 403
        assert refusal(server, Origin="null") == 403
        for origin in (f"http://127.0.0.1:{server.port}", "https://ui.example"):
            with conversation(server, additional_headers={"Origin": origin}) as socket:
                socket.send("hello")
                assert socket.recv(TIMEOUT_S) == "hello"
        assert exchange(
            server.port, offer().replace(b"localhost", b"evil.example").replace(b"keep-alive", b"close")
        ).startswith(b"HTTP/1.1 403 ")


def test_who_calls_is_asked_before():
    login = BasicAuthenticator({"ann": User("secret", frozenset())}, realm="demo")
    with running(World(authenticator=login).app) as server:
        assert refusal(server) == 401
        basic = base64.b64encode(b"ann:secret").decode()
        with conversation(server, additional_headers={"Authorization": f"Basic {basic}"}) as socket:
            socket.send("hello")
            assert socket.recv(TIMEOUT_S) == "hello"


def test_what_the_handler_refuses_is_answered_over_http():
    with running(World().app) as server:
        assert refusal(server, "/echo?q=bad") == 400
        assert refusal(server, "/nowhere") == 404
        answer = exchange(server.port, offer("/echo?q=bad").replace(b"keep-alive", b"close"))
        assert answer.endswith(b'{"error_code":40001,"message":"No such query."}')
        # The connection goes on where the offer is declined.
        last = b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        with connected(server.port) as sock:
            sock.sendall(offer("/"))
            assert sock.recv(1000).startswith(b"HTTP/1.1 200 ")
            sock.sendall(last)
            assert read_all(sock).startswith(b"HTTP/1.1 404 ")


def test_too_many_conversations_are_refused():
    with running(World(concurrent_requests_max=1).app) as server, conversation(server) as socket:
        socket.send("hello")
        assert socket.recv(TIMEOUT_S) == "hello"
        assert refusal(server) == 503
        with conversation(server, "/public") as second:
            second.send("hello")
            assert second.recv(TIMEOUT_S) == "hello"


def test_a_call_that_does_not_offer_it_is_told_to():
    world = World()
    got = asgi(world.app, "GET", "/echo")
    assert (got.status, got.headers["upgrade"]) == (426, "websocket")
    with running(world.app) as server:
        with caller(server.port) as one:
            assert one.answer(one.request("GET", "/echo"))[0] == 426
        old = f"Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: {KEY}\r\n"
        with connected(server.port) as sock:
            sock.sendall(offer(more=old))
            answer = sock.recv(1000)
            assert answer.startswith(b"HTTP/1.1 426 ")
            assert b"sec-websocket-version: 13" in answer
        for key in ("", "Sec-WebSocket-Key: abc\r\n", "Sec-WebSocket-Key: %%%\r\n"):
            with connected(server.port) as sock:
                sock.sendall(offer(more=f"Sec-WebSocket-Version: 13\r\n{key}"))
                assert sock.recv(1000).startswith(b"HTTP/1.1 400 ")


def test_an_endpoint_of_this_kind_is_described_as_one():
    operation = asgi(World().app, "GET", "/openapi.json").json["paths"]["/echo"]["get"]
    assert {"101", "426"} <= operation["responses"].keys()
    assert "200" not in operation["responses"]
