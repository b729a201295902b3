"""Connections to other brokers for one purpose, made when they are first needed and again when an address changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.client.peer.peer import Peer


class NodePeers:
    def __init__(self, broker: Broker, purpose: str) -> None:
        self._broker = broker
        self._purpose = purpose
        self._peers: dict[int, Peer] = {}

    def get(self, node_id: int) -> Peer:
        """KafkaError when nobody knows how brokers reach that one."""
        host, port = self._broker.inter_broker_endpoint(node_id)
        peer = self._peers.get(node_id)
        if peer is None or (peer.host, peer.port) != (host, port):
            if peer is not None:
                peer.close()
            peer = self._peers[node_id] = self._broker.new_peer(host, port, self._purpose)
        return peer

    def close(self) -> None:
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()
