"""Keeps a loop at so many records a second."""

from __future__ import annotations

import time
from collections.abc import Callable


class Throttle:
    def __init__(
        self,
        rate: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """A rate below 0 means no limit."""
        self._rate = rate
        self._clock = clock
        self._sleep = sleep
        self._started = clock()

    def wait(self, sent: int, meanwhile: Callable[[float], object] | None = None) -> None:
        """Pause until the record after `sent` others is due; `meanwhile` is given the seconds in place of a sleep."""
        if self._rate <= 0:
            return
        while True:
            left_s = self._started + sent / self._rate - self._clock()
            if left_s <= 0:
                return
            (meanwhile or self._sleep)(min(left_s, 0.1))
