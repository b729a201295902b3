"""Connections to other brokers for one purpose, made when they are first needed and again when an address changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.peers.peer_connector import PeerConnector
    from riacho.client.peer.peer import Peer


class NodePeers:
    def __init__(self, endpoint_of: Callable[[int], tuple[str, int]], connector: PeerConnector, purpose: str) -> None:
        """`endpoint_of(node_id)` is where brokers reach that one; KafkaError when nobody knows."""
        self._endpoint_of = endpoint_of
        self._connector = connector
        self._purpose = purpose
        self._peers: dict[int, Peer] = {}

    def get(self, node_id: int) -> Peer:
        """KafkaError when nobody knows how brokers reach that one."""
        host, port = self._endpoint_of(node_id)
        peer = self._peers.get(node_id)
        if peer is None or (peer.host, peer.port) != (host, port):
            if peer is not None:
                peer.close()
            peer = self._peers[node_id] = self._connector.to_broker(host, port, self._purpose)
        return peer

    def close(self) -> None:
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()
