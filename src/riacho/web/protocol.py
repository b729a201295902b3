"""uvicorn's HTTP/1.1 protocol with the limits that it lacks, and with errors in our own envelope.

The limits: the size of a request's head and the time it may take, how slowly a caller may read an answer, how many
requests it may send ahead of their answers and for how long, the number of connections. A head usually arrives in one
piece: then they cost no more than a few comparisons.

Whoever is refused while still sending gets the answer first, and its bytes are thrown away for a while: to hang up at
once would make the system reset the connection, and the caller might never see why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from riacho.web.answer_writer import AnswerWriter
from riacho.web.errors import ApiError
from riacho.web.limits import LINGER_S, HttpLimits
from riacho.web.reading_pace import ReadingPace

if TYPE_CHECKING:
    from riacho.web.app import App

# Requests that wait on one connection for the answer to the one before.
_PIPELINED_MAX = 256


class HttpProtocol(HttpToolsProtocol):
    def __init__(
        self,
        config: uvicorn.Config,
        state: ServerState,
        limits: HttpLimits,
        app: App,
        on_lost: Callable[[], None],
    ) -> None:
        super().__init__(config, state, {}, _loop=asyncio.get_running_loop())
        self._limits = limits
        self._app = app
        self._on_lost = on_lost
        # Until the first bytes have come, where others than those of HTTP/1.1 are waited for.
        self._may_be_another = False
        self._is_in_head = False
        self._is_message_complete = True
        self._is_refused = False
        # Of the request that is being read: of its head, and then of what stands between and after chunks.
        self._received_bytes = 0
        # Whose answer is under way, which is not the last to come (uvicorn's `cycle`) where requests are sent ahead.
        self._running: RequestResponseCycle | None = None
        # What the connection is waiting for, other than the next request (uvicorn's own timer): one thing at a time.
        self._timer: asyncio.TimerHandle | None = None
        self._pipeline_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self._writer = AnswerWriter(transport, self.loop)
        self._pace = ReadingPace(transport, self.loop)
        super().connection_made(cast(asyncio.Transport, self._writer))
        if len(self.connections) > self._limits.connections_max:
            self._is_refused = True
            transport.abort()
        else:
            self._expect(self._limits.idle_timeout_s, self._head_is_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._came()
        self.resume_writing()
        self.pipeline.clear()
        self._watch_pipeline()
        if self._running is not None and self._running is not self.cycle:
            self._give_up(self._running)
        super().connection_lost(exc)
        self._on_lost()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        if self._may_be_another:
            data = self._first_bytes(data)
            if not data:
                return
        self._received_bytes += len(data)
        self._parse(data)
        if self._is_message_complete or self._is_refused:
            return
        if self._received_bytes > self._limits.head_bytes_max:
            self._refuse(431, "The head of the request is too large.")
        elif self._is_in_head and self._timer is None:
            self._expect(self._limits.idle_timeout_s, self._head_is_late)

    def _parse(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self._refuse(400, "The request is not valid HTTP.")
        except httptools.HttpParserUpgrade as end:
            self._offered(data[end.args[0] :])

    def _first_bytes(self, data: bytes) -> bytes:
        """What of them is HTTP/1.1."""
        return data

    def _offered(self, rest: bytes) -> None:
        """The head of a request that offers another protocol is whole; `rest` came after it."""
        if rest:
            self._parse(rest)

    # Parser callbacks

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_in_head = True
        self._is_message_complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes after a body could pass for a part of the head, which others on the way have looked at.
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._came()
        limit = self._limits.head_bytes_max
        if self._received_bytes > limit and self._head_size() > limit:
            self._refuse(431, "The head of the request is too large.")
        elif len(self.pipeline) >= _PIPELINED_MAX:
            self._is_refused = True
            self.transport.close()
        self._received_bytes = 0
        if not self._is_refused:
            super().on_headers_complete()
            self._watch_pipeline()

    def on_body(self, body: bytes) -> None:
        self._received_bytes = 0
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._received_bytes = 0
        self._is_message_complete = True
        self._came()
        if not self._is_refused:
            super().on_message_complete()

    # Answers

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_pipeline(is_moved=True)
        is_left = not self._is_message_complete and not self._is_in_head and self.cycle.response_complete
        if is_left and not self.transport.is_closing():
            # Answered before all of the body was there: what is left of it is thrown away. Where the next call has
            # begun already, it is that one's body which is not complete, and it has its own time.
            self._expect(LINGER_S, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._pace.watch(self._limits.idle_timeout_s)

    def resume_writing(self) -> None:
        self._pace.stop()
        super().resume_writing()

    def _watch_pipeline(self, *, is_moved: bool = False) -> None:
        """While requests wait, nothing is read, and that the caller has gone would not be seen."""
        if self._pipeline_timer is not None and (is_moved or not self.pipeline):
            self._pipeline_timer.cancel()
            self._pipeline_timer = None
        if self._pipeline_timer is None and self.pipeline:
            self._pipeline_timer = self.loop.call_later(self._limits.idle_timeout_s, self.transport.abort)

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    @staticmethod
    def _give_up(cycle: RequestResponseCycle) -> None:
        if not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()

    def _expect(self, timeout_s: float, late: Callable[[], None]) -> None:
        self._came()
        self._timer = self.loop.call_later(timeout_s, late)

    def _came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _head_is_late(self) -> None:
        self._timer = None
        if self._is_in_head:
            self._refuse(408, "The request did not arrive in time.")
        else:
            self.transport.close()

    def _refuse(self, status: int, message: str) -> None:
        """Answer and hang up; whatever else comes on this connection is not looked at."""
        if self._is_refused:
            return
        self._is_refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            if self._is_in_head:
                # Those before were good: they are answered, and then it ends.
                self.cycle.keep_alive = False
                return
            if self.cycle.response_started or self.pipeline:
                # Another answer is under way, and this one may not get between.
                self.transport.close()
                return
            self._give_up(self.cycle)
        answer = self._app.error_answer(ApiError(status, status, message))
        body = bytes(answer.body)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: {answer.media_type}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("latin-1") + body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self._expect(LINGER_S, self.transport.abort)
        else:
            self.transport.close()
