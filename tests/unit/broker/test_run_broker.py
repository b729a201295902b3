"""A broker as a process: what SIGTERM, a failed start and a broken disk come to."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker import run
from support.broker_fakes import FakeBroker

BROKEN = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "the disk is gone")


class FakeNode:
    """`starting` is what a start waits for; it is its own server."""

    def __init__(self, starting: Callable[[FakeNode], Awaitable[None]]) -> None:
        self.calls: list[str] = []
        self.parts = FakeBroker().parts
        self._starting = starting

    async def start(self) -> FakeNode:
        self.calls.append("start")
        try:
            await self._starting(self)
        except asyncio.CancelledError:
            self.calls.append("cancelled")
            raise
        self.calls.append("started")
        return self

    def break_down(self) -> None:
        self.parts.breakdown.happen(BROKEN)

    async def stop(self) -> None:
        self.calls.append("stop")


@pytest.fixture
def run_until_stopped(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeNode]:
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(run, "real_environment", lambda: None)

    def go(
        starting: Callable[[FakeNode], Awaitable[None]],
        on_ready: Callable[[FakeNode], None] | None = None,
        made: list[FakeNode] | None = None,
    ) -> FakeNode:
        brokers: list[FakeNode] = [] if made is None else made

        def make(*_: Any) -> FakeNode:
            brokers.append(FakeNode(starting))
            return brokers[0]

        monkeypatch.setattr(run, "open_node", make)
        monkeypatch.setattr(run, "start", FakeNode.start)
        nothing: Any = None
        asyncio.run(asyncio.wait_for(run._main(nothing, nothing, on_ready), 10))  # type: ignore[arg-type]
        return brokers[0]

    return go


async def at_once(node: FakeNode) -> None:
    pass


async def never(broker: FakeNode) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_runs_until_it_is_told_to_stop(run_until_stopped: Callable[..., FakeNode], number: int) -> None:
    broker = run_until_stopped(at_once, lambda _: os.kill(os.getpid(), number))
    assert broker.calls == ["start", "started", "stop"]


def test_a_start_that_waits_for_others_can_be_given_up(run_until_stopped: Callable[..., FakeNode]) -> None:
    async def told_while_waiting(broker: FakeNode) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await never(broker)

    ready: list[FakeNode] = []
    broker = run_until_stopped(told_while_waiting, ready.append)
    assert broker.calls == ["start", "cancelled"]
    assert ready == []


@pytest.mark.parametrize("turns", range(6))
def test_what_is_told_to_stop_just_as_it_has_started_is_stopped(
    run_until_stopped: Callable[..., FakeNode], turns: int
) -> None:
    """In whatever turn of the loop the signal is seen: what has started ends in good order."""

    async def told_at_the_end(broker: FakeNode) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(turns):
            await asyncio.sleep(0)

    broker = run_until_stopped(told_at_the_end)
    assert broker.calls in (["start", "started", "stop"], ["start", "cancelled"])


def test_a_start_that_fails_says_why(run_until_stopped: Callable[..., FakeNode]) -> None:
    async def fail(broker: FakeNode) -> None:
        raise OSError(98, "Address already in use")

    with pytest.raises(OSError, match="Address already in use"):
        run_until_stopped(fail)


def test_a_node_that_breaks_while_it_waits_for_others_does_not_wait_on(
    run_until_stopped: Callable[..., FakeNode],
) -> None:
    """Metadata of a version that it does not know, say, or a cluster that it does not belong to."""

    async def break_while_waiting(broker: FakeNode) -> None:
        asyncio.get_running_loop().call_soon(broker.break_down)
        await never(broker)

    made: list[FakeNode] = []
    with pytest.raises(KafkaError, match="the disk is gone"):
        run_until_stopped(break_while_waiting, None, made)
    assert made[0].calls == ["start", "cancelled"]


def test_a_node_that_breaks_later_stops_in_order_and_says_why(run_until_stopped: Callable[..., FakeNode]) -> None:
    made: list[FakeNode] = []
    with pytest.raises(KafkaError, match="the disk is gone"):
        run_until_stopped(at_once, lambda broker: broker.break_down(), made)
    assert made[0].calls == ["start", "started", "stop"]
