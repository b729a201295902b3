"""Connections from this node to others, secured as the other's listener demands, and named by their purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.client.peer.peer import Peer

if TYPE_CHECKING:
    from riacho.base.ports import Network
    from riacho.client.client_security import ClientSecurity


class PeerConnector:
    def __init__(
        self, node_id: int, network: Network, broker_security: ClientSecurity, controller_security: ClientSecurity
    ) -> None:
        self._node_id = node_id
        self._network = network
        self._broker_security = broker_security
        self._controller_security = controller_security

    def to_broker(self, host: str, port: int, purpose: str, on_lost: Callable[[], None] | None = None) -> Peer:
        return self._peer(host, port, purpose, self._broker_security, on_lost)

    def to_controller(self, host: str, port: int, purpose: str) -> Peer:
        return self._peer(host, port, purpose, self._controller_security)

    def _peer(
        self,
        host: str,
        port: int,
        purpose: str,
        security: ClientSecurity,
        on_lost: Callable[[], None] | None = None,
    ) -> Peer:
        client_id = f"broker-{self._node_id}-{purpose}"
        return Peer(self._network, host, port, client_id=client_id, on_lost=on_lost, security=security)
