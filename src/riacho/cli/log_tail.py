"""The end of a file that others write to: its last lines, then what is added.

Whoever writes it may go on in a new file, and keep the old one as `name.1` and so on (`broker/log_file.py`); or begin
it anew in its place. What was written meanwhile is given in its order either way.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from riacho.broker.log_file import earlier_files

_BLOCK_BYTES = 256 * 1024
# Where there is no end of a line in so much, there is none that anybody could read.
_LINE_BYTES_MAX = 4 * 1024 * 1024
# So much is taken at once.
_READ_BYTES_MAX = 8 * 1024 * 1024
_Identity = tuple[int, int]


class LogTail:
    """Lines are given when they are whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: _Identity | None = None
        self._position = 0
        self._half = b""

    def last(self, count: int) -> list[str]:
        """`new` goes on behind them."""
        found = []
        for _, line in zip(range(count), self.backwards(), strict=False):
            found.append(line)
        if not count:
            self.skip()
        return found[::-1]

    def skip(self) -> None:
        """What is there is not asked for; `new` goes on behind it."""
        for _ in self.backwards():
            return

    def backwards(self) -> Iterator[str]:
        """What is there, the last line first, then that of the earlier files. `new` goes on behind it."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            self._identity = _identity(file)
            self._position = file.seek(0, os.SEEK_END)
            lines = _lines_backwards(file, self._position)
            self._half = next(lines, b"")
            yield from map(_text, lines)
        read = {self._identity}
        for path in reversed(earlier_files(self._path)):
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            with file:
                # One that was moved on meanwhile has come by already.
                if _identity(file) not in read:
                    read.add(_identity(file))
                    lines = _lines_backwards(file, file.seek(0, os.SEEK_END))
                    half = next(lines, b"")
                    yield from map(_text, ([half] if half else []))
                    yield from map(_text, lines)

    def forwards(self) -> Iterator[str]:
        """All that is there, from the earliest file on. `new` goes on behind it."""
        for path in earlier_files(self._path)[:1]:
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                self._identity = _identity(file)
        before = None
        while before != (self._identity, self._position):
            before = self._identity, self._position
            yield from self.new()

    def new(self) -> list[str]:
        """What was added since the last question; where that is much, the first of it."""
        lines: list[bytes] = []
        with contextlib.ExitStack() as opened:
            for file in [opened.enter_context(each) for each in self._files()]:
                lines += self._begun(file)
                size = file.seek(0, os.SEEK_END)
                if size < self._position:
                    self._position, self._half = 0, b""
                file.seek(self._position)
                data = file.read(min(size - self._position, _READ_BYTES_MAX))
                self._position += len(data)
                *whole, self._half = (self._half + data).split(b"\n")
                lines += whole
                if self._position < size:
                    break
        return [_text(line) for line in lines]

    def _begun(self, file: BinaryIO) -> list[bytes]:
        """The end of the file before, where this is the next: it will not become a whole line."""
        identity = _identity(file)
        if identity == self._identity:
            return []
        ended = [self._half] if self._half else []
        self._identity, self._position, self._half = identity, 0, b""
        return ended

    def _files(self) -> list[BinaryIO]:
        """That which was read last, where it was moved on, those that came after it, and the one written now."""
        try:
            current = self._path.open("rb")
        except FileNotFoundError:
            return []
        if self._identity in (None, _identity(current)):
            return [current]
        newer: list[BinaryIO] = [current]
        for path in reversed(earlier_files(self._path)):
            with contextlib.suppress(FileNotFoundError):
                newer.append(path.open("rb"))
            if _identity(newer[-1]) == self._identity:
                return newer[::-1]
        # It is gone: begun anew by somebody else, or moved on more often than files are kept.
        for file in newer[1:]:
            file.close()
        return [current]


def _identity(file: BinaryIO) -> _Identity:
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino


def _lines_backwards(file: BinaryIO, end: int) -> Iterator[bytes]:
    """What stands behind the last end of a line, which may be nothing, and then the lines before it."""
    rest = b""
    while end > 0:
        begin = max(0, end - _BLOCK_BYTES)
        file.seek(begin)
        rest = file.read(end - begin) + rest
        end = begin
        if len(rest) > _LINE_BYTES_MAX and b"\n" not in rest:
            return
        rest, *lines = rest.split(b"\n")
        yield from reversed(lines)
    yield rest


def _text(line: bytes) -> str:
    return line.decode(errors="replace")
