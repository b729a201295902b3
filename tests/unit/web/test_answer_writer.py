"""Heads of answers leave together with what follows them, and are not held up where nothing does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.web.answer_writer import AnswerWriter
from riacho.web.answers import stream_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.web_service import connected, running

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class World:
    """A transport and a loop that write down what they are told."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.soon: list[Callable[[], None]] = []
        self.writer = AnswerWriter(self, self)

    def call_soon(self, work: Callable[[], None]) -> None:
        self.soon.append(work)

    def come_round(self) -> None:
        for work in self.soon:
            work()
        self.soon.clear()

    def write(self, data: bytes) -> None:
        self.seen.append(data)

    def write_eof(self) -> None:
        self.seen.append("eof")

    def close(self) -> None:
        self.seen.append("close")

    def abort(self) -> None:
        self.seen.append("abort")


def test_a_head_and_what_follows_it_leave_together():
    world = World()
    world.writer.write(HEAD)
    world.writer.write(b"body")
    world.come_round()
    assert world.seen == [HEAD + b"body"]


def test_a_head_that_nothing_follows_leaves_when_the_loop_comes_round():
    world = World()
    world.writer.write(HEAD)
    assert world.seen == []
    world.come_round()
    world.writer.write(b"late")
    world.come_round()
    assert world.seen == [HEAD, b"late"]


def test_a_head_leaves_before_the_connection_ends():
    for end in ("close", "write_eof"):
        world = World()
        world.writer.write(HEAD)
        getattr(world.writer, end)()
        assert world.seen == [HEAD, end.removeprefix("write_")]


def test_everything_else_is_the_transports_own():
    world = World()
    world.writer.abort()
    assert world.seen == ["abort"]


def test_a_caller_sees_the_head_while_the_body_is_still_to_come():
    async def quiet(call: Call) -> Any:
        return stream_answer(call.stream(), is_duplex=True)

    app = App("demo", [Endpoint("POST", "/", quiet, "Quiet.", is_stream=True, request_types=("*/*",))])
    with running(app) as server, connected(server.port) as sock:
        sock.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        got = b""
        while not got.endswith(b"\r\n\r\n"):
            got += sock.recv(4096)
        assert got.startswith(b"HTTP/1.1 200 OK")
