"""WebSocket callers that mean harm: a close code or an end, bounded memory, and others who are answered."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.web_service import RunningServer, connected, exchange, running
from unit.web.websocket.test_websocket import World, offer

TEXT, BYTES, CLOSE, PING, PONG, MORE = 1, 2, 8, 9, 10, 0
FIN = 0x80


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, size: int | None = None) -> bytes:
    """Masked, with a mask of zeros; `size` is what it says its payload has."""
    length = len(payload) if size is None else size
    if length < 126:
        head = struct.pack(">BB", opcode | FIN * fin, 0x80 | length)
    elif length < 1 << 16:
        head = struct.pack(">BBH", opcode | FIN * fin, 0x80 | 126, length)
    else:
        head = struct.pack(">BBQ", opcode | FIN * fin, 0x80 | 127, length)
    return head + bytes(4) + payload


@contextmanager
def opened(server: RunningServer, path: str = "/echo") -> Iterator[socket.socket]:
    with connected(server.port) as sock:
        sock.sendall(offer(path))
        got = b""
        while not got.endswith(b"\r\n\r\n"):
            got += sock.recv(1)
        assert got.startswith(b"HTTP/1.1 101 ")
        yield sock


def close_code(sock: socket.socket) -> int | None:
    """Of the last frame before the end; None where it ended without one."""
    received = bytearray()
    try:
        while piece := sock.recv(65536):
            received += piece
    except ConnectionError:
        pass
    code, at = None, 0
    while at + 2 <= len(received):
        opcode, length = received[at] & 15, received[at + 1]
        at += 2
        if length == 126:
            length = int.from_bytes(received[at : at + 2], "big")
            at += 2
        elif length == 127:
            length = int.from_bytes(received[at : at + 8], "big")
            at += 8
        if opcode == CLOSE:
            code = int.from_bytes(received[at : at + 2], "big")
        at += length
    return code


def send(sock: socket.socket, data: bytes) -> None:
    try:
        sock.sendall(data)
    except ConnectionError:
        return


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(frame(TEXT, b"x" * 100_001), 1009, id="a large message"),
        pytest.param(frame(TEXT, b"x" * 9, size=1 << 40) + b"x" * 200_000, 1009, id="one that never ends"),
        pytest.param(frame(TEXT, b"x", fin=False) + frame(MORE, b"x", fin=False) * 100_001, 1009, id="many fragments"),
        pytest.param(frame(TEXT, b"\xff\xfe"), 1007, id="no text"),
        pytest.param(frame(3, b"x"), 1002, id="an opcode that is none"),
        pytest.param(frame(MORE, b"x"), 1002, id="the rest of nothing"),
        pytest.param(frame(PING, b"x" * 126), 1002, id="a long ping"),
        pytest.param(frame(PING, b"x", fin=False), 1002, id="a ping in fragments"),
        pytest.param(b"\x81\x01x", 1002, id="without a mask"),
        pytest.param(b"\xc1\x80\0\0\0\0", 1002, id="compressed"),
        pytest.param(frame(CLOSE, b"\x03"), 1002, id="half a code"),
        pytest.param(frame(CLOSE, struct.pack(">H", 1005)), 1002, id="a code that is not sent"),
        pytest.param(frame(CLOSE, struct.pack(">H", 1000)), 1000, id="a proper end"),
    ],
)
def test_what_is_not_allowed_is_answered_by_a_code(
    data: bytes, code: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("riacho.web.websocket.connection.CLOSE_TIMEOUT_S", 0.2)
    world = World()
    with running(world.app) as server:
        with opened(server) as sock:
            send(sock, data)
            assert close_code(sock) == code
        assert exchange(server.port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert "error" not in caplog.text


def test_a_caller_that_is_silent_is_asked_and_then_cut_off():
    world = World()
    with running(world.app, {"idle.timeout.ms": "100"}) as server, opened(server, "/silent") as sock:
        assert sock.recv(2) == bytes([FIN | PING, 0])
        assert close_code(sock) is None


def test_a_caller_that_answers_stays():
    world = World()
    with running(world.app, {"idle.timeout.ms": "100"}) as server, opened(server, "/silent") as sock:
        for _ in range(5):
            assert sock.recv(2) == bytes([FIN | PING, 0])
            sock.sendall(frame(PONG))
        assert not world.ended.is_set()


def test_a_caller_that_reads_nothing_is_cut_off_and_holds_little():
    world = World()
    with running(world.app) as server, opened(server, "/rows") as sock:
        connection = server.connection()
        server.submit(_until(lambda: not connection._writable.is_set()))
        assert connection.transport.get_write_buffer_size() < 1024 * 1024
        # Nor is it read from: pings would be answered into the same buffer.
        assert connection._valve.is_shut
        connection._pace.stop()
        connection._pace.watch(0.05)
        server.submit(_until(world.ended.is_set))
        del sock


def test_messages_that_nobody_takes_are_not_read_ahead_without_end():
    world = World()
    with running(world.app) as server, opened(server, "/silent") as sock:
        connection = server.connection()
        sock.setblocking(False)
        _fill(sock, frame(TEXT, b"x" * 1000))
        server.submit(_until(lambda: connection._valve.is_shut))
        assert connection._waiting_bytes <= 64 * 1024 + 1000
        assert exchange(server.port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_flood_of_pings_holds_nobody_up():
    world = World()
    with running(world.app) as server, opened(server) as sock:
        sock.setblocking(False)
        _fill(sock, frame(PING) * 1000)
        for _ in range(5):
            assert exchange(server.port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("seed", range(10))
def test_any_bytes_lead_to_an_end_and_to_no_error_of_ours(
    seed: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("riacho.web.websocket.connection.CLOSE_TIMEOUT_S", 0.05)
    world = World()
    with running(world.app) as server:
        with opened(server) as sock:
            send(sock, frame(TEXT, b"abc") + random.Random(seed).randbytes(2000))
            sock.shutdown(socket.SHUT_WR)
            close_code(sock)
        assert exchange(server.port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert "rror" not in caplog.text


def _fill(sock: socket.socket, data: bytes) -> None:
    """Until no more is taken."""
    with contextlib.suppress(BlockingIOError):
        for _ in range(20_000):
            sock.send(data)


async def _until(is_so: Any) -> None:
    while not is_so():
        await asyncio.sleep(0.001)
