"""The server on real sockets: what callers may send, how slowly, how much; and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.web.answers import json_answer, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.web_service import TIMEOUT_S, RunningServer, connected, exchange, read_all, running


async def root(call: Call) -> Any:
    return json_answer({})


async def length(call: Call) -> Any:
    return json_answer({"length": len(await call.body())})


async def echo(call: Call) -> Any:
    return stream_answer(call.stream(), is_duplex=True)


async def large(call: Call) -> Any:
    return json_answer("x" * 8_000_000)


ENDPOINTS = [
    Endpoint("GET", "/", root, "Root."),
    Endpoint("POST", "/length", length, "Length.", body=Any, request_types=("*/*",)),
    Endpoint("POST", "/echo", echo, "Echo.", is_stream=True, request_types=("*/*",)),
    Endpoint("GET", "/large", large, "Large."),
]


def make(**options: Any) -> App:
    return App("demo", ENDPOINTS, **options)


CLOSE = b"Connection: close\r\n"


def get(path: str = "/", head: bytes = CLOSE) -> bytes:
    return b"GET " + path.encode() + b" HTTP/1.1\r\nHost: a\r\n" + head + b"\r\n"


def post(path: str, body: bytes, head: bytes = CLOSE) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n".encode() + head + b"\r\n" + body
    )  # fmt: skip


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def envelope(code: int, message: str) -> bytes:
    return f'{{"error_code":{code},"message":"{message}"}}'.encode()


def test_calls_on_one_connection_and_pipelined_ones():
    with running(make()) as server:
        answer = exchange(server.port, get(head=b"") + post("/length", b"abc", b"") + get("/nowhere"))
        assert answer.count(b"HTTP/1.1 200 OK") == 2
        assert answer.endswith(envelope(404, "HTTP 404 Not Found"))


def test_a_pipelined_call_has_its_own_time_for_its_body():
    with running(make()) as server, connected(server.port) as sock:
        whole = post("/length", b"abcdef")
        sock.sendall(get(head=b"") + whole[:-3])
        got = b""
        while b"{}" not in got:
            got += sock.recv(4096)
        connection = server.connection()
        assert connection._timer is None
        sock.sendall(whole[-3:])
        assert read_all(sock).endswith(b'{"length":6}')


def test_bytes_that_are_no_http_are_answered_in_the_envelope():
    with running(make()) as server:
        for nonsense in (
            b"\x16\x03\x01\x02\x00",
            b"NONSENSE / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        ):
            answer = exchange(server.port, nonsense)
            assert status(answer) == 400
            assert answer.endswith(envelope(400, "The request is not valid HTTP."))


@pytest.mark.parametrize("ends", [b"\r\n\r\n", b""])
def test_a_head_that_is_too_large_is_refused_whether_it_ends_or_not(ends: bytes):
    with running(make(), {"max.request.header.size": "1000"}) as server:
        answer = exchange(server.port, b"GET / HTTP/1.1\r\nX: " + b"y" * 300_000 + ends)
        assert status(answer) == 431
        assert answer.endswith(envelope(431, "The head of the request is too large."))
        assert status(exchange(server.port, get("/" + "a" * 2000))) == 431
        # A body may be larger than a head.
        assert exchange(server.port, post("/length", b"z" * 5000)).endswith(b'{"length":5000}')


def test_a_connection_without_a_call_is_closed():
    with running(make(), {"idle.timeout.ms": "50"}) as server:
        assert exchange(server.port) == b""


def test_a_head_that_does_not_come_is_given_up():
    with running(make()) as server, connected(server.port) as sock:
        sock.sendall(get(head=b""))
        assert status(sock.recv(4096)) == 200
        connection = server.connection()
        connection._limits = connection._limits._replace(idle_timeout_s=0.01)
        sock.sendall(b"GET / HT")
        assert read_all(sock).endswith(envelope(408, "The request did not arrive in time."))


def test_a_connection_without_a_further_call_is_closed():
    with running(make(), {"idle.timeout.ms": "60500"}) as server, connected(server.port) as sock:
        connection = server.connection()
        assert connection.timeout_keep_alive == 60.5
        connection.timeout_keep_alive = 0.01
        sock.sendall(get(head=b""))
        assert status(read_all(sock)) == 200


def test_a_body_that_does_not_come_is_given_up():
    with running(make(body_timeout_s=0.05)) as server:
        answer = exchange(server.port, post("/length", b"abcdef")[:-3])
        assert answer.endswith(envelope(408, "The request body did not arrive in time."))


def test_a_caller_that_goes_away_leaves_nothing_behind():
    gone = threading.Event()

    async def wait_for_it(call: Call) -> Any:
        try:
            return json_answer(len(await call.body()))
        finally:
            gone.set()

    with running(
        App("demo", [Endpoint("POST", "/", wait_for_it, "Waits.", body=Any, request_types=("*/*",))])
    ) as server:
        with connected(server.port) as sock:
            sock.sendall(post("/", b"abcdef")[:-3])
        assert gone.wait(TIMEOUT_S)
        assert status(exchange(server.port, get("/health"))) == 200


def test_a_body_that_is_too_large_is_told_to_who_is_still_sending():
    with running(make(body_bytes_max=1000)) as server:
        big = b"x" * 3_000_000
        message = envelope(413, "The request body is larger than the allowed 1000 bytes.")
        # The rest is read and thrown away; the connection goes on.
        answer = exchange(server.port, post("/length", big, b""), get())
        assert message in answer
        assert answer.endswith(b"{}")
        # In chunks, it is noticed on the way.
        chunked = b"POST /length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = exchange(server.port, chunked, b"1000\r\n" + b"y" * 0x1000 + b"\r\n0\r\n\r\n", get())
        assert message in answer


def test_a_caller_that_waits_for_leave_is_told_before_it_sends():
    with running(make(body_bytes_max=1000)) as server:
        head = b"POST /length HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n" + CLOSE
        assert status(exchange(server.port, head + b"Content-Length: 9999\r\n\r\n")) == 413
        with connected(server.port) as sock:
            sock.sendall(head + b"Content-Length: 3\r\n\r\n")
            assert sock.recv(100).startswith(b"HTTP/1.1 100 Continue")
            sock.sendall(b"abc")
            assert read_all(sock).endswith(b'{"length":3}')


def test_a_call_may_be_answered_while_it_still_comes():
    with running(make()) as server, connected(server.port) as sock:
        sock.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + CLOSE + b"\r\n")
        got = b""
        for word in (b"one", b"two", b"three"):
            sock.sendall(b"%x\r\n%s\r\n" % (len(word), word))
            while word not in got:
                got += sock.recv(4096)
        sock.sendall(b"0\r\n\r\n")
        assert (got + read_all(sock)).endswith(b"0\r\n\r\n")


def test_an_offer_of_http_2_need_not_be_taken_up():
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
    with running(make(), {"http2.enabled": "false"}) as server, connected(server.port) as sock:
        sock.sendall(get(head=offer))
        first = sock.recv(4096)
        while not first.endswith(b"{}"):
            first += sock.recv(4096)
        assert status(first) == 200
        sock.sendall(post("/length", b"ab"))
        assert read_all(sock).endswith(b'{"length":2}')
        # Nor does it take the body from a call that has one, nor the call that comes right after it.
        for body in (b"Content-Length: 5\r\n\r\nabcde", b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"):
            request = b"POST /length HTTP/1.1\r\nHost: a\r\n" + offer + body
            answers = exchange(server.port, request[:-12], request[-12:] + get("/nowhere"))
            assert b'{"length":5}' in answers
            assert answers.endswith(envelope(404, "HTTP 404 Not Found"))
        assert exchange(server.port, get(head=offer) + get("/nowhere")).count(b"HTTP/1.1 ") == 2


def test_head_has_the_length_and_no_body():
    with running(make()) as server:
        answer = exchange(server.port, get().replace(b"GET", b"HEAD"))
        assert b"content-length: 2" in answer
        assert answer.endswith(b"\r\n\r\n")


def test_connections_beyond_the_limit_are_closed():
    with running(make(), {"max.connections": "1"}) as server, connected(server.port) as first:
        first.sendall(get(head=b""))
        assert first.recv(4096)
        with connected(server.port) as second, contextlib.suppress(ConnectionResetError):
            assert second.recv(1) == b""


def test_an_answer_that_nobody_reads_is_given_up():
    with running(make()) as server, connected(server.port) as sock:
        connection = server.connection()
        connection._limits = connection._limits._replace(idle_timeout_s=0.01)
        sock.sendall(get("/large"))
        server.submit(_until_no_connection(server))


async def _until_no_connection(server: RunningServer) -> None:
    while server.server._state.connections:
        await asyncio.sleep(0.001)


def test_several_listeners_and_their_addresses():
    seen: list[str] = []

    async def started(addresses: Any) -> None:
        seen.extend(addresses)

    with running(make(on_start=started), {"listeners": "http://127.0.0.1:0,http://[::1]:0"}) as server:
        assert seen == server.urls
        assert server.urls[1].startswith("http://[::1]:")
        assert status(exchange(server.port, get())) == 200


def test_a_start_that_fails_leaves_nothing_open():
    stopped: list[str] = []

    async def fails(addresses: Any) -> None:
        raise ConfigError("the topic cannot be made")

    async def stop() -> None:
        stopped.append("stopped")

    with pytest.raises(ConfigError, match="the topic"), running(make(on_start=fails, on_stop=stop)):
        pytest.fail("it has started")
    assert stopped == ["stopped"]


def test_calls_under_way_are_finished_and_new_ones_refused_at_the_end():
    going_on, release = threading.Event(), asyncio.Event()

    async def wait(call: Call) -> Any:
        going_on.set()
        await release.wait()
        return json_answer("x" * 1_000_000)

    app = App("demo", [Endpoint("GET", "/wait", wait, "Waits.")])
    waiting = running(app, {"shutdown.graceful.ms": "60000"})
    with waiting as server, connected(server.port) as busy, connected(server.port) as idle:
        idle.sendall(get("/health", b""))
        assert idle.recv(4096)
        busy.sendall(get("/wait", b""))
        assert going_on.wait(TIMEOUT_S)
        stopping = asyncio.run_coroutine_threadsafe(server.server.stop(), server.loop)
        # Idle connections are closed at once, and nobody new is let in.
        read_all(idle)
        with pytest.raises(ConnectionError):
            exchange(server.port, get())
        assert not stopping.done()
        server.loop.call_soon_threadsafe(release.set)
        assert len(read_all(busy)) > 1_000_000
        stopping.result(TIMEOUT_S)


def test_calls_that_do_not_end_are_cut_off_at_the_end(caplog: pytest.LogCaptureFixture):
    going_on = threading.Event()

    async def wait(call: Call) -> Any:
        going_on.set()
        await asyncio.Event().wait()

    app = App("demo", [Endpoint("GET", "/wait", wait, "Waits.")])
    with running(app, {"shutdown.graceful.ms": "20"}) as server, connected(server.port) as sock:
        sock.sendall(get("/wait"))
        assert going_on.wait(TIMEOUT_S)
        server.submit(server.server.stop())
    assert "calls were cut off at the end name=demo calls=1" in caplog.text
