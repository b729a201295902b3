"""A connection of HTTP/2: each of its streams is a call of the same application that HTTP/1.1 calls.

    caller ── frames.py (what is let in, a few at a time) ── h2 (the state of the protocol) ── this ── stream.py

It begins with the preface of HTTP/2, on any listener (prior knowledge, or `h2` by ALPN), or as a request of HTTP/1.1
that offers `Upgrade: h2c` (`web/switching.py`). It ends when the caller closes it, when it was idle for
`idle_timeout_s`, with GOAWAY(NO_ERROR) once the service stops and the calls under way are answered, or with GOAWAY and
a code where the caller broke a rule: then its bytes are thrown away for a while, so that it can read why.

What one caller can hold: so many streams (a stream counts until its handler has ended, whoever reset it), a window of
its body for each and for all together, header blocks twice as large as heads may be, and what the transport has not
sent: while that waits, the caller is not read from either.
"""

# Long because: what h2 reports and what streams ask for change one state; a part apart would ask back for each.
from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError
from starlette.types import ASGIApp
from uvicorn.protocols.utils import get_local_addr, get_remote_addr, is_ssl
from uvicorn.server import ServerState

from riacho.web.deadline import Deadline
from riacho.web.errors import ApiError
from riacho.web.http2.frames import FRAME_BYTES_MAX, FrameCutter, FrameError
from riacho.web.http2.head import Header, Peer, RequestHead, answer_fields, request_head
from riacho.web.http2.protocol_state import ProtocolState
from riacho.web.http2.stream import Http2Stream
from riacho.web.limits import LINGER_S, HttpLimits
from riacho.web.reading_pace import ReadingPace
from riacho.web.reading_valve import ReadingValve

if TYPE_CHECKING:
    from riacho.web.app import App

_log = logging.getLogger("riacho.web")
STREAMS_MAX = 100
_FRAMES_A_TURN = 64
_SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"
# Collected before they are written: an answer's head and its body, the answers of several streams.
_UNSENT_BYTES_MAX = 16 * 1024


class Http2Protocol(asyncio.Protocol):
    def __init__(self, app: App, state: ServerState, limits: HttpLimits, on_lost: Callable[[], None]) -> None:
        self.transport: asyncio.Transport
        self.idle_timeout_s = limits.idle_timeout_s
        self.sent_bytes = 0
        self._app = app
        self._server = state
        self._connections = cast("set[object]", state.connections)
        self._head_bytes_max = limits.head_bytes_max
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        # Up to twice of what a head may have it is decoded, and can be answered 431; above that the connection ends.
        self._h2 = ProtocolState(streams_max=STREAMS_MAX, block_bytes_max=2 * limits.head_bytes_max)
        self._cutter = FrameCutter(2 * limits.head_bytes_max, self._loop.time())
        self._streams: dict[int, Http2Stream] = {}
        # Answered before all of their body was there: what is left of it is thrown away for a while.
        self._lingering: dict[int, asyncio.TimerHandle] = {}
        self._upgraded: RequestHead | None = None
        self._is_leaving = False
        self._is_ended = False
        self._is_writing_paused = False
        self._unsent_bytes = 0
        self._flushing: asyncio.Handle | None = None
        self._reading: asyncio.Handle | None = None
        # For the next request, or for the end of a connection that was refused.
        self._deadline = Deadline(self._loop)
        self._frame_deadline = Deadline(self._loop)

    def begin(self, transport: asyncio.Transport, data: bytes) -> None:
        """Take the connection over; `data` is what came on it, and may be the beginning of the preface only."""
        self._take_over(transport)
        self._h2.initiate_connection()
        self._h2.widen()
        self.data_received(data)

    def begin_upgraded(self, transport: asyncio.Transport, settings: bytes, head: RequestHead, data: bytes) -> bool:
        """Of a connection of HTTP/1.1, whose request is the first stream. False where the caller's settings are not
        valid: nothing is taken over then."""
        try:
            self._h2.initiate_upgrade_connection(settings)
        except ProtocolError:
            return False
        self._h2.widen()
        self._h2.restrain(list(self._h2.remote_settings))
        self._take_over(transport)
        transport.write(_SWITCHING)
        self._upgraded = head
        self.data_received(data)
        return True

    def _take_over(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self._pace = ReadingPace(transport, self._loop)
        self._valve = ReadingValve(transport)
        scheme = "https" if is_ssl(transport) else "http"
        self._peer = Peer(get_local_addr(transport), get_remote_addr(transport), scheme)
        self._connections.add(self)
        transport.set_protocol(self)
        self._deadline.set(self.idle_timeout_s, self._leave)

    # From the server

    def shutdown(self) -> None:
        """No more requests; those under way are answered."""
        self._leave()

    # From the transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self._is_ended = True
        self._stop_timers()
        for stream in self._streams.values():
            stream.disconnect()
        self._on_lost()

    def pause_writing(self) -> None:
        self._is_writing_paused = True
        self._pace.watch(self.idle_timeout_s)
        self._update_reading()

    def resume_writing(self) -> None:
        self._is_writing_paused = False
        self._pace.stop()
        self._update_reading()
        self._wake_all()

    def data_received(self, data: bytes) -> None:
        if not self._is_ended:
            self._cutter.feed(data)
            if self._reading is None:
                self._read_frames()

    def _read_frames(self) -> None:
        """A few of those that have come: the rest have their turn when the loop has come round."""
        self._reading = None
        if self._is_ended:
            return
        try:
            frames = self._cutter.take(_FRAMES_A_TURN, self._loop.time())
            if frames and self._upgraded is not None:
                # Not before the caller speaks HTTP/2: curl 7.88 fails at times where much comes right behind the 101.
                upgraded, self._upgraded = self._upgraded, None
                self._open(1, upgraded, has_body=False)
            for event in self._events(frames):
                self._handle(event)
        except FrameError as error:
            self._end(error.code, error.reason)
        except Exception:
            _log.exception("unforeseen error in HTTP/2 service=%s", self._app.name)
            self._end(ErrorCodes.INTERNAL_ERROR, "unforeseen")
        if self._is_ended:
            return
        self._flush()
        if self._cutter.is_more:
            self._reading = self._loop.call_soon(self._read_frames)
        if self._cutter.is_leaving:
            self._leave()
        self._update_reading()
        self._watch_frame(is_moved=bool(frames))

    def _events(self, frames: bytes) -> list[Event]:
        """FrameError where h2 makes out that the caller does not keep to the protocol."""
        try:
            return self._h2.receive_data(frames) if frames else []
        except ProtocolError as error:
            # Its own GOAWAY is left out, for ours.
            self._h2.clear_outbound_data_buffer()
            raise FrameError(ErrorCodes(error.error_code), str(error)) from None

    def _handle(self, event: Event) -> None:
        match event:
            case RequestReceived():
                has_body = event.stream_ended is None
                self._open(event.stream_id, request_head(event.headers, has_body=has_body), has_body=has_body)
            case DataReceived():
                stream = self._streams.get(event.stream_id)
                if stream is not None:
                    stream.feed(event.data, event.flow_controlled_length)
                else:
                    self.consumed(event.stream_id, event.flow_controlled_length)
            case StreamEnded():
                self._end_body(event.stream_id)
            case StreamReset():
                if not event.remote_reset:
                    # A frame that did not fit made us reset it, which is as cheap for the caller (CVE-2025-8671).
                    self._cutter.spend_reset(self._loop.time())
                self._lose(event.stream_id)
            case WindowUpdated():
                stream = self._streams.get(event.stream_id)
                if stream is not None:
                    stream.wake()
                elif event.stream_id == 0:
                    self._wake_all()
            case RemoteSettingsChanged():
                self._h2.restrain(list(event.changed_settings))
                self._wake_all()

    # Streams

    def _open(self, stream_id: int, head: RequestHead, *, has_body: bool) -> None:
        if self._is_leaving or len(self._streams) >= STREAMS_MAX:
            self._cutter.spend_reset(self._loop.time())
            self._reset(stream_id, ErrorCodes.REFUSED_STREAM)
            return
        app: ASGIApp = self._app
        if head.size_bytes > self._head_bytes_max:
            app = self._app.error_answer(ApiError(431, 431, "The head of the request is too large."))
        self._deadline.clear()
        stream = Http2Stream(self, stream_id, head.scope(self._peer), self._loop, has_body=has_body)
        self._streams[stream_id] = stream
        task = self._loop.create_task(stream.run(app))
        stream.task = task
        self._server.tasks.add(task)
        task.add_done_callback(lambda done: self._ended(stream, done))

    def _ended(self, stream: Http2Stream, task: asyncio.Task[None]) -> None:
        """Its handler has."""
        self._server.tasks.discard(task)
        self._server.total_requests += 1
        if self._is_ended:
            return
        stream_id = stream.stream_id
        if not stream.response_complete and not stream.disconnected:
            self._reset(stream_id, ErrorCodes.INTERNAL_ERROR)
        elif stream.more_body and not stream.disconnected:
            self._lingering[stream_id] = self._loop.call_later(LINGER_S, self._linger_no_more, stream_id)
            return
        self._forget(stream_id)

    def _end_body(self, stream_id: int) -> None:
        stream = self._streams.get(stream_id)
        if stream is not None:
            stream.end_body()
            if stream_id in self._lingering:
                self._forget(stream_id)

    def _linger_no_more(self, stream_id: int) -> None:
        self._reset(stream_id, ErrorCodes.NO_ERROR)
        self._forget(stream_id)

    def _lose(self, stream_id: int) -> None:
        """The caller wants no answer any more: its handler gets the disconnect, and ends when it notices."""
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        stream.disconnect()
        if stream_id in self._lingering:
            self._forget(stream_id)
        elif not stream.is_running and stream.task is not None:
            # Nobody has seen the request yet, and nobody need.
            stream.task.cancel()

    def _forget(self, stream_id: int) -> None:
        del self._streams[stream_id]
        lingering = self._lingering.pop(stream_id, None)
        if lingering is not None:
            lingering.cancel()
        if not self._streams and not self._is_ended:
            if self._is_leaving:
                self._flush()
                self._hang_up()
            else:
                self._deadline.set(self.idle_timeout_s, self._leave)

    def _reset(self, stream_id: int, code: ErrorCodes) -> None:
        try:
            self._h2.reset_stream(stream_id, code)
        except ProtocolError:
            # It has ended meanwhile.
            return
        self._flush_soon()

    def _wake_all(self) -> None:
        for stream in self._streams.values():
            stream.wake()

    # What a stream asks for

    def send_head(self, stream_id: int, status: int, headers: list[Header]) -> None:
        self._h2.send_headers(stream_id, answer_fields(status, [*self._server.default_headers, *headers]))
        self._flush_soon()

    def send_piece(self, stream_id: int, piece: memoryview, *, is_last: bool) -> bool:
        """No more than `room` says. Whether it was written at once, there being enough of it."""
        self._h2.send_data(stream_id, piece, end_stream=is_last)
        self._cutter.earn()
        self.sent_bytes += len(piece)
        self._unsent_bytes += len(piece)
        if self._unsent_bytes < _UNSENT_BYTES_MAX:
            self._flush_soon()
            return False
        self._flush()
        return True

    def room(self, stream_id: int) -> int:
        """How much of an answer may be sent now."""
        if self._is_writing_paused:
            return 0
        return min(*self.windows(stream_id), self._h2.max_outbound_frame_size, FRAME_BYTES_MAX)

    def windows(self, stream_id: int) -> tuple[int, int]:
        """What the caller takes of this stream, and of all together. The one may be less than nothing."""
        return self._h2.streams[stream_id].outbound_flow_control_window, self._h2.outbound_flow_control_window

    def consumed(self, stream_id: int, size_bytes: int) -> None:
        """So much of a body was read, or thrown away: the caller may send as much again."""
        if size_bytes and not self._is_ended:
            self._h2.acknowledge_received_data(size_bytes, stream_id)
            self._flush_soon()

    def stalled(self, stream: Http2Stream) -> None:
        """The caller has left its window shut for too long."""
        self._reset(stream.stream_id, ErrorCodes.CANCEL)
        self._lose(stream.stream_id)

    # Ends

    def _leave(self) -> None:
        if self._is_leaving or self._is_ended:
            return
        self._is_leaving = True
        self._flush()
        self.transport.write(self._h2.goaway(ErrorCodes.NO_ERROR))
        if not self._streams:
            self._hang_up()

    def _hang_up(self) -> None:
        """Once what was written is sent."""
        self.transport.close()
        self._deadline.set(LINGER_S, self.transport.abort)

    def _end(self, code: ErrorCodes, reason: str) -> None:
        """A rule was broken: say which, and listen no more."""
        _log.debug("connection ended service=%s code=%s reason=%s", self._app.name, code, reason)
        self._flush()
        self._is_ended = True
        self._stop_timers()
        for stream in list(self._streams.values()):
            stream.disconnect()
        self.transport.write(self._h2.goaway(code))
        self._valve.turn(is_shut=False)
        self._deadline.set(LINGER_S, self.transport.abort)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()

    # Reading and writing

    def _update_reading(self) -> None:
        self._valve.turn(is_shut=self._reading is not None or self._is_writing_paused)

    def _flush_soon(self) -> None:
        if self._flushing is None:
            self._flushing = self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        self._unsent_bytes = 0
        data = self._h2.data_to_send()
        if data and not self._is_ended:
            self.transport.write(data)

    def _watch_frame(self, *, is_moved: bool) -> None:
        """A head has its time from its first byte on, any other frame from the one before."""
        if not self._cutter and not self._cutter.is_in_block:
            self._frame_deadline.clear()
        elif not self._frame_deadline.is_set or (is_moved and not self._cutter.is_in_block):
            late = (ErrorCodes.ENHANCE_YOUR_CALM, "A frame did not arrive in time.")
            self._frame_deadline.set(self.idle_timeout_s, self._end, *late)

    def _stop_timers(self) -> None:
        self._deadline.clear()
        self._frame_deadline.clear()
        self._pace.stop()
        for handle in (self._flushing, self._reading, *self._lingering.values()):
            if handle is not None:
                handle.cancel()
        self._lingering.clear()
