"""Where a broker is reached, by clients of a listener and by brokers."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig, ListenerAddress
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.metadata.image.image import MetadataImage
from support.registered_brokers import metadata_of, registered

CONFIG = BrokerConfig(
    {
        "listeners": "PLAINTEXT://127.0.0.1:9092,INSIDE://127.0.0.1:9093",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "INSIDE",
    }
)
OWN = [ListenerAddress("PLAINTEXT", "me", 1, "PLAINTEXT"), ListenerAddress("INSIDE", "inner", 2, "PLAINTEXT")]


def test_a_node_knows_its_own_listeners_before_it_is_registered() -> None:
    endpoints = BrokerEndpoints(CONFIG, OWN, metadata_of(config=CONFIG))
    assert endpoints.of(1, "PLAINTEXT") == ("me", 1)
    assert endpoints.inter_broker(1) == ("inner", 2)


def test_others_are_where_they_registered_last() -> None:
    metadata = metadata_of(registered(2, "old", name="INSIDE"), config=CONFIG)
    endpoints = BrokerEndpoints(CONFIG, OWN, metadata)
    assert endpoints.inter_broker(2) == ("old", 9092)
    metadata.publish(MetadataImage(brokers={2: registered(2, "new", name="INSIDE")}))
    assert endpoints.inter_broker(2) == ("new", 9092)


@pytest.mark.parametrize(("node_id", "listener_name"), [(1, "OTHER"), (2, "INSIDE"), (3, "PLAINTEXT")])
def test_who_is_not_on_record_there_cannot_be_reached(node_id: int, listener_name: str) -> None:
    endpoints = BrokerEndpoints(CONFIG, OWN, metadata_of(registered(2), config=CONFIG))
    with pytest.raises(KafkaError) as raised:
        endpoints.of(node_id, listener_name)
    assert raised.value.code is ErrorCode.LISTENER_NOT_FOUND
