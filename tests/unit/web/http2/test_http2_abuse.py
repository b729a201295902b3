"""Callers of HTTP/2 that mean harm: a clear end, bounded memory, and a good caller beside them that is answered."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import h2.events
import psutil
import pytest
from h2.errors import ErrorCodes
from h2.settings import SettingCodes

from riacho.web.answers import json_answer, stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.http2.connection import STREAMS_MAX
from support.web_service import TIMEOUT_S, RunningServer, connected, running
from unit.web.http2.http2_caller import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Caller,
    caller,
    frame,
)

CALM = ErrorCodes.ENHANCE_YOUR_CALM
WAIT_S_MAX = 2.0
LARGE_BYTES = 8_000_000


class World:
    """How many handlers run at a time, and the most that ever did."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.release = asyncio.Event()
        self.app = App(
            "demo",
            [
                Endpoint("GET", "/", self._root, "Root."),
                Endpoint("GET", "/large", self._large, "Large."),
                Endpoint("GET", "/rows", self._rows, "Rows without end."),
                Endpoint("GET", "/held", self._held, "Takes its time."),
                Endpoint("POST", "/echo", self._echo, "Echo.", is_stream=True, request_types=("*/*",)),
            ],
        )

    async def _root(self, call: Call) -> Any:
        return json_answer({})

    async def _large(self, call: Call) -> Any:
        return json_answer("x" * LARGE_BYTES)

    async def _rows(self, call: Call) -> Any:
        async def pieces() -> AsyncIterator[bytes]:
            while True:
                yield b"row" * 100

        return stream_answer(pieces())

    async def _echo(self, call: Call) -> Any:
        return stream_answer(call.stream(), is_duplex=True)

    async def _held(self, call: Call) -> Any:
        self.running += 1
        self.most = max(self.most, self.running)
        # Does not notice that its caller has gone.
        await self.release.wait()
        self.running -= 1
        return json_answer({})


@contextmanager
def beside(server: RunningServer) -> Iterator[None]:
    """A good caller all the while: each of its calls is answered in time."""
    is_over = threading.Event()
    waits_s: list[float] = []
    failures: list[BaseException] = []

    def call() -> None:
        try:
            with caller(server.port) as good:
                while not is_over.is_set() or not waits_s:
                    began_s = time.monotonic()
                    assert good.answer(good.request("GET", "/")) == (200, b"{}")
                    waits_s.append(time.monotonic() - began_s)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(TIMEOUT_S)
    assert failures == []
    assert max(waits_s) < WAIT_S_MAX


def resident_bytes() -> int:
    return int(psutil.Process().memory_info().rss)


@pytest.fixture
def world() -> World:
    return World()


def test_streams_that_are_opened_and_reset_end_the_connection(world: World):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        block = bad.block("GET", "/held")
        for stream_id in range(1, 20_000, 2):
            bad.send_raw(
                frame(HEADERS, END_HEADERS | END_STREAM, stream_id, block)
                + frame(RST_STREAM, 0, stream_id, struct.pack(">I", 8))
            )
        assert bad.end() == CALM
        assert world.most <= STREAMS_MAX
        server.loop.call_soon_threadsafe(world.release.set)


def test_handlers_of_streams_that_were_reset_still_count(world: World):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        held = [bad.request("GET", "/held") for _ in range(STREAMS_MAX)]
        server.submit(_until(lambda: world.running == STREAMS_MAX))
        for stream in held:
            bad.reset(stream)
        refused = bad.request("GET", "/held")
        bad.until(h2.events.StreamReset, refused)
        assert world.most == STREAMS_MAX
        server.loop.call_soon_threadsafe(world.release.set)
        server.submit(_until(lambda: world.running == 0))
        assert bad.answer(bad.request("GET", "/"))[0] == 200


def test_frames_that_make_us_reset_streams_end_the_connection(world: World):
    """CVE-2025-8671: a window that overflows is an error of its stream alone."""
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        block = bad.block("POST", "/echo")
        for stream_id in range(1, 20_000, 2):
            bad.send_raw(
                frame(HEADERS, END_HEADERS, stream_id, block)
                + frame(WINDOW_UPDATE, 0, stream_id, struct.pack(">I", 2**31 - 1))
            )
        assert bad.end() == CALM


@pytest.mark.parametrize("size", [0, 10, 16_000])
def test_a_head_that_goes_on_and_on_ends_the_connection(world: World, size: int):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        bad.send_raw(frame(HEADERS, END_STREAM, 1, bad.block()))
        for _ in range(5000):
            bad.send_raw(frame(CONTINUATION, 0, 1, b"\0" * size))
        assert bad.end() in (CALM, ErrorCodes.PROTOCOL_ERROR)


FLOODS = {
    "ping": frame(PING, payload=b"8 bytes."),
    "settings": frame(SETTINGS),
    "settings that nobody knows": frame(
        SETTINGS, payload=b"".join(struct.pack(">HI", 0x1000 + at, 1) for at in range(2000))
    ),
    "settings that change": frame(SETTINGS, payload=struct.pack(">HIHI", 1, 0, 1, 4096)),
    "priority": frame(PRIORITY, 0, 1, b"\0\0\0\0\x10"),
    "window": frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)),
    "unknown": frame(0x77),
    "nothing": frame(DATA, 0, 1),
    "acknowledgements": frame(SETTINGS, 0x1),
    "resets of what is gone": frame(RST_STREAM, 0, 1, struct.pack(">I", 8)),
    "farewells": frame(7, payload=bytes(8)),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_frames_that_carry_nothing_end_the_connection(world: World, flood: str):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        stream = bad.request("POST", "/echo", body=None)
        assert stream == 1
        before = resident_bytes()
        for _ in range(40):
            bad.send_raw(FLOODS[flood] * 500)
        assert bad.end() in (CALM, ErrorCodes.NO_ERROR)
        assert resident_bytes() - before < 64 * 1024 * 1024


def test_a_few_of_them_are_no_flood(world: World):
    with running(world.app) as server, caller(server.port) as one:
        for _ in range(100):
            one.state.ping(b"8 bytes.")
        one.flush()
        assert one.answer(one.request("GET", "/")) == (200, b"{}")


def test_heads_that_grow_when_they_are_unpacked_end_the_connection(world: World):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        entry = bad.state.encoder.encode([("x", "y" * 3000)])
        # One byte each for the 3,000 that were remembered.
        bomb = bad.block() + entry + b"\xbe" * 10_000
        before = resident_bytes()
        bad.send_raw(frame(HEADERS, END_HEADERS | END_STREAM, 1, bomb))
        assert bad.end() == CALM
        assert resident_bytes() - before < 32 * 1024 * 1024


def test_a_head_that_is_somewhat_too_large_is_answered(world: World):
    with running(world.app, {"max.request.header.size": "1000"}) as server, caller(server.port) as one:
        status, body = one.answer(one.request("GET", "/", [("x", "y" * 1200)]))
        assert (status, body) == (431, b'{"error_code":431,"message":"The head of the request is too large."}')
        assert one.answer(one.request("GET", "/")) == (200, b"{}")
        one.request("GET", "/", [("x", "y" * 4000)])
        assert one.end() == CALM


def test_a_frame_is_not_waited_for_that_is_larger_than_agreed(world: World):
    with running(world.app) as server, beside(server), caller(server.port) as bad:
        bad.send_raw(frame(DATA, 0, 1, size=2**24 - 1))
        assert bad.end() == ErrorCodes.FRAME_SIZE_ERROR


@pytest.mark.parametrize("begun", [b"\0\0\x10\x01", frame(HEADERS, 0, 1, b"\x82"), frame(DATA, 0, 1, b"abc", size=9)])
def test_a_frame_that_does_not_come_is_given_up(world: World, begun: bytes):
    with running(world.app) as server, caller(server.port) as bad:
        assert bad.answer(bad.request("GET", "/"))[0] == 200
        connection = server.connection()
        connection.idle_timeout_s = 0.05
        bad.send_raw(begun)
        assert bad.end() == CALM


@pytest.mark.parametrize("path", ["/large", "/rows"])
@pytest.mark.parametrize("window", [0, 1])
def test_a_window_that_stays_shut_ends_the_stream(world: World, window: int, path: str):
    shut = {SettingCodes.INITIAL_WINDOW_SIZE: window}
    with running(world.app) as server, beside(server), caller(server.port, shut) as bad:
        bad.receive()
        for connection in server.server._state.connections:
            connection.idle_timeout_s = 0.2
        streams = [bad.request("GET", path) for _ in range(5)]
        for stream in streams:
            bad.until(h2.events.StreamReset, stream)
        server.submit(_until(lambda: world.app.metrics.in_flight <= 1))


def test_a_window_that_is_opened_byte_by_byte_does_not_keep_a_stream(world: World):
    shut = {SettingCodes.INITIAL_WINDOW_SIZE: 0}
    with running(world.app) as server, beside(server), caller(server.port, shut) as bad:
        bad.receive()
        for connection in server.server._state.connections:
            connection.idle_timeout_s = 0.3
        stream = bad.request("GET", "/large")
        while not bad.of(h2.events.StreamReset, stream):
            bad.state.increment_flow_control_window(1, stream)
            bad.flush()
            assert bad.receive(is_acknowledged=False)


def test_a_caller_that_reads_nothing_is_cut_off_and_holds_little(world: World):
    wide = {SettingCodes.INITIAL_WINDOW_SIZE: 2**31 - 1}
    with running(world.app) as server, beside(server), caller(server.port, wide) as bad:
        bad.receive()
        bad.state.increment_flow_control_window(2**30)
        streams = [bad.request("GET", "/rows") for _ in range(50)]
        assert len(streams) == 50
        held = server.submit(_paused(server))
        assert held.transport.get_write_buffer_size() < 1024 * 1024
        # Nor is it read from: what it would make us answer waits in its own buffers.
        assert held._valve.is_shut
        held.idle_timeout_s = 0.05
        held._pace.stop()
        held._pace.watch(0.05)
        server.submit(_until(lambda: held not in server.server._state.connections))
        server.submit(_until(lambda: world.app.metrics.in_flight <= 1))


def test_tables_for_heads_of_answers_stay_small(world: World):
    with running(world.app) as server, caller(server.port) as one:
        one.state.update_settings({SettingCodes.HEADER_TABLE_SIZE: 2**31})
        one.flush()
        for _ in range(50):
            assert one.answer(one.request("GET", "/"))[0] == 200
        assert server.connection()._h2.encoder.header_table_size <= 4096


def test_what_is_remembered_of_streams_has_a_bound(world: World):
    with running(world.app) as server, caller(server.port) as one:
        for _ in range(100):
            one.answer(one.request("GET", "/"))
        connection = server.connection()
        assert connection._streams == {}
        assert connection._h2._closed_streams._size_limit <= 2048
        assert len(connection._h2.streams) <= 2


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(frame(HEADERS, END_HEADERS, 0, b"\x82"), id="a head of no stream"),
        pytest.param(
            frame(HEADERS, END_HEADERS | END_STREAM, 2, b"\x82\x84\x86"), id="a stream that is not the caller's"
        ),
        pytest.param(
            frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff\xff\xff\xff"), id="a head that is no HPACK"
        ),
        pytest.param(frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x82"), id="a head without a path"),
        pytest.param(frame(DATA, 0, 99, b"abc"), id="data of no stream"),
        pytest.param(frame(CONTINUATION, END_HEADERS, 1), id="the end of no head"),
        pytest.param(frame(5, END_HEADERS, 1, b"\0\0\0\2\x82"), id="a push"),
        pytest.param(frame(SETTINGS, payload=struct.pack(">HI", 4, 2**32 - 1)), id="a window that is too large"),
        pytest.param(frame(SETTINGS, payload=b"12345"), id="half a setting"),
        pytest.param(frame(PING, payload=b"123"), id="a short ping"),
        pytest.param(frame(WINDOW_UPDATE, payload=bytes(4)), id="a window by nothing"),
        pytest.param(frame(WINDOW_UPDATE, payload=struct.pack(">I", 2**31 - 1)) * 2, id="a window that overflows"),
        pytest.param(frame(PRIORITY, 0, 3, b"\0\0\0\3\x10"), id="a stream that depends on itself"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="a second beginning"),
    ],
)
def test_what_is_no_http_2_ends_the_connection(world: World, nonsense: bytes, caplog: pytest.LogCaptureFixture):
    with running(world.app) as server, caller(server.port) as bad:
        bad.send_raw(nonsense)
        assert bad.end() not in (None, ErrorCodes.NO_ERROR, ErrorCodes.INTERNAL_ERROR)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("seed", range(30))
def test_any_bytes_lead_to_an_end_and_to_no_error_of_ours(seed: int, caplog: pytest.LogCaptureFixture):
    chance = random.Random(seed)
    world = World()
    with running(world.app) as server, caller(server.port) as bad:
        block = bad.block("POST", "/echo")
        for _ in range(60):
            payload = chance.choice([block, chance.randbytes(chance.randrange(40)), bytes(chance.choice([0, 4, 5, 8]))])
            kind, flags = chance.randrange(11), chance.randrange(256) & chance.choice([0, 1, 4, 5, 0x2D])
            bad.send_raw(frame(kind, flags, chance.choice([0, 1, 1, 3, 5, 7, 2]), payload))
        with suppress(OSError):
            bad.sock.shutdown(socket.SHUT_WR)
        with connected(server.port) as sock:
            good = Caller(sock)
            assert good.answer(good.request("GET", "/")) == (200, b"{}")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def _paused(server: RunningServer) -> Any:
    while True:
        for connection in server.server._state.connections:
            if getattr(connection, "_is_writing_paused", False):
                return connection
        await asyncio.sleep(0.001)


async def _until(is_so: Any) -> None:
    while not is_so():
        await asyncio.sleep(0.001)
