"""A named listener: the socket that accepts, and the connections it accepted, up to their limits."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from typing import TYPE_CHECKING

from riacho.broker.connection import Connection

if TYPE_CHECKING:
    from riacho.broker.node import Broker

_BACKLOG = 4096


class Listener:
    def __init__(self, broker: Broker, name: str, host: str, port: int) -> None:
        self.broker = broker
        self.name = name
        self.host = host
        self.port = port
        self.connections: set[Connection] = set()
        self._per_ip: Counter[str] = Counter()
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None

    def bind(self) -> None:
        """Take the port, so that it is known and no other broker's; a port of 0 takes a free one and remembers it."""
        try:
            self._socket = bind(self.host, self.port)
        except OSError as error:
            address = f"{self.name}://{self.host}:{self.port}"
            raise OSError(error.errno, f"listener {address} cannot be opened: {error.strerror}") from error
        self.port = self._socket.getsockname()[1]
        self._tune(self._socket)
        # From here on the port is ours; clients that come before we accept wait in the backlog.
        self._socket.listen(_BACKLOG)

    def _tune(self, sock: socket.socket) -> None:
        """Set once, inherited by every connection. A small send buffer costs less, not more: what sendfile hands over
        is still in the processor's cache when the peer reads it."""
        limits = self.broker.limits
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if limits.send_buffer_size_bytes > 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.send_buffer_size_bytes)
        if limits.receive_buffer_size_bytes > 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limits.receive_buffer_size_bytes)

    def unbind(self) -> None:
        """Give the port back after a start that failed."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def accept(self) -> None:
        assert self._socket is not None, "bind comes first"
        self._server = await self.broker.loop.create_server(
            lambda: Connection(self), sock=self._socket, backlog=_BACKLOG
        )

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


def bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and not host:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(address)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock
