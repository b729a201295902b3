"""Whether a connection is read from: shut while what came has to wait for its turn, or its caller does not read."""

from __future__ import annotations

import asyncio


class ReadingValve:
    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.is_shut = False

    def turn(self, *, is_shut: bool) -> None:
        """May be said again and again."""
        if is_shut != self.is_shut and not self._transport.is_closing():
            self.is_shut = is_shut
            if is_shut:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()
