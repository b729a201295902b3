"""A leader whose connection broke is suspect, unless it is out of service anyway."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.membership.suspects import Suspects
from riacho.broker.replication.leader_connections import LeaderConnections
from riacho.metadata.image.brokers import Broker
from support.broker_fakes import SetClock
from support.registered_brokers import metadata_of, peer_connector, registered


@pytest.mark.parametrize(
    ("leader", "suspected"), [(registered(2, "a"), {2}), (registered(2, "a", is_fenced=True), set())]
)
def test_a_connection_that_breaks_makes_its_leader_suspect(leader: Broker, suspected: set[int]) -> None:
    metadata, suspects = metadata_of(leader), Suspects(SetClock())
    leaders = LeaderConnections(BrokerEndpoints(metadata.config, [], metadata), peer_connector(), metadata, suspects)
    peer = leaders.connect(2)
    assert (peer.host, peer.port) == ("a", 9092)
    assert suspects.now() == set()
    leaders._lost(2)
    assert suspects.now() == suspected


def test_a_leader_that_is_not_on_record_is_not_connected_to() -> None:
    metadata = metadata_of()
    endpoints = BrokerEndpoints(metadata.config, [], metadata)
    with pytest.raises(KafkaError) as raised:
        LeaderConnections(endpoints, peer_connector(), metadata, Suspects(SetClock())).connect(3)
    assert raised.value.code is ErrorCode.LISTENER_NOT_FOUND
