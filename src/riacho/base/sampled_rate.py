"""The rate of something over the last few windows, and how long to be silent to bring it down to a limit.

Theory of operation. Amounts are summed in samples of one window each; a sample begins with the first amount after the
window before it is over. Samples whose last amount is older than all windows together no longer count. The rate is the
sum of those that do over the time since the oldest began. A client that has just come is treated as one that was silent
before: windows that are missing count as empty ones, so a burst is measured over the whole span and not over the moment
it took. All of it as Kafka measures, so that both tell a client the same throttle time.
"""

from __future__ import annotations

import math
from collections import deque


class SampledRate:
    __slots__ = ("_sample_count", "_samples", "_window_ms", "last_ms")

    def __init__(self, sample_count: int, window_ms: int) -> None:
        self._sample_count = sample_count
        self._window_ms = window_ms
        # [start, last amount, sum], oldest first. One more than counted: the oldest may reach into the span.
        self._samples: deque[list[float]] = deque(maxlen=sample_count + 1)
        self.last_ms = 0

    @property
    def span_ms(self) -> int:
        return self._sample_count * self._window_ms

    def record(self, amount: float, now_ms: int) -> None:
        """Negative to take an amount back."""
        samples = self._samples
        if not samples or now_ms - samples[-1][0] >= self._window_ms:
            samples.append([now_ms, now_ms, 0.0])
        sample = samples[-1]
        sample[1] = self.last_ms = now_ms
        sample[2] += amount

    def rate(self, now_ms: int) -> float:
        """Per second."""
        elapsed_ms = self.elapsed_ms(now_ms)
        return sum(sample[2] for sample in self._samples) * 1000 / elapsed_ms

    def elapsed_ms(self, now_ms: int) -> int:
        """The time that the rate is measured over."""
        samples, window_ms = self._samples, self._window_ms
        while samples and now_ms - samples[0][1] >= self.span_ms:
            samples.popleft()
        elapsed_ms = now_ms - int(samples[0][0]) if samples else 0
        missing = self._sample_count - 1 - elapsed_ms // window_ms
        if missing > 0:
            elapsed_ms += missing * window_ms
        return max(elapsed_ms, 1)

    def throttle_ms(self, bound: float, now_ms: int) -> int:
        """How long without anything further until the rate is at its bound; 0 when it is not above."""
        rate = self.rate(now_ms)
        if rate <= bound:
            return 0
        if bound <= 0:
            return self.span_ms
        return math.floor((rate - bound) / bound * self.elapsed_ms(now_ms) + 0.5)
