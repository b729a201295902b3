"""A registration that is refused changes nothing for the broker that is on record under that id."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers.broker_registration import handle
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest
from support.broker_fakes import SetClock
from support.request_contexts import request_context

NODE = 1


def context(connection: object | None, refuses: bool) -> tuple[Any, BrokerHeartbeats, SetClock]:
    clock, heartbeats = SetClock(), BrokerHeartbeats(9_000)

    def submit(_: Any) -> str:
        if refuses:
            raise KafkaError(ErrorCode.INCONSISTENT_CLUSTER_ID)
        return "registered"

    broker = SimpleNamespace(
        node_id=NODE,
        clock=clock,
        controller=SimpleNamespace(heartbeats=heartbeats, submit=submit),
        failure_detector=SimpleNamespace(is_connected=lambda _: False, heard=set),
    )
    return request_context(broker, 4, connection=connection), heartbeats, clock


def test_who_is_refused_does_not_end_the_watch_over_the_one_that_has_the_id() -> None:
    ctx, heartbeats, clock = context(object(), refuses=True)
    heartbeats.touch(2, 40, clock.monotonic_ms())
    with pytest.raises(KafkaError):
        handle(ctx, BrokerRegistrationRequest(broker_id=2))
    assert heartbeats.expired(clock.monotonic_ms() + 9_000) == [2], "it would stay on record as up for ever"


def test_a_silent_run_makes_room_for_the_next() -> None:
    ctx, heartbeats, clock = context(object(), refuses=False)
    heartbeats.touch(2, 40, clock.monotonic_ms())
    assert handle(ctx, BrokerRegistrationRequest(broker_id=2)) == "registered"
    assert not heartbeats.has_contact(2)


@pytest.mark.parametrize("connection", [None, object()], ids=["itself", "another process"])
def test_the_controllers_own_broker_is_not_taken_for_silent(connection: object | None) -> None:
    """It beats without a connection. Another process of its id has to wait; its own next run need not."""
    ctx, heartbeats, clock = context(connection, refuses=False)
    heartbeats.touch(NODE, 40, clock.monotonic_ms())
    handle(ctx, BrokerRegistrationRequest(broker_id=NODE))
    assert heartbeats.has_contact(NODE) == (connection is not None)
