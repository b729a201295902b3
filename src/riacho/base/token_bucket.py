"""A token bucket (KIP-599): it fills at the quota's rate up to a burst, and may go below zero once.

Unlike a sampled rate it forgets a large burst as fast as the rate pays for it. A bucket is full at first, and again
after as long a silence as its burst takes to fill.
"""

from __future__ import annotations

import math


class TokenBucket:
    __slots__ = ("_burst_s", "_tokens", "last_ms")

    def __init__(self, sample_count: int, window_ms: int) -> None:
        self._burst_s = sample_count * window_ms / 1000
        self._tokens: float | None = None
        self.last_ms = 0

    @property
    def span_ms(self) -> int:
        return int(self._burst_s * 1000)

    def tokens(self, rate: float, now_ms: int) -> float:
        burst = rate * self._burst_s
        if self._tokens is None:
            self._tokens = burst
        else:
            self._tokens = min(burst, self._tokens + rate * (now_ms - self.last_ms) / 1000)
        self.last_ms = now_ms
        return self._tokens

    def take(self, count: float, rate: float, now_ms: int) -> None:
        self._tokens = min(rate * self._burst_s, self.tokens(rate, now_ms) - count)

    def throttle_ms(self, rate: float, now_ms: int) -> int:
        """How long until the bucket is at zero again; 0 when it is not below."""
        tokens = self.tokens(rate, now_ms)
        if tokens >= 0:
            return 0
        return math.floor(-tokens / rate * 1000 + 0.5) if rate > 0 else self.span_ms
