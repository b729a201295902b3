"""Signals as a queue that can be waited on, with a time limit.

Handlers only leave the signal's number in a socket (the interpreter does that by itself, see `set_wakeup_fd`); the
program takes the numbers out where it is ready to act on them, so no handler ever runs in the middle of something.
"""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import Iterable
from types import FrameType, TracebackType
from typing import Any


class SignalQueue:
    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = tuple(numbers)
        self._before: dict[int, Any] = {}

    def __enter__(self) -> SignalQueue:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._wakeup_before = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in self._numbers:
            self._before[number] = signal.signal(number, _ignore)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        self._reader.close()
        self._writer.close()

    def wait(self, timeout_s: float | None) -> list[int]:
        """The signals that came, as soon as there is one; none when the time is up."""
        ready, _, _ = select.select([self._reader], [], [], timeout_s)
        return list(self._reader.recv(4096)) if ready else []


def _ignore(number: int, frame: FrameType | None) -> None:
    """The wakeup socket has it."""
