"""A named listener: the socket that accepts, and the connections it accepted, up to their limits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from riacho.broker.connection import Connection

if TYPE_CHECKING:
    from riacho.broker.node import Broker


class Listener:
    def __init__(self, broker: Broker, name: str, host: str, port: int) -> None:
        self.broker = broker
        self.name = name
        # Where controllers and brokers speak with the quorum, rather than clients with a broker.
        self.is_for_controllers = broker.config.is_controller_listener(name)
        self.host = host
        self.port = port
        self.connections: set[Connection] = set()
        self._per_ip: Counter[str] = Counter()
        self._bound: Any = None
        self._server: Any = None

    def bind(self) -> None:
        """Take the port, so that it is known and no other broker's; a port of 0 takes a free one and remembers it.

        A small send buffer costs less, not more: what sendfile hands over is still in the processor's cache when the
        peer reads it."""
        limits = self.broker.limits
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
        self._server = await self.broker.network.serve(self._bound, lambda: Connection(self))

    def admit(self, connection: Connection) -> bool:
        host = connection.context.client_host
        limits = self.broker.limits
        if (
            self.broker.connection_count() >= limits.connections_max
            or self._per_ip[host] >= limits.connections_max_per_ip
        ):
            self.broker.metrics.rejected_connections += 1
            self.broker.logs.refused(host, self.name, "too many connections")
            return False
        self.connections.add(connection)
        self._per_ip[host] += 1
        return True

    def forget(self, connection: Connection) -> None:
        if connection not in self.connections:
            return
        self.connections.discard(connection)
        if self.is_for_controllers:
            self.broker.failure_detector.connection_lost(connection)
        host = connection.context.client_host
        self._per_ip[host] -= 1
        if self._per_ip[host] <= 0:
            del self._per_ip[host]

    def close_idle(self, now_ms: int, idle_ms_max: int) -> int:
        """Close connections whose last whole request is too old: half-sent frames do not count as life."""
        idle = [c for c in self.connections if not c.is_busy and now_ms - c.last_request_ms > idle_ms_max]
        for connection in idle:
            connection.close()
        return len(idle)

    def stop_accepting(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def close_connections(self) -> None:
        for connection in list(self.connections):
            connection.close()
