"""Callers that send more than one may, or leave in the middle: an answer or an end, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

from riacho.web.answers import json_answer, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.protocol import _PIPELINED_MAX
from riacho.web.reading_pace import ReadingPace
from support.web_service import RunningServer, connected, exchange, read_all, running

HEAD = b" HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"POST /names" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


async def root(call: Call) -> Any:
    return json_answer({})


async def names(call: Call) -> Any:
    await call.body()
    return json_answer([name.decode() for name, _ in call.scope["headers"]])


async def at_hand(call: Call) -> Any:
    async def pieces() -> AsyncIterator[bytes]:
        while True:
            yield b"row" * 100

    return stream_answer(pieces())


async def endless(call: Call) -> Any:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"begun"
        await asyncio.Event().wait()

    return stream_answer(pieces())


def make() -> App:
    return App(
        "demo",
        [
            Endpoint("GET", "/", root, "Root."),
            Endpoint("POST", "/names", names, "Names of headers.", body=Any, request_types=("*/*",)),
            Endpoint("GET", "/endless", endless, "Never ends."),
            Endpoint("GET", "/at-hand", at_hand, "Never ends, and never waits."),
        ],
    )


def test_what_comes_after_a_body_is_no_header():
    with running(make()) as server:
        trailer = b"3;some=thing\r\nabc\r\n0\r\nAuthorization: Basic eDp5\r\nX-More: 1\r\n\r\n"
        answer = exchange(server.port, CHUNKED.replace(b"Host", b"Connection: close\r\nHost") + trailer)
        assert answer.endswith(b'["connection","host","transfer-encoding"]')


def test_what_comes_after_a_body_has_an_end():
    for more in (b"a: b\r\n" * 1000, b"a" * 6000):
        with running(make()) as server, connected(server.port) as sock:
            sock.sendall(CHUNKED + b"3\r\nabc\r\n0\r\n")
            with contextlib.suppress(ConnectionError):
                for _ in range(400):
                    sock.sendall(more)
            assert read_all(sock).startswith(b"HTTP/1.1 431 ")


def test_a_body_that_is_no_http_is_answered():
    for body in (b"3\nabc\r\n0\r\n\r\n", b"zz\r\n", b"3\r\nabcdef\r\n"):
        with running(make()) as server:
            answer = exchange(server.port, CHUNKED + body)
            assert answer.startswith(b"HTTP/1.1 400 ")
            assert answer.endswith(b'{"error_code":400,"message":"The request is not valid HTTP."}')


def test_what_is_no_http_does_not_take_the_answer_from_the_call_before():
    with running(make()) as server:
        answer = exchange(
            server.port, b"GET /" + HEAD + b"\r\n" + b"POST /names" + HEAD + b"Content-Length: 0\r\n\r\nNO\r\n"
        )
        assert answer.count(b"HTTP/1.1 200 OK") == 2
        assert answer.endswith(b'["host","content-length"]')


def test_a_caller_that_sent_ahead_and_went_away_leaves_nothing_behind():
    app = make()
    with running(app) as server:
        with connected(server.port) as sock:
            sock.sendall((b"GET /endless" + HEAD + b"\r\n") * 3)
            _read_until(sock, b"begun")
        server.submit(_until_idle(app))


def test_rows_without_end_that_are_all_at_hand_hold_nobody_up():
    app = make()
    with running(app) as server:
        with connected(server.port) as sock:
            sock.sendall(b"GET /at-hand" + HEAD + b"\r\n")
            for _ in range(20):
                assert sock.recv(65536)
                assert exchange(server.port, b"GET /" + HEAD + b"Connection: close\r\n\r\n").endswith(b"{}")
        server.submit(_until_idle(app))


def test_a_request_does_not_wait_for_ever_behind_an_answer_that_does_not_end():
    app = make()
    with running(app) as server, connected(server.port) as sock:
        sock.sendall(b"GET /endless" + HEAD + b"\r\n")
        _read_until(sock, b"begun")
        connection = server.connection()
        connection._limits = connection._limits._replace(idle_timeout_s=0.01)
        sock.sendall(b"GET /" + HEAD + b"\r\n")
        server.submit(_until_idle(app))


def test_a_caller_may_send_so_many_requests_ahead():
    with running(make()) as server:
        ahead = (b"GET /" + HEAD + b"\r\n") * (_PIPELINED_MAX // 2)
        last = b"GET /" + HEAD + b"Connection: close\r\n\r\n"
        assert exchange(server.port, ahead + last).count(b"HTTP/1.1 200 OK") == _PIPELINED_MAX // 2 + 1
        with connected(server.port) as sock, contextlib.suppress(ConnectionError):
            sock.sendall(b"GET /endless" + HEAD + b"\r\n" + b"GET / HTTP/1.1\r\n\r\n" * (_PIPELINED_MAX + 2))
            read_all(sock)
        _until_no_connection(server)


class _Transport:
    def __init__(self) -> None:
        self.unread_bytes = 1_000_000
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def abort(self) -> None:
        self.is_aborted = True


class _Loop:
    """What is to be called later is called at once, by the test."""

    def call_later(self, delay_s: float, callback: Any, *args: Any) -> Any:
        self.fire = lambda: callback(*args)
        return None


def test_a_caller_that_reads_steadily_has_its_time_and_one_that_hardly_reads_has_not():
    transport: Any = _Transport()
    loop: Any = _Loop()
    ReadingPace(transport, loop).watch(30.0)
    for _ in range(5):
        transport.unread_bytes -= 100_000
        loop.fire()
    assert not transport.is_aborted
    transport.unread_bytes -= 1_000
    loop.fire()
    assert transport.is_aborted


def _read_until(sock: socket.socket, word: bytes) -> None:
    got = b""
    while word not in got:
        got += sock.recv(4096)


async def _until_idle(app: App) -> None:
    while app.metrics.in_flight:
        await asyncio.sleep(0.001)


def _until_no_connection(server: RunningServer) -> None:
    async def ended() -> None:
        while server.server._state.connections:
            await asyncio.sleep(0.001)

    server.submit(ended())
