"""A broker that could not be fenced must not be forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.environment import SystemNetwork
from riacho.broker.membership.failure_detector import FailureDetector
from riacho.metadata.controller import Controller
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from support.broker_fakes import SetClock, recorded_logs
from support.registered_brokers import metadata_of, registered


class FullDisk:
    """An active controller whose log takes nothing for the time being."""

    def __init__(self) -> None:
        self.is_active = True
        self.heartbeats = BrokerHeartbeats(9_000)

    async def decided(self, decide: Any) -> None:
        metadata = metadata_of(registered(2))
        decide(Controller(metadata.image, metadata.values, lambda: bytes(16)))
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "no space left on device")


def test_a_session_that_ended_ends_again_when_its_broker_could_not_be_fenced() -> None:
    controller, clock = FullDisk(), SetClock()
    logs, _, _ = recorded_logs()
    active: Any = controller
    detector = FailureDetector(1, active, SystemNetwork(), clock, logs)
    controller.heartbeats.touch(2, 10, clock.monotonic_ms() - 9_000)
    assert controller.heartbeats.expired(clock.monotonic_ms()) == [2]
    asyncio.run(detector._fence([2], "its session ended"))
    assert controller.heartbeats.expired(clock.monotonic_ms() + 9_000) == [2]
