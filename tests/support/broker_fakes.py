"""Stand-ins for what surrounds one part of the broker: a clock that is set, a transport that remembers, a loop that is
turned by hand, a broker with nothing behind it. No sockets."""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from riacho.broker.access.node_security import NodeSecurity
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.environment import Environment, SystemRng
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import Logs
from riacho.broker.parts.breakdown import Breakdown
from riacho.broker.parts.node_parts import NodeParts
from riacho.broker.parts.request_contexts import BrokerRequestContext
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.broker.produce.produce_parts import ProduceParts
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quotas.connection_quotas import ConnectionQuotas
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.requests.api import Api, Handle, promising
from riacho.broker.requests.large_requests import LargeRequests
from riacho.broker.requests.limits import Limits
from riacho.broker.requests.memory_pool import MemoryPool
from riacho.broker.requests.request_context import RequestConnection
from riacho.broker.serving.connection import Connection
from riacho.broker.serving.listener import Listener
from riacho.broker.serving.service import Service
from riacho.broker.visitor_log import VisitorLog
from riacho.metadata.image.image import MetadataImage
from riacho.security.authorizer import Authorizer
from riacho.wire import codec
from riacho.wire.apis import APIS, response_class
from riacho.wire.header import decode_response_header, encode_request_header
from support.hosted_replicas import new_replicas
from support.parts import hosting_parts, quorum_parts
from support.produce_parts import serve_produce
from support.request_contexts import request_context


class SetClock:
    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.at_ms = now_ms

    def now_ms(self) -> int:
        return self.at_ms

    def monotonic_ms(self) -> int:
        return self.at_ms


class LogLines(logging.Handler):
    """Keeps what is logged, as it would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")


def recorded_logs(level: int = logging.DEBUG) -> tuple[Logs, list[str], list[str]]:
    """Logs and the lines of the access log and of the error log."""
    access, error = logging.Logger("access", level), logging.Logger("error", level)
    handlers = LogLines(), LogLines()
    access.addHandler(handlers[0])
    error.addHandler(handlers[1])
    # Those of visitors are kept apart: `visitor_lines` listens to them.
    agent, referrer = logging.Logger("agent", level), logging.Logger("referrer", level)
    for each in (agent, referrer):
        each.addHandler(logging.NullHandler())
    return Logs(access, error, agent=agent, referrer=referrer), handlers[0].lines, handlers[1].lines


def visitor_lines(logs: Logs) -> tuple[list[str], list[str]]:
    """Of the agent log and of the referrer log, from now on."""
    handlers = LogLines(), LogLines()
    logs.agent.addHandler(handlers[0])
    logs.referrer.addHandler(handlers[1])
    return handlers[0].lines, handlers[1].lines


class HandLoop:
    """An event loop that does nothing by itself: the test turns it."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []
        self.timers: list[HandTimer] = []
        self.writers: dict[int, Callable[[], None]] = {}
        # What was given to threads, until the test does it.
        self.threads: list[HandWork] = []

    def run_in_executor(self, executor: object, act: Callable[..., Any], *args: Any) -> HandWork:
        work = HandWork(lambda: act(*args))
        self.threads.append(work)
        return work

    def call_soon(self, act: Callable[[], None]) -> None:
        self.soon.append(act)

    def call_later(self, delay_s: float, act: Callable[[], None]) -> HandTimer:
        timer = HandTimer(delay_s, act)
        self.timers.append(timer)
        return timer

    def add_writer(self, fd: int, act: Callable[[], None]) -> None:
        self.writers[fd] = act

    def remove_writer(self, fd: int) -> None:
        del self.writers[fd]

    def turn(self) -> None:
        due, self.soon = self.soon, []
        for act in due:
            act()


class HandWork:
    """A future whose work is done when the test says so."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self._is_cancelled = False
        self._callbacks: list[Callable[[HandWork], None]] = []

    def add_done_callback(self, callback: Callable[[HandWork], None]) -> None:
        self._callbacks.append(callback)

    def cancel(self) -> None:
        self._is_cancelled = True

    def cancelled(self) -> bool:
        return self._is_cancelled

    def result(self) -> Any:
        return self._act()

    def do(self) -> None:
        for callback in self._callbacks:
            callback(self)


class HandTimer:
    def __init__(self, delay_s: float, act: Callable[[], None]) -> None:
        self.delay_s = delay_s
        self.is_cancelled = False
        self._act = act

    def cancel(self) -> None:
        self.is_cancelled = True

    def fire(self) -> None:
        assert not self.is_cancelled
        self._act()


class FakeSocket:
    def fileno(self) -> int:
        return 3

    def setsockopt(self, *_: object) -> None:
        """Nothing to set."""


class FakeTransport(asyncio.Transport):
    def __init__(self, host: str = "10.0.0.9") -> None:
        super().__init__({"peername": (host, 5_000), "socket": FakeSocket()})
        self.writes: list[bytes] = []
        self.unsent_size_bytes = 0
        self.is_reading_paused = False
        self.is_aborted = False
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self._closing
        self.writes.append(bytes(data))

    def pause_reading(self) -> None:
        assert not self.is_reading_paused
        self.is_reading_paused = True

    def resume_reading(self) -> None:
        assert self.is_reading_paused
        self.is_reading_paused = False

    def get_write_buffer_size(self) -> int:
        return self.unsent_size_bytes

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    def abort(self) -> None:
        self._closing = True
        self.is_aborted = True


class TakenPort:
    """A port that nobody listens at."""

    port = 0

    def close(self) -> None:
        """Nothing to give back."""


class FakeBroker:
    """What a connection and a listener need of a broker: real parts, on a clock and a loop that the test drives.

    What a test puts in place of a part counts for the listeners and connections that it makes from then on."""

    def __init__(self, config: BrokerConfig | None = None, **limits: int) -> None:
        self.clock = SetClock()
        self.loop: Any = HandLoop()
        names = ("PLAINTEXT", "INSIDE", "A", "B")
        protocols = ",".join(f"{name}:PLAINTEXT" for name in names)
        self.config = config or BrokerConfig({"listener.security.protocol.map": protocols})
        self.environment = Environment(self.clock, SystemRng())
        self.limits = replace(Limits.of(self.config), **limits)
        self.metrics = BrokerMetrics()
        self.logs, self.access_lines, self.error_lines = recorded_logs()
        self.security = NodeSecurity(self.config, self.metrics.authentications, self.logs)
        self.breakdown = Breakdown()
        self.started_ms = self.clock.at_ms
        self.faults: Any = None
        self.authorizer: Authorizer | None = None
        self.memory = MemoryPool(self.limits.held_size_bytes_max)
        self.large_requests = LargeRequests(self.memory)
        self.listeners: list[ServingListener] = []
        self.quotas = Quotas(self.config, self.clock)
        self.connection_quotas: ConnectionQuotas[Connection] = ConnectionQuotas(
            self.config, self.limits, self.clock, self.metrics, self.logs
        )
        self.fast_path_epoch = FastPathEpoch()
        self.visitor_log = VisitorLog(self.metrics.visitors, self.logs, self.clock, 3_600_000)
        self.metadata = MetadataCache(self.config, MetadataImage())
        self.replicas = new_replicas(self.config.node_id, self.metadata, self.clock, self.logs, self.metrics)
        self.produce: ProduceParts
        serve_produce(self)

    @property
    def parts(self) -> NodeParts:
        return NodeParts(
            config=self.config,
            environment=self.environment,
            clock=self.clock,
            loop=self.loop,
            logs=self.logs,
            limits=self.limits,
            metrics=self.metrics,
            quotas=self.quotas,
            security=self.security,
            authorizer=self.authorizer,
            memory=self.memory,
            large_requests=self.large_requests,
            fast_path_epoch=self.fast_path_epoch,
            breakdown=self.breakdown,
            visitor_log=self.visitor_log,
            started_ms=self.started_ms,
        )

    @property
    def service(self) -> Service:
        return Service(BY_KEY, self.new_context, self.faults, fast_paths=self.produce.fast_path_offers)

    def new_context(
        self, listener_name: str, client_host: str, connection: RequestConnection | None = None
    ) -> BrokerRequestContext:
        return request_context(
            self.parts,
            quorum=quorum_parts(metadata=self.metadata),
            hosting=hosting_parts(replicas=self.replicas),
            produce=self.produce,
            listener_name=listener_name,
            client_host=client_host,
            connection=connection,
        )

    def context(self, version: int = 0) -> BrokerRequestContext:
        """Of a request that no connection brought."""
        made = self.new_context("PLAINTEXT", "127.0.0.1")
        made.version = version
        return made

    def listener(self, name: str = "PLAINTEXT") -> ServingListener:
        made = ServingListener(self, name)
        self.listeners.append(made)
        return made


class ServingListener(Listener):
    """Serves what its broker has."""

    def __init__(self, broker: FakeBroker, name: str) -> None:
        self.broker = broker
        security = broker.security.new_listener(name)
        super().__init__(broker.parts, broker.connection_quotas, security, name, "127.0.0.1", TakenPort())


def connect(listener: ServingListener, host: str = "10.0.0.9") -> tuple[Connection, FakeTransport]:
    connection, transport = Connection(listener, listener.broker.service), FakeTransport(host)
    connection.connection_made(transport)
    return connection, transport


def api(key: int, handle: Handle, versions: tuple[int, int] | None = None) -> Api:
    """A served API with a handler of the test's."""
    info = APIS[key]
    made = Api(key, info.name, versions or (info.min_version, info.max_version), "unused")
    made._handle = promising(handle)
    return made


def request_frame(message: Any, version: int, correlation_id: int = 7, client_id: str | None = "client") -> bytes:
    """A request as it is on the wire, its size in front."""
    out = bytearray()
    encode_request_header(message.API_KEY, version, correlation_id, client_id, out)
    codec.encoder(type(message), version)(message, out, None)
    return struct.pack(">i", len(out)) + bytes(out)


def responses(transport: FakeTransport, key: int, version: int) -> list[tuple[int, Any]]:
    """(correlation id, message) of every answer written so far."""
    data, found = b"".join(transport.writes), []
    while data:
        (size,) = struct.unpack_from(">i", data)
        frame, data = data[4 : 4 + size], data[4 + size :]
        assert len(frame) == size, "an answer is cut short"
        correlation_id, position = decode_response_header(key, version, frame)
        message, end = codec.decoder(response_class(key), version)(frame, position)
        assert end == size
        found.append((correlation_id, message))
    return found
