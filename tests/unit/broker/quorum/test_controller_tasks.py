"""What the active controller does unasked, and how a controller makes itself known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig, ListenerAddress
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.quorum.controller_registration import ControllerRegistration
from riacho.broker.quorum.controller_tasks import ControllerTasks
from riacho.broker.quorum.leader_recovery import LeaderRecovery
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
from riacho.wire.messages.register_controller_record import RegisterControllerRecord
from support.broker_fakes import SetClock, recorded_logs
from support.registered_brokers import broker_endpoints, peer_connector

OFTEN = {
    "unclean.leader.election.interval.ms": "1",
    "leader.imbalance.check.interval.seconds": "1",
    "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
}
LISTENER = ListenerAddress("CONTROLLER", "127.0.0.1", 9093, "PLAINTEXT")
INCARNATION_ID = b"i" * 16


class Decisions:
    """In place of the controller that decides: notes what it was asked for."""

    def __init__(self, done: list[str]) -> None:
        self._done = done

    def elect_unclean(self) -> None:
        self._done.append("unclean")

    def balance_leaders(self) -> None:
        self._done.append("balance")


class World:
    """Stands for the active controller, the way to it, and the failure detector."""

    def __init__(self, listeners: list[ListenerAddress] | None = None, **properties: str) -> None:
        me: Any = self
        self.logs, _, self.lines = recorded_logs()
        self.asked: list[Any] = []
        self.done: list[str] = []
        self.failures: list[Exception] = []
        self.on_ask: Callable[[Any], None] = lambda _: None
        self.is_watching = False
        self.is_closed = False
        self.is_active = True
        self.config = BrokerConfig({name.replace("_", "."): value for name, value in properties.items()} | OFTEN)
        self.metadata = MetadataCache(self.config, MetadataImage())
        self.image, self.values = self.metadata.image, self.metadata.values
        registration = ControllerRegistration(1, INCARNATION_ID, listeners or [], self.metadata, me, self.logs)
        peers = NodePeers(broker_endpoints().inter_broker, peer_connector(), "leader-recovery")
        recovery = LeaderRecovery(me, peers, SetClock(), self.logs, 9_000)
        self.chores = ControllerTasks(
            self.config, SetClock(), self.logs, me, (self, recovery), registration if listeners else None
        )

    async def decided(self, decide: Callable[[Any], None]) -> None:
        if self.failures:
            raise self.failures.pop()
        decide(Decisions(self.done))

    async def run(self) -> None:
        self.is_watching = True
        await asyncio.Event().wait()

    def close(self) -> None:
        self.is_closed = True

    async def send(self, request: Any) -> None:
        self.asked.append(request)
        self.on_ask(request)

    async def pause(self, timeout_ms: int) -> None:
        await asyncio.sleep(0)

    def registers(self, incarnation_id: bytes) -> None:
        """Run of controller 1 that the metadata show."""
        record = RegisterControllerRecord(controller_id=1, incarnation_id=incarnation_id)
        self.metadata.publish(self.metadata.image.apply([record], self.metadata.image.end_offset + 1))

    def run_until(self, is_so: Callable[[], bool]) -> None:
        async def scenario() -> None:
            self.chores.start()
            while not is_so():
                await asyncio.sleep(0.001)
            await self.chores.stop()

        run(scenario())


def run(coroutine: Coroutine[Any, Any, Any]) -> None:
    asyncio.run(asyncio.wait_for(coroutine, 20))


def test_the_controller_elects_and_balances_from_time_to_time() -> None:
    world = World()
    world.run_until(lambda: world.done.count("unclean") >= 2 and "balance" in world.done)
    assert world.is_watching
    assert world.is_closed


def test_balancing_can_be_switched_off() -> None:
    world = World(auto_leader_rebalance_enable="false")
    world.run_until(lambda: len(world.done) >= 3)
    assert len(world.chores._tasks) == 4, (
        "unclean elections, tokens that expire, the failure detector, leaders after an outage"
    )


@pytest.mark.parametrize(
    "failure", [KafkaError(ErrorCode.NOT_CONTROLLER, "lost meanwhile"), ValueError("a bug")], ids=["refused", "broken"]
)
def test_a_chore_that_fails_is_done_again(failure: Exception) -> None:
    world = World()
    world.failures = [failure]
    world.run_until(lambda: "unclean" in world.done)
    assert any("controller chore failed" in line for line in world.lines)


def test_who_is_not_active_decides_nothing() -> None:
    world = World(auto_leader_rebalance_enable="false")
    world.is_active = False
    looks = 0

    def enough() -> bool:
        nonlocal looks
        looks += 1
        return looks > 20

    world.run_until(enough)
    assert world.done == []


def test_a_controller_registers_until_the_metadata_show_this_run_of_it() -> None:
    world = World([LISTENER])
    world.registers(b"o" * 16)

    def answer(_: Any) -> None:
        if len(world.asked) == 1:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, "nobody leads")
        if len(world.asked) == 3:
            world.registers(INCARNATION_ID)

    world.on_ask = answer
    world.run_until(lambda: world.chores._tasks[-1].done())
    assert len(world.asked) == 3, "the first had no controller, the second is not in the metadata yet"
    request = world.asked[0]
    assert isinstance(request, ControllerRegistrationRequest)
    assert (request.controller_id, request.incarnation_id) == (1, INCARNATION_ID)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("CONTROLLER", "127.0.0.1", 9093)]
    assert "metadata.version" in {feature.name for feature in request.features}


def test_a_node_that_no_controller_reaches_does_not_register() -> None:
    world = World()
    world.run_until(lambda: world.is_watching)
    assert world.asked == []
