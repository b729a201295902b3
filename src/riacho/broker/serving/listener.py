"""A named listener: the socket that accepts, and the connections it accepted, up to their limits.

Its port is bound first, so that it is known to whom it is advertised; clients wait in its backlog until the parts that
serve them are there.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.broker.environment import BoundSocket
from riacho.broker.serving.connection import Connection

if TYPE_CHECKING:
    from riacho.base.ports import Accepting, BoundPort
    from riacho.broker.access.listener_security import ListenerSecurity
    from riacho.broker.config import ListenerAddress
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.quotas.connection_quotas import ConnectionQuotas
    from riacho.broker.serving.service import Service


class Listener:
    def __init__(
        self,
        node: NodeParts,
        quotas: ConnectionQuotas[Connection],
        security: ListenerSecurity,
        name: str,
        host: str,
        bound: BoundPort,
    ) -> None:
        self.node = node
        self.quotas = quotas
        self.name = name
        # Where controllers and brokers speak with the quorum, rather than clients with a broker.
        self.is_for_controllers = node.config.is_controller_listener(name)
        self.host = host
        self.port = bound.port
        self.security = security
        self.connections: set[Connection] = set()
        self._bound = bound
        self._server: Accepting | None = None
        quotas.add_listener(self)

    async def accept(self, service: Service) -> None:
        """Let clients in, and serve them this."""
        if self.security.uses_sasl:
            self.security.mechanisms.start()
        if self.security.uses_tls:
            from riacho.broker.serving.tls_acceptor import TlsAcceptor

            assert isinstance(self._bound, BoundSocket), "TLS is spoken on sockets of the system"
            self._server = TlsAcceptor(self, self._bound.socket, service)
        else:
            network = self.node.environment.network
            self._server = await network.serve(self._bound, lambda: Connection(self, service))

    def admit(self, connection: Connection, transport: asyncio.BaseTransport) -> bool:
        sock = transport.get_extra_info("socket")
        return self.quotas.admit(self, connection, -1 if sock is None else sock.fileno())

    def forget(self, connection: Connection) -> None:
        self.quotas.left(self, connection)

    def close_idle(self, now_ms: int, idle_ms_max: int) -> int:
        """Close connections whose last whole request is too old: half-sent frames do not count as life."""
        idle = [c for c in self.connections if now_ms - c.last_request_ms > idle_ms_max and c.is_idle]
        for connection in idle:
            connection.close()
        return len(idle)

    def stop_accepting(self) -> None:
        """Give the port back."""
        if self._server is None:
            self._bound.close()
        else:
            self._server.close()
            self._server = None

    def close_connections(self) -> None:
        for connection in [*self.connections, *self.quotas.waiting_at(self)]:
            connection.close()


def bind_listener(node: NodeParts, quotas: ConnectionQuotas[Connection], address: ListenerAddress) -> Listener:
    """Take the port, so that it is known and no other broker's; a port of 0 takes a free one.

    A small send buffer costs less, not more: what sendfile hands over is still in the processor's cache when the
    peer reads it."""
    security = node.security.new_listener(address.name)
    try:
        bound = node.environment.network.bind(
            address.host,
            address.port,
            send_buffer_size_bytes=node.limits.send_buffer_size_bytes,
            receive_buffer_size_bytes=node.limits.receive_buffer_size_bytes,
        )
    except OSError as error:
        named = f"{address.name}://{address.host}:{address.port}"
        raise OSError(error.errno, f"listener {named} cannot be opened: {error.strerror}") from error
    return Listener(node, quotas, security, address.name, address.host, bound)
