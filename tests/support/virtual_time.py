"""An event loop whose clock jumps to the next timer instead of waiting for it: minutes of timeouts in no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualClock:
    """The broker's clock and the loop's, in one."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self.now_s = now_ms / 1000

    def now_ms(self) -> int:
        return round(self.now_s * 1000)

    def monotonic_ms(self) -> int:
        return round(self.now_s * 1000)


class _JumpingSelector(selectors.DefaultSelector):
    clock: VirtualClock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "nothing is scheduled: the test would wait for ever"
        self.clock.now_s += max(timeout, 0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, clock: VirtualClock) -> None:
        selector = _JumpingSelector()
        selector.clock = clock
        self._virtual_clock = clock
        super().__init__(selector)

    def time(self) -> float:
        return self._virtual_clock.now_s


def run_virtual(main: Coroutine[Any, Any, T], clock: VirtualClock) -> T:
    loop = VirtualLoop(clock)
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()
