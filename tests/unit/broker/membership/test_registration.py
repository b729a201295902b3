"""A registration that is refused changes nothing for the broker that is on record under that id."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers.broker_registration import handle
from riacho.metadata.image.features import SUPPORTED
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest, Feature
from support.metadata_broker import CLUSTER_ID, Context, MetadataBroker, run

NODE = 1


@pytest.fixture
def controller(tmp_path: Path) -> MetadataBroker:
    """Node 1, which is a broker too."""
    return MetadataBroker(tmp_path)


def context(controller: MetadataBroker, connection: object | None) -> Context:
    made = Context(controller, 4)
    made.connection = connection
    return made


def registration(broker_id: int, cluster_id: str = CLUSTER_ID) -> BrokerRegistrationRequest:
    """Of another run than the one on record."""
    return BrokerRegistrationRequest(
        broker_id=broker_id,
        cluster_id=cluster_id,
        incarnation_id=b"n" * 16,
        features=[
            Feature(name=name, min_supported_version=low, max_supported_version=high)
            for name, (low, high) in SUPPORTED.items()
        ],
        log_dirs=[bytes([broker_id]) * 16],
    )


def test_who_is_refused_does_not_end_the_watch_over_the_one_that_has_the_id(controller: MetadataBroker) -> None:
    heartbeats, clock = controller.controller.heartbeats, controller.clock
    heartbeats.touch(2, 40, clock.monotonic_ms())
    with pytest.raises(KafkaError) as raised:
        handle(context(controller, object()), registration(2, cluster_id="of another"))
    assert raised.value.code is ErrorCode.INCONSISTENT_CLUSTER_ID
    expired = sorted(heartbeats.expired(clock.monotonic_ms() + 9_000))
    assert expired == [NODE, 2], "it would stay on record as up for ever"


def test_a_silent_run_makes_room_for_the_next(controller: MetadataBroker) -> None:
    heartbeats = controller.controller.heartbeats
    heartbeats.touch(2, 40, controller.clock.monotonic_ms())
    response = run(handle(context(controller, object()), registration(2)))
    assert response.error_code == ErrorCode.NONE
    assert controller.metadata.image.brokers[2].incarnation_id == b"n" * 16
    assert not heartbeats.has_contact(2)


def test_the_controllers_own_broker_makes_room_for_its_own_next_run(controller: MetadataBroker) -> None:
    """It beats without a connection, and so does its next run."""
    heartbeats = controller.controller.heartbeats
    assert heartbeats.has_contact(NODE)
    run(handle(context(controller, None), registration(NODE)))
    assert not heartbeats.has_contact(NODE)


def test_the_controllers_own_broker_is_not_taken_for_silent_by_another_process(controller: MetadataBroker) -> None:
    heartbeats = controller.controller.heartbeats
    with pytest.raises(KafkaError) as raised:
        run(handle(context(controller, object()), registration(NODE)))
    assert raised.value.code is ErrorCode.DUPLICATE_BROKER_REGISTRATION
    assert heartbeats.has_contact(NODE)
