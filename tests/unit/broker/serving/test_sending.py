"""An answer with records on its way out, over a real pair of sockets and a real file."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from riacho.broker.serving.answer_out import joined
from riacho.broker.serving.sending import Sending
from support.broker_fakes import HandLoop


class Slice(NamedTuple):
    fd: int
    position: int
    size: int


class Done(NamedTuple):
    size_bytes: int
    error: OSError | None
    was_immediate: bool


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, peers = socket.socketpair()
    ours.setblocking(False)
    peers.settimeout(10)
    with ours, peers:
        yield ours, peers


@pytest.fixture
def segment(tmp_path: Path) -> Iterator[tuple[int, bytes]]:
    """A file of a few mebibytes, more than any socket buffer takes at once."""
    data = os.urandom(4 << 20)
    path = tmp_path / "segment"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    yield fd, data
    os.close(fd)


def send(
    loop: HandLoop, ours: socket.socket, out: bytes, splices: list[tuple[int, Slice]]
) -> tuple[Sending, list[Done]]:
    done: list[Done] = []
    sending = Sending(loop, ours, bytearray(out), splices, lambda *all_: done.append(Done(*all_)))  # type: ignore[arg-type]
    sending.run()
    return sending, done


def drain(loop: HandLoop, peers: socket.socket, size: int) -> bytes:
    """Read `size` bytes, letting the sender go on whenever it waits to write."""
    received = bytearray()
    while len(received) < size:
        received += peers.recv(1 << 20)
        for act in list(loop.writers.values()):
            act()
    return bytes(received)


def test_bytes_and_slices_leave_in_their_order_at_once(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]
) -> None:
    ours, peers = pair
    fd, data = segment
    loop = HandLoop()
    _, done = send(loop, ours, b"headmiddletail", [(4, Slice(fd, 10, 100)), (10, Slice(fd, 500, 50))])
    expected = b"head" + data[10:110] + b"middle" + data[500:550] + b"tail"
    assert done == [Done(len(expected), None, True)]
    assert peers.recv(1_000) == expected
    assert loop.writers == {}


def test_slices_may_touch_and_may_be_empty(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]
) -> None:
    ours, peers = pair
    fd, data = segment
    _, done = send(HandLoop(), ours, b"head", [(4, Slice(fd, 0, 7)), (4, Slice(fd, 3, 0)), (4, Slice(fd, 7, 5))])
    assert done == [Done(16, None, True)]
    assert peers.recv(100) == b"head" + data[:12]


def test_what_the_socket_does_not_take_goes_when_it_is_writable(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]
) -> None:
    ours, peers = pair
    fd, data = segment
    loop = HandLoop()
    _, done = send(loop, ours, b"headtail", [(4, Slice(fd, 0, len(data)))])
    assert done == []
    assert list(loop.writers) == [ours.fileno()]
    assert drain(loop, peers, len(data) + 8) == b"head" + data + b"tail"
    assert done == [Done(len(data) + 8, None, False)]
    assert loop.writers == {}


def test_a_peer_that_left_is_told_once(pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]) -> None:
    ours, peers = pair
    fd, data = segment
    loop = HandLoop()
    _, done = send(loop, ours, b"head", [(4, Slice(fd, 0, len(data)))])
    peers.close()
    for act in list(loop.writers.values()):
        act()
    [(_, error, was_immediate)] = done
    assert isinstance(error, ConnectionError)
    assert not was_immediate
    assert loop.writers == {}


def test_a_segment_shorter_than_its_slice_is_an_error_and_no_endless_loop(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]
) -> None:
    ours, _ = pair
    fd, data = segment
    loop = HandLoop()
    _, done = send(loop, ours, b"head", [(4, Slice(fd, len(data) - 10, 20))])
    for act in list(loop.writers.values()):
        act()
    [(size_bytes, error, _)] = done
    assert loop.writers == {}
    assert size_bytes == 14
    assert error is not None
    assert "shorter" in str(error)


def test_a_cancelled_answer_is_watched_no_more(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes]
) -> None:
    ours, _ = pair
    fd, data = segment
    loop = HandLoop()
    sending, done = send(loop, ours, b"head", [(4, Slice(fd, 0, len(data)))])
    sending.cancel()
    sending.cancel()
    assert (loop.writers, done) == ({}, [])


class Unreadable:
    size = 5

    def __init__(self, found: bytes | OSError) -> None:
        self._found = found

    def read(self) -> bytes:
        if isinstance(self._found, OSError):
            raise self._found
        return self._found


@pytest.mark.parametrize("found", [OSError(5, "Input/output error"), b"cut"])
def test_an_answer_whose_records_cannot_be_read_is_none_and_the_connection_ends(found: bytes | OSError) -> None:
    closed: list[bool] = []
    whole = joined(bytearray(b"head tail"), [(4, Unreadable(found))], lambda: closed.append(True))
    assert (whole, closed) == (None, [True])
    whole = joined(bytearray(b"head tail"), [(4, Unreadable(b" body"))], lambda: closed.append(True))
    assert (whole, closed) == (b"head body tail", [True])


def test_a_socket_that_took_a_part_is_not_asked_again_before_it_says_so(
    pair: tuple[socket.socket, socket.socket], segment: tuple[int, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of all calls would be for nothing, with answers larger than its buffer."""
    ours, peers = pair
    fd, data = segment
    loop = HandLoop()
    asked: list[int] = []
    sendfile = os.sendfile

    def counted(out: int, source: int, offset: int, count: int) -> int:
        asked.append(offset)
        return sendfile(out, source, offset, count)

    monkeypatch.setattr(os, "sendfile", counted)
    _, done = send(loop, ours, b"head", [(4, Slice(fd, 0, len(data)))])
    assert (asked, done, len(loop.writers)) == ([0], [], 1)
    assert drain(loop, peers, 4 + len(data)) == b"head" + data
