"""One connection's requests in flight, and the frames that answer them.

Replication brings answers of megabytes, so the bytes are copied as little as can be: the transport reads straight into
a large frame, which nobody else ever uses (`wire/frame.py`). Its owner may keep views of it.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.apis import APIS
from riacho.wire.codec import encoder
from riacho.wire.frame import AnswerReader
from riacho.wire.header import decode_response_header, encode_request_header
from riacho.wire.primitives import WireError
from riacho.wire.schema import Message

_SIZE = struct.Struct(">i")
_NONE: Any = None


class InFlightRequest:
    """A request in flight. Its answer is (frame, position of the body)."""

    __slots__ = ("answer", "correlation_id", "key", "timer", "version")

    def __init__(self, key: int, version: int, correlation_id: int, answer: asyncio.Future[tuple[bytearray, int]]):
        self.key = key
        self.version = version
        self.correlation_id = correlation_id
        self.answer = answer
        self.timer: asyncio.TimerHandle = _NONE


class RequestPipeline(asyncio.BufferedProtocol):
    def __init__(
        self, address: str, client_id: str, frame_size_bytes_max: int, on_lost: Callable[[RequestPipeline], None]
    ) -> None:
        self.address = address
        self.is_lost = False
        self._client_id = client_id
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._correlation_id = 0
        self._waiting: deque[InFlightRequest] = deque()
        self._answers = AnswerReader(frame_size_bytes_max)

    # --- asking

    async def ask(self, key: int, version: int, request: Message, timeout_s: float) -> tuple[bytearray, int]:
        transport = self._transport
        if self.is_lost or transport is None:
            raise self._failure("the connection was lost")
        self._correlation_id = (self._correlation_id + 1) & 0x7FFFFFFF
        out = bytearray(4)
        try:
            encode_request_header(key, version, self._correlation_id, self._client_id, out)
            encoder(type(request), version)(request, out, None)
        except WireError as error:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"This cannot be asked of {self.address}: {error}") from None
        _SIZE.pack_into(out, 0, len(out) - 4)
        loop = asyncio.get_running_loop()
        waiting = InFlightRequest(key, version, self._correlation_id, loop.create_future())
        # It outlives a cancelled sender: a node that does not answer is no better for that.
        waiting.timer = loop.call_later(timeout_s, self._expire, waiting, timeout_s)
        self._waiting.append(waiting)
        transport.write(out)
        return await waiting.answer

    def _expire(self, waiting: InFlightRequest, timeout_s: float) -> None:
        if not waiting.answer.done():
            detail = f"{self.address} did not answer {APIS[waiting.key].name} within {timeout_s * 1000:.0f} ms"
            waiting.answer.set_exception(KafkaError(ErrorCode.REQUEST_TIMED_OUT, detail))
        self.close("an earlier request was not answered in time")

    def _failure(self, reason: str) -> KafkaError:
        return KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{self.address}: {reason}")

    # --- endings

    def close(self, reason: str) -> None:
        """Hang up at once: what was not answered by now is lost."""
        if self._transport is not None:
            self._transport.abort()
        self._end(reason)

    def _end(self, reason: str) -> None:
        if self.is_lost:
            return
        self.is_lost = True
        self._answers.drop()
        while self._waiting:
            waiting = self._waiting.popleft()
            waiting.timer.cancel()
            if not waiting.answer.done():
                waiting.answer.set_exception(self._failure(reason))
        self._on_lost(self)

    # --- the transport's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if self.is_lost:
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._end("the connection was lost" if error is None else f"the connection was lost: {error}")
        self._transport = None

    def eof_received(self) -> bool:
        return False

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._answers.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        if self.is_lost:
            return
        try:
            frames = self._answers.filled(nbytes)
        except WireError as error:
            self.close(str(error))
            return
        for frame in frames:
            self._answered(frame)
            if self.is_lost:
                return

    def _answered(self, frame: bytearray) -> None:
        if not self._waiting:
            self.close("an answer that nobody asked for")
            return
        waiting = self._waiting.popleft()
        waiting.timer.cancel()
        try:
            correlation_id, position = decode_response_header(waiting.key, waiting.version, frame)
        except WireError:
            correlation_id, position = -1, 0
        if correlation_id != waiting.correlation_id:
            self._waiting.appendleft(waiting)
            self.close("an answer to another question")
        elif not waiting.answer.done():
            waiting.answer.set_result((frame, position))
