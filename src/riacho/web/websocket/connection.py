"""A connection that has become a WebSocket: frames by wsproto, messages within bounds, pings, closing.

Bounded are the size of a message, what waits to be read by the handler (then the caller is not read from), what waits
to be read by the caller (then the handler waits in `send`; a caller that hardly reads is cut off as it is over HTTP),
and how many frames are looked at before others have their turn. Compression is not offered: what it saves, a caller
could use to make a message a thousand times larger than what it sends.

A caller that is silent is asked (ping) after half of `idle_timeout_s`, and cut off if it stays silent as long again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

from starlette.requests import ClientDisconnect
from uvicorn.server import ServerState
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, TextMessage

from riacho.web.limits import HttpLimits
from riacho.web.reading_pace import ReadingPace
from riacho.web.reading_valve import ReadingValve
from riacho.web.websocket.handshake import acceptance

NORMAL, GOING_AWAY, GONE, POLICY, TOO_BIG, INTERNAL = 1000, 1001, 1006, 1008, 1009, 1011
_FRAMES_A_TURN = 64
_SENT_A_TURN_BYTES = 16 * 1024
# Read ahead of the handler.
_MESSAGES_MAX = 16
_WAITING_BYTES_MAX = 64 * 1024
# For the caller to answer that it closes too.
CLOSE_TIMEOUT_S = 5.0


class WebSocketOptions(NamedTuple):
    message_bytes_max: int
    subprotocol: str | None = None


class WebSocketProtocol(asyncio.Protocol):
    """`close_code` is why it ended, None while it has not; `is_ended` is set then."""

    def __init__(
        self, state: ServerState, limits: HttpLimits, on_lost: Callable[[], None], options: WebSocketOptions
    ) -> None:
        self.transport: asyncio.Transport
        self.close_code: int | None = None
        self.close_reason = ""
        self.is_ended = asyncio.Event()
        self._options = options
        self._idle_timeout_s = limits.idle_timeout_s
        self._on_lost = on_lost
        self._connections = cast("set[object]", state.connections)
        self._loop = asyncio.get_running_loop()
        self._ws = Connection(ConnectionType.SERVER)
        self._message = bytearray()
        self._messages: deque[str | bytes] = deque()
        self._waiting_bytes = 0
        self._sent_bytes = 0
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._has_come = False
        self._is_asked = False
        self._turn: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_lost = False

    def begin(self, transport: asyncio.Transport, headers: Iterable[tuple[bytes, bytes]], data: bytes) -> None:
        """Take the connection over; `data` is what came after the request."""
        self.transport = transport
        self._pace = ReadingPace(transport, self._loop)
        self._valve = ReadingValve(transport)
        self._connections.add(self)
        transport.set_protocol(self)
        transport.write(acceptance(headers, self._options.subprotocol))
        self._beat()
        if data:
            self.data_received(data)

    # For the handler

    async def receive(self) -> str | bytes | None:
        """The next message; None when there will be no more."""
        while not self._messages:
            if self.close_code is not None:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        message = self._messages.popleft()
        self._waiting_bytes -= len(message)
        if self._valve.is_shut and self._turn is None:
            self._turn = self._loop.call_soon(self._read_frames)
        return message

    async def send(self, message: str | bytes) -> None:
        """Waits while the caller does not read. ClientDisconnect when it has gone."""
        await self._writable.wait()
        if self.close_code is not None:
            raise ClientDisconnect
        event = TextMessage(data=message) if isinstance(message, str) else BytesMessage(data=message)
        self._write(event)
        self._sent_bytes += len(message)
        if self._sent_bytes >= _SENT_A_TURN_BYTES:
            # A handler that has everything at hand would never let anybody else have a turn.
            self._sent_bytes = 0
            await asyncio.sleep(0)

    async def close(self, code: int = NORMAL, reason: str = "") -> None:
        """Returns when the caller has closed too, or did not for a while. May be called again."""
        self._close(code, reason)
        await self.is_ended.wait()

    # From the server

    def shutdown(self) -> None:
        self._close(GOING_AWAY, "The service is stopping.")

    # From the transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self._connections.discard(self)
        self._ended(GONE)
        for handle in (self._timer, self._turn):
            if handle is not None:
                handle.cancel()
        self._pace.stop()
        self.is_ended.set()
        self._on_lost()

    def pause_writing(self) -> None:
        self._writable.clear()
        self._pace.watch(self._idle_timeout_s)
        self._update_reading()

    def resume_writing(self) -> None:
        self._pace.stop()
        self._writable.set()
        self._update_reading()

    def data_received(self, data: bytes) -> None:
        self._has_come = True
        if self._ws.state in (ConnectionState.OPEN, ConnectionState.LOCAL_CLOSING):
            self._ws.receive_data(data)
            if self._turn is None:
                self._read_frames()

    def _read_frames(self) -> None:
        """A few of those that have come, and none while the handler has enough to read."""
        self._turn = None
        left = 0 if self._is_full else _FRAMES_A_TURN
        if left:
            for event in self._ws.events():
                self._handle(event)
                left -= 1
                if not left or self._is_full:
                    break
        if not left and not self._is_full and not self._is_lost:
            self._turn = self._loop.call_soon(self._read_frames)
        self._update_reading()

    @property
    def _is_full(self) -> bool:
        return len(self._messages) >= _MESSAGES_MAX or self._waiting_bytes >= _WAITING_BYTES_MAX

    def _handle(self, event: Event) -> None:
        match event:
            case TextMessage():
                self._take(event.data.encode(), is_text=True, is_whole=event.message_finished)
            case BytesMessage():
                self._take(event.data, is_text=False, is_whole=event.message_finished)
            case Ping():
                if self._ws.state is ConnectionState.OPEN:
                    self._write(event.response())
            case CloseConnection():
                self._closing(event)

    def _take(self, piece: bytes | bytearray, *, is_text: bool, is_whole: bool) -> None:
        if self.close_code is not None:
            return
        if len(self._message) + len(piece) > self._options.message_bytes_max:
            self._message.clear()
            self._close(TOO_BIG, f"A message is larger than the allowed {self._options.message_bytes_max} bytes.")
            return
        self._message += piece
        if is_whole:
            message = self._message.decode() if is_text else bytes(self._message)
            self._message.clear()
            self._messages.append(message)
            self._waiting_bytes += len(message)
            self._arrived.set()

    # Ends

    def _closing(self, event: CloseConnection) -> None:
        if self._ws.state is ConnectionState.REMOTE_CLOSING:
            self._ended(event.code, event.reason or "")
            self._write(event.response())
            self._hang_up()
        elif self._ws.state is ConnectionState.OPEN:
            # What came is no WebSocket frame, or not one that a client may send.
            self._close(event.code, event.reason or "")
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        """Once what was written is sent."""
        self.transport.close()
        self._watch(CLOSE_TIMEOUT_S, self.transport.abort)

    def _close(self, code: int, reason: str) -> None:
        if self.close_code is None:
            self._ended(code, reason)
            self._write(CloseConnection(code=code, reason=reason))
            self._watch(CLOSE_TIMEOUT_S, self.transport.abort)
            self._update_reading()

    def _ended(self, code: int, reason: str = "") -> None:
        if self.close_code is None:
            self.close_code, self.close_reason = code, reason
        self._arrived.set()
        self._writable.set()

    # Reading and writing

    def _write(self, event: Event) -> None:
        self.transport.write(bytes(self._ws.send(event)))

    def _update_reading(self) -> None:
        is_held_up = self._turn is not None or self._is_full or not self._writable.is_set()
        # While it closes, what comes is thrown away.
        self._valve.turn(is_shut=is_held_up and self.close_code is None)

    def _beat(self) -> None:
        if self.close_code is not None:
            return
        is_silent = not self._has_come and not self._valve.is_shut
        if is_silent and self._is_asked:
            self.transport.abort()
            return
        self._is_asked = is_silent
        if is_silent:
            self._write(Ping())
        self._has_come = False
        self._watch(self._idle_timeout_s / 2, self._beat)

    def _watch(self, timeout_s: float, late: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(timeout_s, late)
