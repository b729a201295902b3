"""Whether a caller reads what it is sent: watched while more waits for it than the transport wants to hold.

One that reads steadily has all the time it needs; one that hardly reads holds memory, and is cut off.
"""

from __future__ import annotations

import asyncio

from riacho.web.limits import READ_BYTES_MIN


class ReadingPace:
    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, timeout_s: float) -> None:
        """From now on READ_BYTES_MIN have to be read in each `timeout_s`, until `stop`."""
        unread_bytes = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_later(timeout_s, self._check, unread_bytes, timeout_s)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, unread_bytes: int, timeout_s: float) -> None:
        if unread_bytes - self._transport.get_write_buffer_size() < READ_BYTES_MIN:
            self._transport.abort()
        else:
            self.watch(timeout_s)
