"""Connections to brokers for one purpose: kept while the address stays."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.peers.node_peers import NodePeers
from riacho.metadata.image.image import MetadataImage
from support.registered_brokers import metadata_of, peer_connector, registered


def test_a_peer_is_kept_until_its_broker_is_elsewhere() -> None:
    metadata = metadata_of(registered(2, "a"))
    peers = NodePeers(BrokerEndpoints(metadata.config, [], metadata).inter_broker, peer_connector(), "testing")
    first = peers.get(2)
    assert (first.host, first.port) == ("a", 9092)
    assert peers.get(2) is first
    metadata.publish(MetadataImage(brokers={2: registered(2, "b")}))
    second = peers.get(2)
    assert second is not first
    assert second.host == "b"
    with pytest.raises(KafkaError) as raised:
        peers.get(3)
    assert raised.value.code is ErrorCode.LISTENER_NOT_FOUND
    peers.close()
    assert peers.get(2) is not second
