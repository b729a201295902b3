"""One answer with records on its way out: bytes and file slices in turn, as fast as the socket takes them."""

from __future__ import annotations

import os
import socket
from asyncio import AbstractEventLoop
from collections.abc import Callable

from riacho.log.file_slice import FileSlice

Part = memoryview | FileSlice

# Tells the kernel that more follows, so that the header does not travel alone.
_MSG_MORE = getattr(socket, "MSG_MORE", 0)


class Sending:
    __slots__ = ("_done", "_is_watching", "_loop", "_part", "_parts", "_progress", "_socket", "_total")

    def __init__(
        self,
        loop: AbstractEventLoop,
        sock: socket.socket,
        out: bytearray,
        splices: list[tuple[int, FileSlice]],
        done: Callable[[int, OSError | None, bool], None],
    ) -> None:
        self._loop = loop
        self._socket = sock
        self._done = done
        self._parts = _interleaved(out, splices)
        self._part = 0
        self._progress = 0
        self._total = 0
        self._is_watching = False

    @property
    def is_watching(self) -> bool:
        """Whether the socket has not taken all of it yet."""
        return self._is_watching

    @property
    def sent_bytes(self) -> int:
        return self._total

    def run(self) -> None:
        """Send what the socket takes, the rest when it is writable. `done(size, error, was_immediate)` comes once."""
        try:
            is_finished = self._advance()
        except OSError as error:
            self._finish(error)
            return
        if is_finished:
            self._finish(None)
        elif not self._is_watching:
            self._is_watching = True
            self._loop.add_writer(self._socket.fileno(), self.run)

    def cancel(self) -> None:
        if self._is_watching:
            self._is_watching = False
            self._loop.remove_writer(self._socket.fileno())

    def _finish(self, error: OSError | None) -> None:
        was_immediate = not self._is_watching
        self.cancel()
        self._done(self._total, error, was_immediate)

    def _advance(self) -> bool:
        while self._part < len(self._parts):
            part = self._parts[self._part]
            try:
                sent, size = self._send(part)
            except BlockingIOError:
                return False
            self._total += sent
            self._progress += sent
            if self._progress < size:
                if sent == 0:
                    raise OSError("a segment is shorter than its slice")
                # The socket is full: another call now would send nothing.
                return False
            self._part += 1
            self._progress = 0
        return True

    def _send(self, part: Part) -> tuple[int, int]:
        if isinstance(part, memoryview):
            flags = _MSG_MORE if self._part + 1 < len(self._parts) else 0
            return self._socket.send(part[self._progress :], flags), len(part)
        sent = os.sendfile(self._socket.fileno(), part.fd, part.position + self._progress, part.size - self._progress)
        return sent, part.size


def _interleaved(out: bytearray, splices: list[tuple[int, FileSlice]]) -> list[Part]:
    view = memoryview(out)
    parts: list[Part] = []
    start = 0
    for position, piece in splices:
        if position > start:
            parts.append(view[start:position])
        if piece.size:
            parts.append(piece)
        start = position
    if start < len(out):
        parts.append(view[start:])
    return parts
