"""One client's connection: frames in, one request in flight, answers out in order.

Produce requests whose answers wait for the high watermark are the exception: `produce_pipeline.py` lets several be in
flight, and still answers in order. Bounded by design: while a request is in progress or the peer does not read its
answers, the socket is not read, so at most one received chunk of requests waits. Records leave by sendfile from the
segment file to a duplicate of the socket; the transport's own buffer must be empty then, else they are read and written
through it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from riacho.broker import dispatch
from riacho.broker.api import CLOSE_CONNECTION, NO_RESPONSE
from riacho.broker.deferred import Deferred
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.produce_lane import ProduceLane, ProduceLanes
from riacho.broker.produce_pipeline import ProducePipeline
from riacho.broker.request_context import RequestContext
from riacho.broker.sending import Sending
from riacho.wire.frame import FrameReader
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    from riacho.broker.api import Api
    from riacho.broker.listener import Listener

_SIZE_AND_CORRELATION = struct.Struct(">ii")
# Below this, copying records into the answer costs less than the extra system calls of sendfile.
_SENDFILE_SIZE_BYTES_MIN = 32 * 1024
_UNSENT_SIZE_BYTES_MAX = 64 * 1024
_PRODUCE = 0
_PRODUCE_KEY = bytes(2)
_PRODUCE_API = BY_KEY[_PRODUCE]


class Connection(asyncio.Protocol):
    __slots__ = (
        "_api",
        "_busy",
        "_closed",
        "_deferred",
        "_duplicate",
        "_frames",
        "_held_bytes",
        "_lanes",
        "_pipeline",
        "_queue",
        "_read_paused",
        "_request_size_bytes",
        "_sending",
        "_started_ns",
        "_transport",
        "_unsent",
        "_write_paused",
        "broker",
        "context",
        "last_request_ms",
        "listener",
    )

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.broker = listener.broker
        self._frames = FrameReader(listener.broker.limits.frame_size_bytes_max)
        # Of a frame that is not whole yet; the broker sums these up over all connections.
        self._held_bytes = 0
        self._queue: deque[Any] = deque()
        self._busy = False
        self._closed = False
        self._read_paused = False
        self._write_paused = False
        self._deferred: Deferred | None = None
        self._sending: Sending | None = None
        self._duplicate: socket.socket | None = None
        self._api: Api | None = None
        self._request_size_bytes = 0
        self._started_ns = 0
        self._unsent: bytearray | None = None
        self._lanes: ProduceLanes | None = None
        self._pipeline = ProducePipeline(self)
        self.last_request_ms = listener.broker.clock.monotonic_ms()

    # --- the transport's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername") or ("", 0)
        self.context = RequestContext(self.broker, self.listener.name, str(peer[0]), self)
        self.context.opened_ms = self.last_request_ms
        if not self.listener.admit(self):
            self._closed = True
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self._closed = True
        self._queue.clear()
        self.broker.held_bytes -= self._held_bytes
        self._held_bytes = 0
        self.listener.forget(self)
        deferred, self._deferred = self._deferred, None
        if deferred is not None:
            deferred.abandon()
        self._pipeline.abandon()
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        if self._duplicate is not None:
            self._duplicate.close()
            self._duplicate = None

    def data_received(self, data: bytes) -> None:
        try:
            frames = self._frames.feed(data)
        except WireError as error:
            self.refuse(str(error))
            return
        held_bytes = self._frames.pending_bytes
        if held_bytes != self._held_bytes:
            self.broker.held_bytes += held_bytes - self._held_bytes
            self._held_bytes = held_bytes
            if self.broker.held_bytes > self.broker.limits.held_size_bytes_max:
                self.refuse("half-received requests hold too much memory")
                return
        if frames:
            self._queue.extend(frames)
            if self._busy:
                self._pause_reading()
            else:
                self._serve_queue()

    def pause_writing(self) -> None:
        self._write_paused = True

    def resume_writing(self) -> None:
        self._write_paused = False
        if not self._busy:
            self._serve_queue()

    # --- the queue

    def _serve_queue(self) -> None:
        queue, pipeline = self._queue, self._pipeline
        while queue and not self._busy and not self._write_paused and not self._closed:
            if pipeline and (pipeline.is_full or queue[0][:2] != _PRODUCE_KEY):
                break
            if self._lanes is None or not self._serve_by_lanes(self._lanes):
                dispatch.serve(self, queue.popleft())
        if self._closed:
            return
        self._flush()
        if queue:
            self._pause_reading()
        elif self._read_paused:
            self._read_paused = False
            self._transport.resume_reading()

    def _pause_reading(self) -> None:
        if not self._read_paused:
            self._read_paused = True
            self._transport.pause_reading()

    def _serve_by_lanes(self, lanes: ProduceLanes) -> bool:
        """Whether the head of the queue could be served the short way."""
        started_ns = time.perf_counter_ns()
        out = bytearray()
        before = len(self._queue)
        count, size_bytes = lanes.serve(self._queue, self.broker.clock.now_ms(), out, self._pipeline, started_ns)
        if count:
            self._write(out)
            elapsed_ns = time.perf_counter_ns() - started_ns
            self.broker.metrics.observe_request(_PRODUCE, elapsed_ns // count, size_bytes, len(out), count)
        if len(self._queue) == before:
            return False
        self.last_request_ms = self.broker.clock.monotonic_ms()
        return True

    def keep_lane(self, lane: ProduceLane) -> None:
        """Serve the next produce requests like this one by their lane."""
        if self._lanes is None:
            self._lanes = ProduceLanes()
        self._lanes.add(lane)

    def begin(self, api: Api, size_bytes: int) -> None:
        self._busy = True
        self._api = api
        self._request_size_bytes = size_bytes
        self._started_ns = time.perf_counter_ns()

    def settle(self, outcome: Any) -> None:
        """Take what became of the request in flight: a response, a sign to stay silent or hang up, or a promise."""
        if type(outcome) is Deferred:
            if self._pipelines(outcome):
                return
            self._deferred = outcome
            outcome.then(self._resolved)
        elif outcome is NO_RESPONSE:
            self._end(0)
        elif outcome is CLOSE_CONNECTION:
            self.close()
        else:
            self._reply(outcome)

    def _pipelines(self, outcome: Deferred) -> bool:
        """Let further produce requests in while this one waits for its commit."""
        api = self._api
        if api is None or api.key != _PRODUCE or self.broker.faults is not None or self.broker.logs.logs_data_path:
            return False
        context = self.context
        self._pipeline.add_deferred(
            outcome, context.version, context.correlation_id, self._request_size_bytes, self._started_ns
        )
        self._busy = False
        return True

    def answered(self, out: bytearray, elapsed_ns: int, size_bytes: int, count: int) -> None:
        """The pipeline's answers, in order; there may be room for further requests now."""
        if self._closed:
            return
        self._write(out)
        self.last_request_ms = self.broker.clock.monotonic_ms()
        self.broker.metrics.observe_request(_PRODUCE, elapsed_ns, size_bytes, len(out), count)
        if self._busy:
            self._flush()
        else:
            self._serve_queue()

    def _resolved(self, outcome: Any) -> None:
        self._deferred = None
        if self._closed:
            return
        self.settle(outcome)
        if self._busy:
            self._flush()
        else:
            self._serve_queue()

    # --- the answer

    def _reply(self, response: Any) -> None:
        context = self.context
        splices: list[tuple[int, Any]] = []
        out = self._encoded(response, context.version, context.correlation_id, splices)
        if out is None:
            return
        if not splices:
            if self._pipeline:
                # A produce that needs no commit, after others that do: it keeps its place.
                self._pipeline.add_ready(out, self._request_size_bytes, self._started_ns)
                self._busy = False
                return
            self._write(out)
            self._end(len(out))
        else:
            size_bytes = len(out)
            for _, piece in splices:
                size_bytes += piece.size
            self._reply_with_records(out, splices, size_bytes)

    def encoded(self, response: Any, version: int, correlation_id: int) -> bytearray:
        """A produce answer of an earlier request; nothing when it cannot be written, and the connection closes."""
        out = self._encoded(response, version, correlation_id, [], _PRODUCE_API)
        return bytearray() if out is None else out

    def _encoded(
        self, response: Any, version: int, correlation_id: int, splices: list[tuple[int, Any]], api: Api | None = None
    ) -> bytearray | None:
        api = api or self._api
        assert api is not None
        codec = api.codec(version)
        out = bytearray(8)
        if codec.is_response_header_tagged:
            out.append(0)
        try:
            codec.encode(response, out, splices)
        except WireError:
            # A handler set what this version cannot carry: a bug of ours, and no answer is better than a broken one.
            self.broker.metrics.request_failures += 1
            self.broker.logs.error.exception("answer cannot be written api=%s version=%d", api.name, version)
            self.close()
            return None
        size_bytes = len(out)
        for _, piece in splices:
            size_bytes += piece.size
        _SIZE_AND_CORRELATION.pack_into(out, 0, size_bytes - 4, correlation_id)
        return out

    def _write(self, data: bytearray) -> None:
        """Answers to requests that came together leave together: one system call for all."""
        if self._unsent is None:
            self._unsent = data
        else:
            self._unsent += data
        if len(self._unsent) > _UNSENT_SIZE_BYTES_MAX:
            self._flush()

    def _flush(self) -> None:
        unsent = self._unsent
        if unsent is not None:
            self._unsent = None
            self._transport.write(unsent)

    def _reply_with_records(self, out: bytearray, splices: list[tuple[int, Any]], size_bytes: int) -> None:
        self._flush()
        if size_bytes < _SENDFILE_SIZE_BYTES_MIN or self._transport.get_write_buffer_size() > 0:
            self._write(_joined(out, splices))
            self._end(size_bytes)
            return
        duplicate = self._duplicate if self._duplicate is not None else self._duplicate_socket()
        if duplicate is None:
            self._write(_joined(out, splices))
            self._end(size_bytes)
            return
        sending = Sending(self.broker.loop, duplicate, out, splices, self._sent)
        self._sending = sending
        sending.run()

    def _duplicate_socket(self) -> socket.socket | None:
        """For sendfile; None when the transport is not a plain socket's."""
        sock = self._transport.get_extra_info("socket")
        if sock is None:
            return None
        self._duplicate = socket.socket(fileno=os.dup(sock.fileno()))
        self._duplicate.setblocking(False)
        return self._duplicate

    def _sent(self, size_bytes: int, error: OSError | None, was_immediate: bool) -> None:
        self._sending = None
        if error is not None:
            self.close()
            return
        self._end(size_bytes)
        if not was_immediate:
            self._serve_queue()

    def _end(self, response_size_bytes: int) -> None:
        self._busy = False
        api = self._api
        assert api is not None
        elapsed_ns = time.perf_counter_ns() - self._started_ns
        self.last_request_ms = self.broker.clock.monotonic_ms()
        self.broker.metrics.observe_request(api.key, elapsed_ns, self._request_size_bytes, response_size_bytes)
        self.broker.logs.access_request(self.context, api, elapsed_ns, self._request_size_bytes, response_size_bytes)

    # --- endings

    @property
    def is_busy(self) -> bool:
        return self._busy or len(self._pipeline) > 0

    def refuse(self, reason: str) -> None:
        """The peer does not speak our protocol: say so in the log and hang up."""
        self.broker.metrics.refused_connections += 1
        self.broker.logs.refused(self.context.client_host, self.listener.name, reason)
        self.close()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._queue.clear()
            self._flush()
            self._transport.close()

    def abort(self) -> None:
        if not self._closed:
            self._closed = True
            self._transport.abort()


def _joined(out: bytearray, splices: list[tuple[int, Any]]) -> bytearray:
    joined = bytearray()
    start = 0
    for position, piece in splices:
        joined += memoryview(out)[start:position]
        joined += piece.read()
        start = position
    joined += memoryview(out)[start:]
    return joined
