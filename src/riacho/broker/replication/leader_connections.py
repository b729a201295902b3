"""Connections to the leaders that this broker follows; one that breaks makes its leader suspect."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.membership.broker_endpoints import BrokerEndpoints
    from riacho.broker.membership.suspects import Suspects
    from riacho.broker.peers.peer_connector import PeerConnector
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.client.peer.peer import Peer


class LeaderConnections:
    def __init__(
        self, endpoints: BrokerEndpoints, connector: PeerConnector, metadata: MetadataCache, suspects: Suspects
    ) -> None:
        self._endpoints = endpoints
        self._connector = connector
        self._metadata = metadata
        self._suspects = suspects

    def connect(self, leader_id: int) -> Peer:
        """KafkaError when the metadata do not say where it is."""
        host, port = self._endpoints.inter_broker(leader_id)
        return self._connector.to_broker(host, port, "fetcher", on_lost=partial(self._lost, leader_id))

    def _lost(self, leader_id: int) -> None:
        leader = self._metadata.image.brokers.get(leader_id)
        if leader is not None and not leader.is_fenced:
            self._suspects.lost(leader_id)
