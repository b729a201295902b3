"""Answers without an end: read line by line, on a connection of their own, and cut from another thread."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from riacho.client.http_client import HttpCall, HttpClient
from riacho.client.http_target import HttpError

LINE_MAX = 100
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n"
UNTIL_CLOSED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
END = b"0\r\n\r\n"


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


class Peer:
    """One connection, answered with these bytes; then it stays open until the client hangs up, or is closed."""

    def __init__(self, *pieces: bytes, closes: bool) -> None:
        self._pieces = pieces
        self._closes = closes
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/x"
        self.is_left = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with self._listener, self._listener.accept()[0] as connection:
            if not connection.recv(4096).endswith(b"\r\n\r\n"):
                return
            for piece in self._pieces:
                connection.sendall(piece)
            if not self._closes:
                connection.settimeout(30)
                while connection.recv(4096):
                    pass
                self.is_left.set()

    def join(self) -> None:
        self._thread.join(30)


@contextmanager
def peer(*pieces: bytes, closes: bool = True) -> Iterator[Peer]:
    made = Peer(*pieces, closes=closes)
    yield made
    made.join()


@pytest.fixture
def client() -> Iterator[HttpClient]:
    made = HttpClient()
    yield made
    made.close()


@pytest.mark.parametrize(
    "pieces",
    [(CHUNKED, chunk(b"a\nb"), chunk(b"\nc\n"), END), (UNTIL_CLOSED, b"a\n", b"b\nc\n")],
    ids=["chunks", "closed"],
)
def test_lines_as_they_come(client: HttpClient, pieces: tuple[bytes, ...]) -> None:
    with peer(*pieces) as other, client.stream("GET", other.url) as stream:
        assert (stream.status, stream.is_good) == (200, True)
        assert [stream.line(LINE_MAX) for _ in range(4)] == [b"a\n", b"b\n", b"c\n", b""]


def test_an_answer_that_breaks_off_is_no_end(client: HttpClient) -> None:
    with peer(CHUNKED, chunk(b"a\n")) as other, client.stream("GET", other.url) as stream:
        assert stream.line(LINE_MAX) == b"a\n"
        with pytest.raises(HttpError, match="broke off the connection"):
            stream.line(LINE_MAX)


def test_a_line_has_a_longest(client: HttpClient) -> None:
    with peer(CHUNKED, *[chunk(b"x" * 60)] * 3, END) as other, client.stream("GET", other.url) as stream:
        assert stream.is_good
        with pytest.raises(HttpError, match="too large"):
            stream.line(LINE_MAX)


def test_leaving_ends_it_for_the_other_side(client: HttpClient) -> None:
    with peer(CHUNKED, chunk(b"a\n"), closes=False) as other:
        with client.stream("GET", other.url) as stream:
            assert stream.line(LINE_MAX) == b"a\n"
        assert other.is_left.wait(30)


@pytest.mark.parametrize("head", [CHUNKED + chunk(b"a\n"), UNTIL_CLOSED + b"a\n"], ids=["chunks", "closed"])
def test_another_thread_cuts_it(client: HttpClient, head: bytes) -> None:
    call = HttpCall()
    has_begun = threading.Event()

    def read(url: str) -> bytes:
        with client.stream("GET", url, call=call) as stream:
            stream.line(LINE_MAX)
            has_begun.set()
            try:
                return stream.line(LINE_MAX)
            except HttpError:
                return b""

    with peer(head, closes=False) as other, ThreadPoolExecutor(1) as threads:
        reading = threads.submit(read, other.url)
        assert has_begun.wait(30)
        client.cut(call)
        assert reading.result(30) == b""
        assert other.is_left.wait(30)


def test_what_was_cut_before_it_began_is_not_sent(client: HttpClient) -> None:
    call = HttpCall()
    client.cut(call)
    refused = pytest.raises(HttpError, match="nobody waits")
    with peer(closes=False) as other, refused, client.stream("GET", other.url, call=call):
        pass


def test_a_head_that_does_not_come_is_waited_for_no_longer_than_said(client: HttpClient) -> None:
    late = pytest.raises(HttpError, match=r"did not answer within 0\.05 s")
    with peer(closes=False) as other, late, client.stream("GET", other.url, timeout_s=0.05):
        pass


def test_a_head_may_take_any_time(client: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    limits_s: list[float | None] = []
    wait_for_head = http.client.HTTPConnection.getresponse

    def recorded(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        limits_s.append(connection.sock.gettimeout())
        return wait_for_head(connection)

    monkeypatch.setattr(http.client.HTTPConnection, "getresponse", recorded)
    for timeout_s in (30.0, None):
        with peer(CHUNKED, END) as other, client.stream("GET", other.url, timeout_s=timeout_s) as stream:
            assert stream.line(LINE_MAX) == b""
    assert limits_s == [30.0, None]
