"""Who is taken for gone, and who is left to their session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from riacho.broker.membership.failure_detector import FailureDetector
from riacho.metadata.image.brokers import Broker, Endpoint
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from support.broker_fakes import FakeTransport, SetClock, recorded_logs


class Ports:
    """A network on which connecting to a port does what the test says."""

    def __init__(self, outcome: Callable[[], Any]) -> None:
        self.outcome = outcome
        self.asked: list[tuple[str, int]] = []

    async def connect(self, host: str, port: int, factory: Any) -> Any:
        self.asked.append((host, port))
        return self.outcome(), factory()


class Controller:
    def __init__(self) -> None:
        self.is_active = True
        self.heartbeats = BrokerHeartbeats(9_000)
        self.fenced: list[int] = []
        # Who was in_contact of when somebody was fenced.
        self.in_contact: list[set[int]] = []
        self.released_to: list[set[int]] = []
        self.image = MetadataImage(brokers={id: registered(id) for id in (1, 2, 3)})
        self._asked: list[int] = []

    async def decided(self, decide: Any) -> None:
        decide(self)

    # What is decided

    def fence_brokers(self, ids: list[int], in_contact: set[int]) -> None:
        self.fenced.extend(ids)
        self.in_contact.append(in_contact)

    def release_absent(self, in_contact: set[int]) -> None:
        self.released_to.append(in_contact)


def registered(broker_id: int, epoch: int = 7) -> Broker:
    return Broker(broker_id, epoch, bytes(16), (Endpoint("P", "h", 9000 + broker_id),), {}, None, False, False, ())


def refuse() -> Any:
    raise ConnectionRefusedError


def time_out() -> Any:
    raise TimeoutError


def reset() -> Any:
    raise ConnectionResetError


def accept() -> Any:
    return FakeTransport()


def detector(outcome: Callable[[], Any]) -> tuple[FailureDetector, Controller, Ports]:
    controller, ports = Controller(), Ports(outcome)
    logs, _, _ = recorded_logs()
    return FailureDetector(1, controller, ports, SetClock(), logs), controller, ports  # type: ignore[arg-type]


async def until_quiet(found: FailureDetector) -> None:
    while found._tasks:
        await asyncio.gather(*tuple(found._tasks))


def lose(outcome: Callable[[], Any], act: Callable[[FailureDetector, Controller], None] | None = None) -> list[int]:
    """Broker 2 beats, its connection is lost; who is fenced then."""

    async def run() -> list[int]:
        found, controller, _ = detector(outcome)
        connection = object()
        found.heartbeat(2, connection)
        assert found.is_connected(2)
        found.connection_lost(connection)
        assert not found.is_connected(2)
        if act is not None:
            act(found, controller)
        await until_quiet(found)
        return controller.fenced

    return asyncio.run(run())


def test_a_lost_connection_and_a_refusing_port_are_proof() -> None:
    assert lose(refuse) == [2]


def test_a_port_that_is_only_just_closing_is_looked_at_again() -> None:
    """The kernel ends the connections of a killed process before its listening sockets."""
    looks = iter([accept, reset, refuse, accept, refuse, refuse])
    assert lose(lambda: next(looks)()) == [2]


@pytest.mark.parametrize("outcome", [accept, time_out])
def test_a_port_that_answers_or_is_silent_is_left_to_the_session(outcome: Callable[[], Any]) -> None:
    assert lose(outcome) == []


def test_a_broker_that_beats_again_meanwhile_lives() -> None:
    assert lose(refuse, lambda found, _: found.heartbeat(2, object())) == []


def test_the_next_run_of_a_broker_does_not_pay_for_the_last() -> None:
    def register_again(_: FailureDetector, controller: Controller) -> None:
        asyncio.get_running_loop().call_later(0.005, controller.image.brokers.update, {2: registered(2, epoch=8)})

    assert lose(refuse, register_again) == []


def test_a_node_that_is_not_in_office_fences_nobody() -> None:
    def retire(_: FailureDetector, controller: Controller) -> None:
        controller.is_active = False

    assert lose(refuse, retire) == []


def test_another_connection_of_the_broker_does_not_matter() -> None:
    async def run() -> list[int]:
        found, controller, ports = detector(refuse)
        found.heartbeat(2, object())
        found.connection_lost(object())
        await until_quiet(found)
        assert ports.asked == []
        return controller.fenced

    assert asyncio.run(run()) == []


def test_a_new_controller_looks_at_those_who_do_not_report() -> None:
    async def run() -> tuple[list[int], list[tuple[str, int]]]:
        found, controller, ports = detector(refuse)
        found.activated()
        found.heartbeat(3, object())
        await until_quiet(found)
        return controller.fenced, ports.asked

    fenced, asked = asyncio.run(run())
    assert fenced == [2], "1 is the controller itself, 3 has reported"
    assert set(asked) == {("h", 9002)}


def test_sessions_end() -> None:
    async def run() -> list[int]:
        found, controller, _ = detector(accept)
        clock = found._clock
        controller.heartbeats.touch(3, 5, clock.monotonic_ms())
        task = asyncio.get_running_loop().create_task(found.run())
        clock.at_ms += 9_000
        while not controller.fenced:
            await asyncio.sleep(0.01)
        task.cancel()
        assert controller.heartbeats.expired(clock.monotonic_ms()) == [], "told once"
        return controller.fenced

    assert asyncio.run(run()) == [3]


def test_in_contact_are_those_who_reported_lately_and_are_connected() -> None:
    found, controller, _ = detector(accept)
    clock = found._clock
    controller.heartbeats.activate(controller.image, clock.monotonic_ms())
    assert found.in_contact() == set(), "a session that was given is no sign of life"
    for broker_id in (1, 2, 3):
        controller.heartbeats.touch(broker_id, 40, clock.monotonic_ms())
    found.heartbeat(2, connection := object())
    assert found.in_contact() == {1, 2}, "this node's own broker needs no connection"
    clock.at_ms += 4_499
    assert found.in_contact() == {1, 2}
    clock.at_ms += 1
    assert found.in_contact() == set(), "silent for half a session"
    controller.heartbeats.touch(2, 41, clock.monotonic_ms())
    assert found.in_contact() == {2}
    controller.is_active = False
    found.connection_lost(connection)
    assert found.in_contact() == set()


def test_who_is_in_contact_again_goes_on_without_the_absent() -> None:
    async def run() -> list[set[int]]:
        found, controller, _ = detector(accept)
        clock = found._clock
        await found._release()
        controller.heartbeats.touch(1, 40, clock.monotonic_ms())
        await found._release()
        await found._release()
        controller.image = MetadataImage(brokers=dict(controller.image.brokers))
        await found._release()
        return controller.released_to

    assert asyncio.run(run()) == [set(), {1}, {1}]


def test_a_new_controller_fences_nobody_before_the_others_could_report() -> None:
    """A leader and the controller die together: who is left must be in_contact of, to be seen as in sync and there."""

    async def run() -> list[set[int]]:
        found, controller, ports = detector(accept)
        ports.outcome = lambda: refuse() if ports.asked[-1][1] == 9002 else accept()
        found.activated()
        loop, now_ms = asyncio.get_running_loop(), found._clock.monotonic_ms()

        def report(broker_id: int) -> None:
            controller.heartbeats.touch(broker_id, 40, now_ms)
            found.heartbeat(broker_id, object())

        loop.call_later(0.18, report, 1)
        loop.call_later(0.2, report, 3)
        await until_quiet(found)
        return controller.in_contact

    assert asyncio.run(run()) == [{1, 3}]


def test_what_ends_after_it_is_closed_is_not_looked_into() -> None:
    """A node that stops closes its connections last of all."""

    async def run() -> int:
        found, _, _ = detector(accept)
        connection = object()
        found.heartbeat(2, connection)
        found.close()
        found.connection_lost(connection)
        # One that its connection brought before it was closed.
        found.heartbeat(3, connection)
        found.connection_lost(connection)
        found.activated()
        return len(found._tasks)

    assert asyncio.run(run()) == 0
