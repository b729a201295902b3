"""A named listener: the socket that accepts, and the connections it accepted, up to their limits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.broker.environment import BoundSocket
from riacho.broker.serving.connection import Connection

if TYPE_CHECKING:
    from riacho.base.ports import Accepting, BoundPort
    from riacho.broker.access.listener_security import ListenerSecurity
    from riacho.broker.node import Broker


class Listener:
    def __init__(self, broker: Broker, name: str, host: str, port: int) -> None:
        self.broker = broker
        self.name = name
        # Where controllers and brokers speak with the quorum, rather than clients with a broker.
        self.is_for_controllers = broker.config.is_controller_listener(name)
        self.host = host
        self.port = port
        self.security: ListenerSecurity = broker.security.new_listener(name)
        self.connections: set[Connection] = set()
        self._bound: BoundPort | None = None
        self._server: Accepting | None = None

    def bind(self) -> None:
        """Take the port, so that it is known and no other broker's; a port of 0 takes a free one and remembers it.

        A small send buffer costs less, not more: what sendfile hands over is still in the processor's cache when the
        peer reads it."""
        limits = self.broker.limits
        self.security.load()
        try:
            self._bound = self.broker.network.bind(
                self.host,
                self.port,
                send_buffer_size_bytes=limits.send_buffer_size_bytes,
                receive_buffer_size_bytes=limits.receive_buffer_size_bytes,
            )
        except OSError as error:
            address = f"{self.name}://{self.host}:{self.port}"
            raise OSError(error.errno, f"listener {address} cannot be opened: {error.strerror}") from error
        self.port = self._bound.port

    def unbind(self) -> None:
        """Give the port back after a start that failed."""
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    async def accept(self) -> None:
        assert self._bound is not None, "bind comes first"
        if self.security.uses_sasl:
            self.security.mechanisms.start()
        if self.security.uses_tls:
            from riacho.broker.serving.tls_acceptor import TlsAcceptor

            assert isinstance(self._bound, BoundSocket), "TLS is spoken on sockets of the system"
            self._server = TlsAcceptor(self, self._bound.socket)
        else:
            self._server = await self.broker.network.serve(self._bound, lambda: Connection(self))

    def admit(self, connection: Connection, transport: asyncio.BaseTransport) -> bool:
        sock = transport.get_extra_info("socket")
        return self.broker.connection_quotas.admit(self, connection, -1 if sock is None else sock.fileno())

    def forget(self, connection: Connection) -> None:
        if connection in self.connections and self.is_for_controllers:
            self.broker.failure_detector.connection_lost(connection)
        self.broker.connection_quotas.left(self, connection)

    def close_idle(self, now_ms: int, idle_ms_max: int) -> int:
        """Close connections whose last whole request is too old: half-sent frames do not count as life."""
        idle = [c for c in self.connections if now_ms - c.last_request_ms > idle_ms_max and c.is_idle]
        for connection in idle:
            connection.close()
        return len(idle)

    def stop_accepting(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def close_connections(self) -> None:
        for connection in [*self.connections, *self.broker.connection_quotas.waiting_at(self)]:
            connection.close()
