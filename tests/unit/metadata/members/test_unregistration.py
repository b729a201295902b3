from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from support.metadata_world import MetadataWorld, topic


def test_an_unregistered_broker_is_gone_from_record_isr_and_elr() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", configs={"min.insync.replicas": "2"}, assignments={0: [1, 2, 3], 1: [3, 1, 2]}))
    world.fence(1)
    world.fence(2)
    assert world.partition().eligible_leader_replicas == (2,)
    for id in (2, 3):
        reply = world.submit(world.controller.unregister_broker(UnregisterBrokerRequest(broker_id=id)))
        assert (reply.error_code, reply.error_message) == (0, None)
    assert list(world.image.brokers) == [1]
    partition = world.partition()
    assert (partition.leader, partition.isr, partition.eligible_leader_replicas) == (-1, (), ())


def test_an_unknown_broker_cannot_be_unregistered() -> None:
    with pytest.raises(KafkaError, match="Broker ID 7 is not currently registered") as raised:
        MetadataWorld().controller.unregister_broker(UnregisterBrokerRequest(broker_id=7))
    assert raised.value.code is ErrorCode.BROKER_ID_NOT_REGISTERED


def test_a_broker_that_lives_stays() -> None:
    world = MetadataWorld(2)
    heartbeats = BrokerHeartbeats(9_000)
    heartbeats.touch(2, 5, now_ms=1_000)
    request = UnregisterBrokerRequest(broker_id=2)
    with pytest.raises(KafkaError, match="Broker 2 is alive") as raised:
        world.controller.unregister_broker(request, heartbeats, now_ms=9_999)
    assert raised.value.code is ErrorCode.INVALID_REQUEST
    assert 2 in world.image.brokers
    world.submit(world.controller.unregister_broker(request, heartbeats, now_ms=10_000))
    assert 2 not in world.image.brokers
