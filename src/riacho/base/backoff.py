"""Exponential back-off: how long to wait between tries of what fails, twice as long each time, up to a maximum.

A first pause above the maximum is held to it, as Kafka's clients do (KIP-580). Whoever waits counts the failures; what
is here has no state, no clock and no chance of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

# More would be longer than any maximum; the failures of what is down for days are counted on.
_DOUBLINGS_MAX = 40


class Backoff(NamedTuple):
    first_ms: int
    ms_max: int

    def pause_ms(self, failures: int) -> int:
        """After so many failures in a row: none before the first."""
        if failures <= 0:
            return 0
        return min(self.ms_max, self.first_ms << min(failures - 1, _DOUBLINGS_MAX))

    def drawn_ms(self, failures: int, rng: Callable[[int], int], least_share: float = 0.0) -> int:
        """With jitter: some time above `least_share` of the pause, up to all of it. `rng(n)` draws from 0 to n - 1."""
        pause_ms = self.pause_ms(failures)
        least_ms = int(pause_ms * least_share)
        return least_ms + 1 + rng(pause_ms - least_ms) if pause_ms > least_ms else pause_ms

    def pauses_ms(self) -> Iterator[int]:
        """The pauses after the first failure, the second and so on, without end."""
        return map(self.pause_ms, count(1))
