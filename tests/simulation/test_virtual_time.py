"""The simulated event loop: time jumps, order is fixed, a life that is over does nothing more, clocks may be wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from support.simulated_time import Life, SimulatedClock, SimulatedLoop, Stuck


@pytest.fixture
def loop() -> Iterator[SimulatedLoop]:
    made = SimulatedLoop(Random(1))
    yield made
    made.end()


def test_time_jumps_to_the_next_timer(loop: SimulatedLoop) -> None:
    async def main() -> float:
        started = loop.time()
        await asyncio.sleep(86_400)
        return loop.time() - started

    assert loop.run_until_complete(main()) == 86_400


def test_what_is_due_together_runs_in_the_order_it_was_asked_for(loop: SimulatedLoop) -> None:
    order: list[int] = []

    async def main() -> None:
        when = loop.time() + 1
        for number in range(5):
            loop.call_at(when, order.append, number)
        loop.call_later(0.5, order.append, 9)
        await asyncio.sleep(2)

    loop.run_until_complete(main())
    assert order == [9, 0, 1, 2, 3, 4]


def test_cancelled_timers_do_not_hold_time_up_or_pile_up(loop: SimulatedLoop) -> None:
    async def main() -> None:
        for _ in range(1_000):
            loop.call_later(3_600, print).cancel()
        await asyncio.sleep(1)
        assert len(loop._timers) < 200

    loop.run_until_complete(main())
    assert loop.now_us < 10_000_000


def test_a_life_that_is_over_does_nothing_more_and_cleans_nothing_up(loop: SimulatedLoop) -> None:
    did: list[str] = []
    life = Life("node")

    async def live() -> None:
        try:
            while True:
                await asyncio.sleep(1)
                did.append("lived")
        finally:
            did.append("cleaned up")

    async def main() -> None:
        task = loop.create_task(live(), context=life.context())
        await asyncio.sleep(3.5)
        life.is_over = True
        await asyncio.sleep(10)
        assert not task.done()

    loop.run_until_complete(main())
    assert did == ["lived"] * 3


def test_the_work_of_a_thread_dies_with_its_node(loop: SimulatedLoop) -> None:
    did: list[str] = []
    life = Life("node")

    async def live(word: str) -> None:
        assert await loop.run_in_executor(None, lambda: did.append(word) or word) == word

    async def main() -> None:
        await loop.create_task(live("alive"), context=life.context())
        loop.create_task(live("dead"), context=life.context())
        await asyncio.sleep(0)
        life.is_over = True
        await asyncio.sleep(1)

    loop.run_until_complete(main())
    assert did == ["alive"]


def test_a_fast_clock_sees_more_time_and_its_timers_come_early(loop: SimulatedLoop) -> None:
    fast = Life("fast", drift_ppm=100_000)
    clock = SimulatedClock(loop)
    clock.life = fast
    seen: list[tuple[float, int]] = []

    async def live() -> None:
        started, started_ms = loop.time(), clock.monotonic_ms()
        await asyncio.sleep(11)
        assert loop.time() - started == pytest.approx(11, abs=1e-5)
        seen.append((loop.now_us / 1_000_000, clock.monotonic_ms() - started_ms))

    async def main() -> None:
        await loop.create_task(live(), context=fast.context())

    started_us = loop.now_us
    loop.run_until_complete(main())
    [(at_s, by_clock_ms)] = seen
    assert at_s - started_us / 1_000_000 == pytest.approx(10, abs=1e-3)
    assert by_clock_ms == 11_000


def test_setting_the_clock_leaves_monotonic_time_alone(loop: SimulatedLoop) -> None:
    clock = SimulatedClock(loop)
    before, monotonic = clock.now_ms(), clock.monotonic_ms()
    clock.offset_ms -= 5_000
    assert clock.now_ms() == before - 5_000
    assert clock.monotonic_ms() == monotonic


def test_waiting_for_nothing_is_told(loop: SimulatedLoop) -> None:
    async def main() -> None:
        await loop.create_future()

    with pytest.raises(Stuck, match="nothing is scheduled"):
        loop.run_until_complete(main())


def test_running_in_circles_is_told(loop: SimulatedLoop) -> None:
    async def main() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(Stuck, match="time stands still"):
        loop.run_until_complete(main())
