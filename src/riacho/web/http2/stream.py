"""One request on a connection of HTTP/2 and its answer, as an ASGI application sees them.

The body waits here until it is asked for, and only then may the caller send more of it: never more than a stream's
window. The answer goes out as the caller's windows allow; one that leaves them shut is let go after `idle_timeout_s`.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Scope

from riacho.web.http2.head import Header
from riacho.web.limits import READ_BYTES_MIN

_log = logging.getLogger("riacho.web")


class Connection(Protocol):
    """What a stream asks of the connection that it is on."""

    idle_timeout_s: float
    sent_bytes: int

    def send_head(self, stream_id: int, status: int, headers: list[Header]) -> None: ...
    def send_piece(self, stream_id: int, piece: memoryview, *, is_last: bool) -> bool: ...
    def room(self, stream_id: int) -> int: ...
    def windows(self, stream_id: int) -> tuple[int, int]: ...
    def consumed(self, stream_id: int, size_bytes: int) -> None: ...
    def stalled(self, stream: Http2Stream) -> None: ...


class Http2Stream:
    """`disconnected` and `more_body` have the names that they have in uvicorn: `web/call.py` looks at them."""

    def __init__(
        self, connection: Connection, stream_id: int, scope: Scope, loop: asyncio.AbstractEventLoop, *, has_body: bool
    ) -> None:
        self.stream_id = stream_id
        self.more_body = has_body
        self.disconnected = False
        self.response_started = False
        self.response_complete = False
        self._connection = connection
        self._scope = scope
        self._loop = loop
        self._body = bytearray()
        # Counted by flow control, padding included, and not yet given back.
        self._held_bytes = 0
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._sent_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self.task: asyncio.Task[None] | None = None
        # Whether the application has been given the request.
        self.is_running = False
        if not has_body:
            self._arrived.set()

    async def run(self, app: ASGIApp) -> None:
        self.is_running = True
        try:
            await app(self._scope, self._receive, self._send)
        except ClientDisconnect:
            pass
        except Exception:
            _log.exception("unforeseen error of an application path=%s", self._scope["path"])
        finally:
            self._stop_watching()

    # From the caller

    def feed(self, data: bytes, flow_bytes: int) -> None:
        if self.disconnected or self.response_complete:
            self._connection.consumed(self.stream_id, flow_bytes)
            return
        self._body += data
        self._held_bytes += flow_bytes
        self._arrived.set()

    def end_body(self) -> None:
        self.more_body = False
        self._arrived.set()

    def disconnect(self) -> None:
        """The caller has gone, or no longer wants the answer."""
        self.disconnected = True
        self._give_back()
        self._arrived.set()
        self._writable.set()

    def wake(self) -> None:
        """There may be room for more of the answer."""
        self._writable.set()

    # From the application

    async def _receive(self) -> Message:
        if not self.disconnected and not self.response_complete:
            await self._arrived.wait()
            self._arrived.clear()
        if self.disconnected or self.response_complete:
            return {"type": "http.disconnect"}
        body = bytes(self._body)
        self._give_back()
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    async def _send(self, message: Message) -> None:
        if self.disconnected:
            # Where it were only ignored, rows that are there already would be made for nobody, without end.
            raise ClientDisconnect
        if not self.response_started:
            self._connection.send_head(self.stream_id, message["status"], list(message.get("headers", ())))
            self.response_started = True
            return
        if self.response_complete:
            raise RuntimeError("The answer is complete: there is nothing to add to it.")
        is_last = not message.get("more_body", False)
        await self._send_body(memoryview(message.get("body", b"")), is_last=is_last)
        if is_last and not self.disconnected:
            self.response_complete = True
            self._give_back()
            self._arrived.set()

    async def _send_body(self, body: memoryview, *, is_last: bool) -> None:
        try:
            while body:
                room = await self._room()
                if self.disconnected:
                    return
                piece, body = body[:room], body[room:]
                is_flushed = self._connection.send_piece(self.stream_id, piece, is_last=is_last and not body)
                self._sent_bytes += len(piece)
                if is_flushed:
                    # Streams take turns, and so do connections.
                    await asyncio.sleep(0)
                if not body:
                    return
            if is_last:
                self._connection.send_piece(self.stream_id, body, is_last=True)
        finally:
            self._stop_watching()

    async def _room(self) -> int:
        while not self.disconnected:
            room = self._connection.room(self.stream_id)
            if room > 0:
                return room
            if self._timer is None:
                self._watch()
            self._writable.clear()
            await self._writable.wait()
        return 0

    def _watch(self) -> None:
        sent = (self._sent_bytes, self._connection.sent_bytes)
        self._timer = self._loop.call_later(self._connection.idle_timeout_s, self._check_pace, *sent)

    def _check_pace(self, sent_bytes: int, all_sent_bytes: int) -> None:
        if self.disconnected:
            return
        own_window, window = self._connection.windows(self.stream_id)
        read_bytes = READ_BYTES_MIN
        if own_window <= 0:
            read_bytes = self._sent_bytes - sent_bytes
        elif window <= 0:
            # Shared by all streams, and some may have been served before this one.
            read_bytes = self._connection.sent_bytes - all_sent_bytes
        if read_bytes < READ_BYTES_MIN:
            self._connection.stalled(self)
        else:
            # Or what was sent is still on its way: that is the whole connection's pace.
            self._watch()

    def _stop_watching(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_back(self) -> None:
        """What came of the body is read, or nobody will read it."""
        self._body.clear()
        if self._held_bytes:
            held_bytes, self._held_bytes = self._held_bytes, 0
            self._connection.consumed(self.stream_id, held_bytes)
