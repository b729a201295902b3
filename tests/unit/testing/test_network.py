"""Cuts between brokers, on a network that is only pretended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from riacho.broker.environment import SystemNetwork
from riacho.testing.network import BrokerNetwork, Cables


class FakeTransport:
    def __init__(self) -> None:
        self.is_aborted = False

    def abort(self) -> None:
        self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_aborted


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[FakeTransport]:
    """Every connection that a broker made, in order."""
    transports: list[FakeTransport] = []

    async def connect(
        self: SystemNetwork, host: str, port: int, factory: Callable[[], Any], *, tls: Any = None
    ) -> tuple[Any, Any]:
        transports.append(FakeTransport())
        return transports[-1], factory()

    monkeypatch.setattr(SystemNetwork, "connect", connect)
    return transports


def _cables() -> Cables:
    cables = Cables()
    for node_id in (1, 2, 3):
        cables.connect_ports(node_id, [node_id * 10, node_id * 10 + 1])
    return cables


def _connect(cables: Cables, here: int, port: int) -> Any:
    return BrokerNetwork(here, cables).connect("127.0.0.1", port, object)


def test_a_cut_closes_what_stands_between_the_sides_and_nothing_else(made: list[FakeTransport]) -> None:
    async def scenario() -> None:
        cables = _cables()
        for here, port in ((1, 20), (1, 31), (2, 30), (3, 10)):
            await _connect(cables, here, port)
        cables.cut([[1], [2, 3]])
        await asyncio.sleep(0)
        assert [transport.is_aborted for transport in made] == [True, True, False, True]

    asyncio.run(scenario())


def test_across_a_cut_nobody_is_found_until_it_is_healed(made: list[FakeTransport]) -> None:
    async def scenario() -> None:
        cables = _cables()
        cables.cut([[1], [2, 3]])
        waiting = asyncio.ensure_future(_connect(cables, 1, 21))
        await _connect(cables, 2, 30)
        await asyncio.sleep(0)
        assert not waiting.done()
        assert len(made) == 1
        cables.heal()
        await asyncio.wait_for(waiting, 5)
        assert len(made) == 2

    asyncio.run(scenario())


def test_a_connection_that_comes_up_while_its_way_is_cut_does_not_stay(made: list[FakeTransport]) -> None:
    async def scenario() -> None:
        cables = _cables()
        cables.cut([[1], [2]])
        transport = FakeTransport()
        cables.remember((1, 2), transport)  # type: ignore[arg-type]
        assert transport.is_aborted

    asyncio.run(scenario())


def test_ports_of_nobody_are_never_cut(made: list[FakeTransport]) -> None:
    async def scenario() -> None:
        cables = _cables()
        cables.cut([[1], [2], [3]])
        await asyncio.wait_for(_connect(cables, 1, 9999), 5)
        assert len(made) == 1

    asyncio.run(scenario())


def test_a_loop_that_is_gone_is_no_obstacle(made: list[FakeTransport]) -> None:
    cables = _cables()

    async def connect() -> None:
        await _connect(cables, 1, 20)

    asyncio.run(connect())
    cables.cut([[1], [2]])
    assert cables.is_cut(1, 2)
    assert cables.is_cut(2, 1)
    assert not cables.is_cut(1, 3)
