"""Many pages that follow the control center at a time: what each costs it in memory."""

from __future__ import annotations

import resource
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

_TIMEOUT_S = 60
_HEAD_END = b"\r\n\r\n"


class Followers:
    """Open streams of one path, read as they come."""

    def __init__(self, port: int, path: str, count: int) -> None:
        self._selector = selectors.EpollSelector()
        self._sockets: list[socket.socket] = []
        _allow_files(count + 256)
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n".encode()
        for _ in range(count):
            sock = socket.create_connection(("127.0.0.1", port), timeout=_TIMEOUT_S)
            self._sockets.append(sock)
            sock.sendall(request)
            _wait(sock)
            self._selector.register(sock, selectors.EVENT_READ)

    def read(self, duration_s: float) -> int:
        """Bytes that came meanwhile."""
        ends, size = time.monotonic() + duration_s, 0
        while (left := ends - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                assert isinstance(key.fileobj, socket.socket)
                piece = key.fileobj.recv(65_536)
                if not piece:
                    raise RuntimeError("a stream was ended by the console")
                size += len(piece)
        return size

    def close(self) -> None:
        for each in self._sockets:
            each.close()
        self._selector.close()


def _wait(sock: socket.socket) -> None:
    """Until its answer has begun."""
    head = b""
    while _HEAD_END not in head:
        piece = sock.recv(65_536)
        head += piece
        if not piece or not head.startswith(b"HTTP/1.1 200"[: len(head)]):
            raise RuntimeError(f"a stream was refused: {head[:200]!r}")


@contextmanager
def followers(port: int, path: str, count: int) -> Iterator[Followers]:
    own = Followers(port, path, count)
    try:
        yield own
    finally:
        own.close()


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))
