"""What the active controller does unasked, and how a controller makes itself known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.controller_tasks import ControllerTasks
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
from support.broker_fakes import recorded_logs

OFTEN = {
    "unclean.leader.election.interval.ms": "1",
    "leader.imbalance.check.interval.seconds": "1",
    "listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
}
LISTENER = SimpleNamespace(name="CONTROLLER", host="127.0.0.1", port=9093, is_for_controllers=True)


class World:
    def __init__(self, listeners: list[Any] | None = None, **properties: str) -> None:
        self.logs, _, self.lines = recorded_logs()
        self.asked: list[Any] = []
        self.done: list[str] = []
        self.failures: list[Exception] = []
        self.on_ask: Callable[[Any], None] = lambda _: None
        self.is_watching = False
        self.is_closed = False
        self.broker: Any = SimpleNamespace(
            node_id=1,
            config=BrokerConfig({name.replace("_", "."): value for name, value in properties.items()} | OFTEN),
            logs=self.logs,
            new_uuid=lambda: b"i" * 16,
            listeners=listeners or [],
            controller=SimpleNamespace(
                is_active=True, decided=self._decided, on_activated=[], image=MetadataImage(), values=None
            ),
            failure_detector=SimpleNamespace(run=self._watch, close=self._close),
            metadata=SimpleNamespace(image=SimpleNamespace(controllers={}), subscribe=lambda _: None),
            controller_channel=SimpleNamespace(send=self._send, pause=self._pause),
        )
        self.chores = ControllerTasks(self.broker)

    async def _decided(self, decide: Callable[[Any], None]) -> None:
        if self.failures:
            raise self.failures.pop()
        decide(
            SimpleNamespace(
                elect_unclean=lambda: self.done.append("unclean"), balance_leaders=lambda: self.done.append("balance")
            )
        )

    async def _watch(self) -> None:
        self.is_watching = True
        await asyncio.Event().wait()

    def _close(self) -> None:
        self.is_closed = True

    async def _send(self, request: Any) -> None:
        self.asked.append(request)
        self.on_ask(request)

    async def _pause(self, timeout_ms: int) -> None:
        await asyncio.sleep(0)

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
    world.broker.controller.is_active = False
    looks = 0

    def enough() -> bool:
        nonlocal looks
        looks += 1
        return looks > 20

    world.run_until(enough)
    assert world.done == []


def test_a_controller_registers_until_the_metadata_show_this_run_of_it() -> None:
    world = World([LISTENER, SimpleNamespace(name="PLAINTEXT", host="127.0.0.1", port=9092, is_for_controllers=False)])
    known = world.broker.metadata.image.controllers
    known[1] = SimpleNamespace(incarnation_id=b"o" * 16)

    def answer(_: Any) -> None:
        if len(world.asked) == 1:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, "nobody leads")
        if len(world.asked) == 3:
            known[1] = SimpleNamespace(incarnation_id=b"i" * 16)

    world.on_ask = answer
    world.run_until(lambda: world.chores._tasks[-1].done())
    assert len(world.asked) == 3, "the first had no controller, the second is not in the metadata yet"
    request = world.asked[0]
    assert isinstance(request, ControllerRegistrationRequest)
    assert (request.controller_id, request.incarnation_id) == (1, b"i" * 16)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("CONTROLLER", "127.0.0.1", 9093)]
    assert "metadata.version" in {feature.name for feature in request.features}


def test_a_node_that_no_controller_reaches_does_not_register() -> None:
    world = World()
    world.run_until(lambda: world.is_watching)
    assert world.asked == []
