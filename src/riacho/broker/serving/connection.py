"""One client's connection: frames in, one request in flight, answers out in order.

Produce requests whose answers wait for the high watermark are the exception: `produce_pipeline.py` lets several be in
flight, and still answers in order. Bounded by design: while a request is in progress or the peer does not read its
answers, the socket is not read, so at most one received chunk of requests waits. How records leave: `answer_out.py`.
"""

# Long because: what a connection may do next depends on all of its state; a part of it apart would ask back for each.
from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from riacho.broker.access.audit import audit_denials
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.produce.produce_fast_path import ProduceFastPath, ProduceFastPaths
from riacho.broker.produce.produce_pipeline import ProducePipeline
from riacho.broker.requests.api import CLOSE_CONNECTION, NO_RESPONSE
from riacho.broker.requests.buffered_bytes import BufferedBytes
from riacho.broker.requests.later import Later, Outcome
from riacho.broker.requests.request_context import GONE
from riacho.broker.serving import dispatch
from riacho.broker.serving.answer_out import RecordsOut, Splices, encoded_or_logged, hang_up, joined
from riacho.broker.serving.incoming import Incoming, TooMuchHeldError
from riacho.broker.serving.muting import Muting
from riacho.broker.serving.sasl_session import SaslSession
from riacho.broker.serving.visit import Visit
from riacho.wire.messages.produce_response import ProduceResponse
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    from riacho.broker.requests.api import Answer, Api
    from riacho.broker.serving.listener import Listener
    from riacho.broker.serving.service import Service
    from riacho.wire.schema import Buffer, Message

T = TypeVar("T")

_UNSENT_SIZE_BYTES_MAX = 64 * 1024
_PRODUCE, _PRODUCE_KEY = 0, bytes(2)
_PRODUCE_API = BY_KEY[_PRODUCE]


class Connection(asyncio.BufferedProtocol):
    __slots__ = (
        "_api", "_busy", "_deferred", "_fast_paths", "_muting", "_pipeline", "_queue", "_read_paused", "_records",
        "_request_size_bytes", "_started_ns", "_transport", "_unread", "_unsent", "_write_paused", "clock", "context",
        "gate", "incoming", "is_closed", "last_request_ms", "listener", "loop", "node", "on_lost", "service", "visit",
    )  # fmt: skip

    def __init__(self, listener: Listener, service: Service) -> None:
        self.listener = listener
        self.service = service
        self.node = node = listener.node
        self.clock, self.loop = node.clock, node.loop
        # What of the peer's requests is held, and of answers that it does not read.
        self.incoming = Incoming(node.memory, node.limits.frame_size_bytes_max)
        self._unread = BufferedBytes(node.memory)
        self._queue: deque[bytearray] = deque()
        self._busy = self.is_closed = self._read_paused = self._write_paused = False
        self._deferred: Later[Answer] | None = None
        self._records: RecordsOut | None = None
        self._api: Api | None = None
        self._request_size_bytes = self._started_ns = 0
        self._unsent: bytearray | None = None
        self._fast_paths: ProduceFastPaths | None = None
        self._pipeline = ProducePipeline(self, listener.name, node.clock, node.loop)
        # While there are quotas, or its client waits to be let in.
        self._muting: Muting | None = None
        # By whoever keeps something for its client: how it lets go of that when the connection is gone.
        self.on_lost: dict[object, Callable[[], None]] = {}
        # Where clients have to log in: it sees every frame first.
        self.gate: SaslSession | None = None
        self.visit = Visit(node.visitor_log)
        self.last_request_ms = node.clock.monotonic_ms()

    # --- the transport's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername") or ("", 0)
        self.context = self.service.new_context(self.listener.name, str(peer[0]), self)
        self.context.opened_ms = self.last_request_ms
        if not self.listener.admit(self, transport):
            self.is_closed = True
            self._transport.abort()
        elif self.listener.security.uses_sasl:
            self.gate = SaslSession(self, self.listener.security)
        elif self.listener.security.uses_tls:
            self.listener.security.name_by_certificate(self, self._transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Whatever was kept for the peer is freed now: what refers back to this connection lets go of it, since the
        collector, which would find the circles, comes rarely."""
        if self.context.connection is GONE:
            return
        self.is_closed = True
        self._drop_received()
        self._unread.release()
        self.listener.forget(self)
        self.visit.end()
        if self._muting is not None:
            self._muting.end()
        for let_go in self.on_lost.values():
            let_go()
        self.on_lost.clear()
        if self._deferred is not None:
            self._deferred.abandon()
        self._pipeline.abandon()
        if self._records is not None:
            self._records.close()
        self._muting = self._records = self._deferred = self._unsent = self.gate = None
        self.context.connection = GONE
        del self._transport

    def _drop_received(self) -> None:
        self._queue.clear()
        self._fast_paths = None
        self.incoming.drop()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self.incoming.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        self._take(self.incoming.filled, nbytes)

    def data_received(self, data: Buffer) -> None:
        self._take(self.incoming.feed, data)

    def _take(self, frames_of: Callable[[T], list[bytearray]], read: T) -> None:
        if self.is_closed:
            return
        try:
            frames = frames_of(read)
        except (TooMuchHeldError, WireError) as error:
            if type(error) is TooMuchHeldError or self.gate is None or not self.gate.refuses(str(error)):
                self.refuse(str(error))
            return
        if frames:
            self._queue.extend(frames)
            if self._busy:
                self._pause_reading()
            else:
                self._serve_queue()

    def pause_writing(self) -> None:
        self._write_paused = True
        if not self._unread.hold(self._transport.get_write_buffer_size()):
            self.loop.call_soon(self.abort)

    def resume_writing(self) -> None:
        self._write_paused = False
        self._unread.release()
        if not self._busy:
            self._serve_queue()

    # --- the queue

    def _serve_queue(self) -> None:
        queue, pipeline, gate = self._queue, self._pipeline, self.gate
        while queue and not self._busy and not self._write_paused and not self.is_closed:
            if pipeline and (pipeline.is_full or queue[0][:2] != _PRODUCE_KEY):
                break
            if gate is not None and gate.takes(queue[0]):
                if queue:
                    queue.popleft()
                continue
            if self._fast_paths is None or not self._serve_fast(self._fast_paths):
                dispatch.serve(self, queue.popleft())
        if self.is_closed:
            return
        self._flush()
        if queue:
            self._pause_reading()
        elif self._read_paused and (self._muting is None or not self._muting.is_muted):
            self._read_paused = False
            self._transport.resume_reading()

    def _pause_reading(self) -> None:
        if not self._read_paused:
            self._read_paused = True
            self._transport.pause_reading()

    def _serve_fast(self, fast_paths: ProduceFastPaths) -> bool:
        """Whether the head of the queue could be served by a fast path."""
        started_ns = time.perf_counter_ns()
        out, before = bytearray(), len(self._queue)
        count, size_bytes = fast_paths.serve(self._queue, self.clock.now_ms(), out, self._pipeline, started_ns)
        if count:
            self._write(out)
            elapsed_ns = time.perf_counter_ns() - started_ns
            self.node.metrics.observe_request(_PRODUCE, elapsed_ns // count, size_bytes, len(out), count)
        if len(self._queue) == before:
            return False
        self.last_request_ms = now_ms = self.clock.monotonic_ms()
        self.visit.asked(count, size_bytes, len(out), now_ms)
        return True

    def keep_fast_path(self, fast_path: ProduceFastPath) -> None:
        """Serve the next produce requests like this one by their fast path."""
        self._fast_paths = self._fast_paths or ProduceFastPaths(self.node.fast_path_epoch)
        self._fast_paths.add(fast_path)

    def forget_fast_paths(self) -> None:
        """The next produce requests are asked about again."""
        self._fast_paths = None

    def begin(self, api: Api, size_bytes: int) -> None:
        self._busy = True
        self._api = api
        self._request_size_bytes = size_bytes
        self._started_ns = time.perf_counter_ns()

    def settle(self, outcome: Outcome[Answer]) -> None:
        """Take what became of the request in flight: a response, a sign to stay silent or hang up, or a promise."""
        if type(outcome) is Later:
            if self._pipelines(outcome):
                return
            if self.node.quotas.is_enabled:
                self._muter.worked_ns = self.worked_ns
            self._deferred = outcome
            outcome.then(self._resolved)
        elif outcome is NO_RESPONSE:
            if self.node.quotas.is_enabled:
                self._charge(None)
            self._end(0)
        elif outcome is CLOSE_CONNECTION:
            self.close()
        elif self.node.quotas.is_enabled:
            self._charge(outcome)
            settled_ns = time.perf_counter_ns()
            self._reply(outcome)
            self.node.quotas.add_time(self.context, time.perf_counter_ns() - settled_ns)
        else:
            self._reply(outcome)

    @property
    def security_protocol(self) -> str:
        return self.listener.security.protocol

    # --- quotas

    @property
    def _muter(self) -> Muting:
        self._muting = self._muting or Muting(self)
        return self._muting

    @property
    def worked_ns(self) -> int:
        """The time that the request in flight took this process, not the time that it waited."""
        elapsed_ns = time.perf_counter_ns() - self._started_ns
        return elapsed_ns if self._muting is None else self._muting.worked_ns or elapsed_ns

    def _charge(self, response: Message | None) -> int:
        return self._muter.charge(cast("Api", self._api), response, self._request_size_bytes, self.worked_ns)

    def mute(self, delay_ms: int | None) -> None:
        """Read and serve nothing, for this long or until it is unmuted."""
        self._busy = True
        self._pause_reading()
        self._muter.mute(delay_ms)

    def unmute(self) -> None:
        if self._muting is not None and self._muting.end() and not self.is_closed:
            self._busy = False
            self._serve_queue()

    def _pipelines(self, outcome: Later[Answer]) -> bool:
        """Let further produce requests in while this one waits for its commit."""
        api = self._api
        if api is None or api.key != _PRODUCE or self.service.faults is not None or self.node.logs.logs_data_path:
            return False
        if outcome.is_exclusive:
            return False
        context = self.context
        throttle_ms = self._charge(ProduceResponse()) if self.node.quotas.is_enabled else 0
        asked = context.version, context.correlation_id, self._request_size_bytes, self._started_ns
        self._pipeline.add_deferred(outcome, *asked, throttle_ms)
        self._busy = False
        if throttle_ms:
            self.mute(throttle_ms)
        return True

    def answered(self, out: bytearray, elapsed_ns: int, size_bytes: int, count: int) -> None:
        """The pipeline's answers, in order; there may be room for further requests now."""
        if self.is_closed:
            return
        self._write(out)
        self.last_request_ms = now_ms = self.clock.monotonic_ms()
        self.node.metrics.observe_request(_PRODUCE, elapsed_ns, size_bytes, len(out), count)
        self.visit.asked(count, size_bytes, len(out), now_ms)
        if self._busy:
            self._flush()
        else:
            self._serve_queue()

    def _resolved(self, outcome: Outcome[Answer]) -> None:
        self._deferred = None
        if self.is_closed:
            return
        if self.context.denials:
            # Found while the answer was waited for.
            audit_denials(self.node.logs, self.context, cast("Api", self._api))
        self.settle(outcome)
        if self._busy:
            self._flush()
        else:
            self._serve_queue()

    # --- the answer

    def _reply(self, response: Message) -> None:
        context = self.context
        splices: Splices = []
        out = self._encoded(response, context.version, context.correlation_id, splices)
        if out is None:
            return
        if not splices:
            if self._pipeline:
                # A produce that needs no commit, after others that do: it keeps its place.
                self._pipeline.add_ready(out, self._request_size_bytes, self._started_ns)
                self._busy = False
                if self._muting is not None and self._muting.throttle_ms:
                    self.mute(self._muting.throttle_ms)
                return
            self._write(out)
            self._end(len(out))
        else:
            self._reply_with_records(out, splices, len(out) + sum(piece.size for _, piece in splices))

    def settle_bare(self, token: bytes) -> None:
        """An answer without a header: a login from before SaslAuthenticate (KIP-152)."""
        self._write(bytearray(len(token).to_bytes(4, "big") + token))
        self._end(4 + len(token))

    def encoded(self, response: Message, version: int, correlation_id: int) -> bytearray:
        """A produce answer of an earlier request; nothing when it cannot be written, and the connection closes."""
        out = self._encoded(response, version, correlation_id, [], _PRODUCE_API)
        return bytearray() if out is None else out

    def _encoded(
        self, response: Message, version: int, correlation_id: int, splices: Splices, api: Api | None = None
    ) -> bytearray | None:
        out = encoded_or_logged(self.node, api or cast("Api", self._api), response, version, correlation_id, splices)
        if out is None:
            self.close()
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

    def _reply_with_records(self, out: bytearray, splices: Splices, size_bytes: int) -> None:
        self._flush()
        self._records = self._records or RecordsOut(self.loop, self._transport)
        is_sent = self._records.sends(out, splices, size_bytes, self._sent)
        if not is_sent and (whole := joined(out, splices, self.close)) is not None:
            self._write(whole)
            self._end(size_bytes)

    def _sent(self, size_bytes: int, error: OSError | None, was_immediate: bool) -> None:
        if error is not None:
            self.close()
            return
        self._end(size_bytes)
        if not was_immediate:
            self._serve_queue()

    def _end(self, response_size_bytes: int) -> None:
        self._busy = False
        if self._muting is not None and self._muting.throttle_ms:
            self.mute(self._muting.throttle_ms)
        node, size_bytes = self.node, self._request_size_bytes
        elapsed_ns = time.perf_counter_ns() - self._started_ns
        self.last_request_ms = now_ms = self.clock.monotonic_ms()
        api = cast("Api", self._api)
        context, visit = self.context, self.visit
        if context.client_id != visit.client_id and (self.gate is None or self.gate.is_complete):
            visit.begin(context, api.key)
        visit.asked(1, size_bytes, response_size_bytes, now_ms)
        node.metrics.observe_request(api.key, elapsed_ns, size_bytes, response_size_bytes)
        if api.key not in node.logs.unlogged:
            node.logs.access_request(context, api, elapsed_ns, size_bytes, response_size_bytes)

    # --- endings

    @property
    def is_idle(self) -> bool:
        """Also when busy, while it is not read: muted, or with requests behind, nobody sees that its peer is gone."""
        is_stuck = None if self._records is None else self._records.is_stuck()
        return self._read_paused or not (self._busy or self._pipeline) if is_stuck is None else is_stuck

    def refuse(self, reason: str) -> None:
        """The peer does not speak our protocol: say so in the log and hang up."""
        self.node.metrics.refused_connections += 1
        self.node.logs.refused(self.context.client_host, self.listener.name, reason)
        self.close()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._drop_received()
            self._flush()
            hang_up(self.loop, self._transport)

    def abort(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._transport.abort()
