"""HTTP/2 on the port of HTTP/1.1, by clients of others: httpx, curl and h2."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import h2.events
import httpx
import pytest

from riacho.web.answers import json_answer, no_content, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.http2.connection import STREAMS_MAX
from support.certificates import Authority
from support.web_service import TIMEOUT_S, RunningServer, connected, exchange, read_all, running
from unit.web.http2.http2_caller import Caller, caller

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
BIG = "x" * 3_000_000


async def root(call: Call) -> Any:
    version = call.scope["http_version"]
    return json_answer({"version": version, "host": call.headers.get("host"), "scheme": call.url.scheme})


async def length(call: Call) -> Any:
    return json_answer({"length": len(await call.body()), "type": call.request_type})


async def echo(call: Call) -> Any:
    return stream_answer(call.stream(), is_duplex=True)


async def segments(call: Call) -> Any:
    return json_answer([call.segment("name"), call.text("q")])


async def large(call: Call) -> Any:
    return json_answer(BIG)


async def nothing(call: Call) -> Any:
    return no_content()


async def broken(call: Call) -> Any:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("in the middle")

    return stream_answer(pieces())


ENDPOINTS = [
    Endpoint("GET", "/", root, "Root."),
    Endpoint("POST", "/length", length, "Length.", body=Any, request_types=("*/*",)),
    Endpoint("POST", "/echo", echo, "Echo.", is_stream=True, request_types=("*/*",)),
    Endpoint("GET", "/names/{name}", segments, "Segments."),
    Endpoint("GET", "/large", large, "Large."),
    Endpoint("DELETE", "/", nothing, "Nothing."),
    Endpoint("GET", "/broken", broken, "Breaks off."),
]


def make(**options: Any) -> App:
    return App("demo", ENDPOINTS, **options)


def client(server: RunningServer, **options: Any) -> httpx.Client:
    return httpx.Client(http2=True, http1=False, base_url=server.urls[0], timeout=TIMEOUT_S, **options)


def test_httpx_calls_by_prior_knowledge():
    with running(make()) as server, client(server) as http:
        got = http.get("/")
        assert got.http_version == "HTTP/2"
        assert got.json() == {"version": "2", "host": f"127.0.0.1:{server.port}", "scheme": "http"}
        assert "date" in got.headers
        assert http.post("/length", content=b"abc", headers={"Content-Type": "text/plain"}).json() == {
            "length": 3,
            "type": "text/plain",
        }
        assert http.get("/names/a%2Fb?q=1%202").json() == ["a/b", "1 2"]
        assert http.delete("/").status_code == 204
        head = http.head("/large")
        assert (head.content, head.headers["content-length"]) == (b"", str(len(BIG) + 2))
        missing = http.get("/nowhere")
        assert (missing.status_code, missing.json()["error_code"]) == (404, 404)


def test_bodies_and_answers_of_any_size_pass():
    with running(make(body_bytes_max=4_000_000)) as server, client(server) as http:
        assert http.post("/length", content=BIG.encode()).json()["length"] == len(BIG)
        # Of unknown length.
        assert http.post("/length", content=iter([b"abc"] * 1000)).json()["length"] == 3000
        assert http.get("/large").json() == BIG
        assert http.post("/echo", content=iter([b"y" * 10_000] * 50)).content == b"y" * 500_000


def test_limits_of_bodies_are_those_of_http_1():
    with running(make(body_bytes_max=1000, body_timeout_s=0.05)) as server, caller(server.port) as one:
        stream = one.request("POST", "/length", body=b"x" * 5000)
        status, body = one.answer(stream)
        assert (status, b"larger than the allowed 1000 bytes" in body) == (413, True)
        late = one.request("POST", "/length", [("content-length", "5")], body=None)
        status, body = one.answer(late)
        assert (status, b"did not arrive in time" in body) == (408, True)
        assert one.answer(one.request("GET", "/"))[0] == 200


def test_a_call_is_answered_while_it_still_comes():
    with running(make()) as server, caller(server.port) as one:
        stream = one.request("POST", "/echo", body=None)
        one.until(h2.events.ResponseReceived, stream)
        for word in (b"one", b"two", b"three"):
            one.send(stream, word)
            while not one.body(stream).endswith(word):
                assert one.receive()
        one.send(stream, b"", ends=True)
        assert one.answer(stream) == (200, b"onetwothree")


def test_many_calls_at_once_and_none_waits_for_a_large_one():
    with running(make()) as server, caller(server.port) as one:
        # Not acknowledged: the large answer stops in the middle, and the others go on in what is left of the window.
        held = one.request("POST", "/echo", body=None)
        streams = [one.request("GET", "/") for _ in range(50)]
        assert {one.answer(stream)[0] for stream in streams} == {200}
        one.send(held, b"", ends=True)
        assert one.answer(held) == (200, b"")


def test_answers_wait_for_the_callers_window():
    with running(make()) as server, caller(server.port) as one:
        stream = one.request("GET", "/large")
        while len(one.body(stream)) < 65_535:
            assert one.receive(is_acknowledged=False)
        # The window is full: there is room for an answer without a body only.
        gone = one.request("DELETE", "/")
        assert one.answer(gone, is_acknowledged=False) == (204, b"")
        assert len(one.body(stream)) == 65_535
        one.state.increment_flow_control_window(10_000_000)
        one.state.increment_flow_control_window(10_000_000, stream)
        one.flush()
        assert len(one.answer(stream)[1]) == len(BIG) + 2


def test_a_caller_that_resets_a_stream_is_gone():
    began, gone = threading.Event(), threading.Event()

    async def wait(call: Call) -> Any:
        async def pieces() -> AsyncIterator[bytes]:
            try:
                yield b"begun"
                began.set()
                await asyncio.Event().wait()
            finally:
                gone.set()

        return stream_answer(pieces())

    app = App("demo", [*ENDPOINTS, Endpoint("GET", "/wait", wait, "Waits.")])
    with running(app) as server, caller(server.port) as one:
        stream = one.request("GET", "/wait")
        one.until(h2.events.DataReceived, stream)
        assert began.wait(TIMEOUT_S)
        one.reset(stream)
        assert gone.wait(TIMEOUT_S)
        assert one.answer(one.request("GET", "/"))[0] == 200


def test_a_caller_that_hangs_up_is_gone():
    gone = threading.Event()

    async def wait(call: Call) -> Any:
        try:
            return json_answer(len(await call.body()))
        finally:
            gone.set()

    app = App("demo", [Endpoint("POST", "/", wait, "Waits.", body=Any, request_types=("*/*",))])
    with running(app) as server:
        with caller(server.port) as one:
            one.request("POST", "/", [("content-length", "7")], body=None)
            one.receive()
        assert gone.wait(TIMEOUT_S)
        server.submit(_until(lambda: not server.server._state.connections))


def test_trailers_are_ignored():
    with running(make()) as server, caller(server.port) as one:
        stream = one.request("POST", "/length", body=None)
        one.state.send_data(stream, b"abc")
        one.state.send_headers(stream, [("authorization", "Basic eDp5")], end_stream=True)
        one.flush()
        assert one.answer(stream)[1] == b'{"length":3,"type":"application/octet-stream"}'


def test_an_answer_that_breaks_off_is_a_reset_and_the_connection_goes_on():
    with running(make()) as server, caller(server.port) as one:
        stream = one.request("GET", "/broken")
        one.until(h2.events.StreamReset, stream)
        assert one.body(stream) == b"half"
        assert one.answer(one.request("GET", "/"))[0] == 200


def test_a_stream_too_many_is_refused_and_the_connection_goes_on():
    with running(make()) as server, caller(server.port) as one:
        one.receive()
        assert one.state.remote_settings.max_concurrent_streams == STREAMS_MAX
        one.state.remote_settings.update({3: 1000})
        one.state.remote_settings.acknowledge()
        held = [one.request("POST", "/echo", body=None) for _ in range(STREAMS_MAX)]
        last = one.request("GET", "/")
        one.until(h2.events.StreamReset, last)
        [reset] = one.of(h2.events.StreamReset, last)
        assert reset.error_code == h2.errors.ErrorCodes.REFUSED_STREAM
        one.send(held[0], b"", ends=True)
        assert one.answer(held[0])[0] == 200
        assert one.answer(one.request("GET", "/"))[0] == 200


def test_the_service_says_that_it_stops_and_answers_what_is_under_way():
    going_on, release = threading.Event(), asyncio.Event()

    async def wait(call: Call) -> Any:
        going_on.set()
        await release.wait()
        return json_answer(BIG)

    app = App("demo", [Endpoint("GET", "/wait", wait, "Waits.")])
    stopping = {"shutdown.graceful.ms": "60000"}
    with running(app, stopping) as server, caller(server.port) as one, caller(server.port) as idle:
        assert idle.answer(idle.request("GET", "/health"))[0] == 200
        # The client's library would take no more data after the GOAWAY of another connection error.
        stream = one.request("GET", "/wait")
        one.state.increment_flow_control_window(10_000_000)
        one.state.increment_flow_control_window(10_000_000, stream)
        one.flush()
        assert going_on.wait(TIMEOUT_S)
        stopped = asyncio.run_coroutine_threadsafe(server.server.stop(), server.loop)
        assert idle.end() == h2.errors.ErrorCodes.NO_ERROR
        server.loop.call_soon_threadsafe(release.set)
        received = read_all(one.sock)
        assert len(received) > len(BIG)
        stopped.result(TIMEOUT_S)


def test_a_caller_that_takes_its_leave_gets_its_answers():
    with running(make()) as server, caller(server.port) as one:
        stream = one.request("POST", "/length", body=None)
        goaway = b"\0\0\x08\x07\0\0\0\0\0" + bytes(8)
        one.send_raw(goaway)
        one.send(stream, b"abc", ends=True)
        received = read_all(one.sock)
        assert b'{"length":3,' in received


def test_a_connection_without_a_call_is_closed():
    with running(make(), {"idle.timeout.ms": "50"}) as server, caller(server.port) as one:
        assert one.end() == h2.errors.ErrorCodes.NO_ERROR


def test_the_preface_may_come_in_pieces_and_other_methods_begin_like_it():
    with running(make()) as server:
        with connected(server.port) as sock:
            for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":
                sock.sendall(bytes([byte]))
            # A frame of SETTINGS.
            assert sock.recv(9)[3] == 4
        with connected(server.port) as sock:
            for piece in (
                b"P",
                b"OST /length HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
                b"Content-Length: 1\r\n\r\nz",
            ):
                sock.sendall(piece)
            assert b'{"length":1,' in read_all(sock)
        assert exchange(server.port, b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_http_2_may_be_switched_off():
    with running(make(), {"http2.enabled": "false"}) as server:
        assert exchange(server.port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_h2_is_agreed_on_by_alpn(tmp_path: Path):
    authority = Authority(tmp_path)
    key = authority.issue("server")
    place = {"listeners": "https://127.0.0.1:0", "ssl.keystore.type": "PEM", "ssl.keystore.location": str(key.pem)}
    for http1 in (False, True):
        context = ssl.create_default_context(cadata=authority.text)
        with running(make(), place) as server, client(server, verify=context) as http:
            http._transport._pool._http1 = http1  # type: ignore[attr-defined]
            got = http.get("/")
            assert got.http_version == "HTTP/2"
            assert got.json()["scheme"] == "https"
            assert http.get("/large").json() == BIG
    with running(make(), place) as server, httpx.Client(verify=context, base_url=server.urls[0]) as http:
        assert http.get("/").http_version == "HTTP/1.1"


def curl(*words: str, data: bytes = b"") -> bytes:
    command = ["curl", "--silent", "--show-error", "--max-time", "60", *words]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


@needs_curl
@pytest.mark.parametrize("how", ["--http2-prior-knowledge", "--http2"])
def test_curl_calls(how: str):
    with running(make(body_bytes_max=4_000_000)) as server:
        url = server.urls[0]
        assert b'"version":"2"' in curl(how, url)
        assert curl(how, f"{url}/large") == b'"' + BIG.encode() + b'"'
        # curl offers HTTP/2 with a body as well: that stays with HTTP/1.1.
        assert curl(how, "--data-binary", "@-", f"{url}/length", data=BIG.encode()).startswith(b'{"length":3000000')
        assert curl(how, "--write-out", "%{http_version} %{http_code}", f"{url}/nowhere").endswith(b"2 404")


@needs_curl
def test_curl_calls_again_on_the_same_connection():
    # Not by prior knowledge: curl 7.88 sends nothing the second time then, and blames the framing layer.
    with running(make()) as server:
        urls = [f"{server.urls[0]}/names/{name}" for name in "abc"]
        got = curl("--http2", "--write-out", " %{http_version} %{num_connects}\n", *urls)
        assert got.splitlines() == [b'["a",null] 2 1', b'["b",null] 2 0', b'["c",null] 2 0']


SETTINGS = "AAMAAABkAAQCAAAAAAIAAAAA"


def offer(settings: str = SETTINGS, more: str = "") -> bytes:
    head = "GET /names/a?q=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    return f"{head}HTTP2-Settings: {settings}\r\n{more}\r\n".encode()


def test_an_offer_is_taken_up_and_its_request_is_the_first_stream():
    with running(make()) as server, connected(server.port) as sock:
        sock.sendall(offer())
        got = b""
        while b"\r\n\r\n" not in got:
            got += sock.recv(65536)
        head, _, rest = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 ")
        one = Caller(sock, upgraded=rest)
        assert one.answer(1) == (200, b'["a","1"]')
        assert one.answer(one.request("GET", "/names/b"))[1] == b'["b",null]'


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(offer("AAMAAABk!"), id="not base64"),
        pytest.param(offer("AAMAAABkAA"), id="not whole settings"),
        pytest.param(offer(more=f"HTTP2-Settings: {SETTINGS}\r\n"), id="settings twice"),
        pytest.param(offer(more="Content-Length: 2\r\n") + b"{}", id="with a body"),
        pytest.param(offer().replace(b"Upgrade: h2c", b"Upgrade: h3"), id="another protocol"),
        pytest.param(offer().replace(b"Connection: Upgrade", b"Connection: close"), id="not for this connection"),
        pytest.param(offer().replace(b"HTTP/1.1", b"HTTP/1.0"), id="by HTTP/1.0"),
    ],
)
def test_an_offer_that_is_no_proper_one_is_answered_by_http_1(request_bytes: bytes):
    with running(make()) as server:
        last = b"GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        assert exchange(server.port, request_bytes, last).startswith((b"HTTP/1.1 200 ", b"HTTP/1.0 200 "))


def test_settings_that_are_not_allowed_are_refused():
    with running(make()) as server:
        # An initial window of 2^32 - 1.
        assert exchange(server.port, offer("AAT_____")).startswith(b"HTTP/1.1 400 ")


async def _until(is_so: Any) -> None:
    while not is_so():
        await asyncio.sleep(0.001)
