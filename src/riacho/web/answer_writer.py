"""A transport that sends the head of an answer together with the first of its body.

uvicorn writes them one after the other, and uvloop sends each write at once: two calls of the system, two packets, and
a caller that is woken up for a head alone. Here the head waits for what is written next, at most until the loop comes
round: an answer that begins long before its body does is not held up.
"""

from __future__ import annotations

import asyncio
from typing import Any

_HEAD = b"HTTP/1.1 "


class AnswerWriter:
    """Everything but writing is the transport's own."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._call_soon = loop.call_soon
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head + data)
        elif data.startswith(_HEAD):
            self._head = data
            self._call_soon(self._flush)
        else:
            self._transport.write(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def write_eof(self) -> None:
        self._flush()
        self._transport.write_eof()

    def released(self) -> Any:
        """The transport itself, for who speaks something else than HTTP/1.1 from now on."""
        self._flush()
        return self._transport

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)
