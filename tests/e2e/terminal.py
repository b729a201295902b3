"""A program on a pseudo-terminal, and what a person would see and type."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping
from types import TracebackType

_ESCAPES = re.compile(rb"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>()][0-9A-Za-z]?)")

_WHERE = b"\x1b[6n"


class Terminal:
    def __init__(self, words: list[str], environment: Mapping[str, str], timeout_s: float = 60) -> None:
        self._timeout_s = timeout_s
        self._seen = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, dict(environment))
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))

    def write(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def wait_for(self, pattern: str) -> str:
        """What stood before and in the first match; it counts as seen from then on."""
        deadline = time.monotonic() + self._timeout_s
        wanted = re.compile(pattern.encode())
        while True:
            shown = _ESCAPES.sub(b"", self._seen)
            found = wanted.search(shown)
            if found:
                self._seen = shown[found.end() :]
                return shown[: found.end()].decode(errors="replace")
            left = deadline - time.monotonic()
            ready = self._is_readable(max(left, 0))
            if not ready:
                raise TimeoutError(f"no {pattern!r} within {self._timeout_s} s in {shown.decode(errors='replace')!r}")
            try:
                data = os.read(self._fd, 65536)
                self._seen += data
                self._tell_place(data)
            except OSError as error:
                raise EOFError(f"the program ended before {pattern!r}: {shown.decode(errors='replace')!r}") from error

    def _tell_place(self, data: bytes) -> None:
        """As terminals do that are asked where the cursor is: at the top, so that there is room below."""
        for _ in range(data.count(_WHERE)):
            os.write(self._fd, b"\x1b[1;1R")

    def _is_readable(self, timeout_s: float) -> bool:
        """By poll: select knows no number above a thousand, and a process of many tests may have more files open."""
        waiting = select.poll()
        waiting.register(self._fd, select.POLLIN)
        return bool(waiting.poll(timeout_s * 1_000))

    def wait_for_exit(self) -> int:
        deadline = time.monotonic() + self._timeout_s
        while (left := deadline - time.monotonic()) > 0:
            if not self._is_readable(left):
                continue
            try:
                if not os.read(self._fd, 65536):
                    break
            except OSError:
                break
        else:
            raise TimeoutError("the program does not end")
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)
