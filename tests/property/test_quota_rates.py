"""Rates and buckets against plain models, and what a client that does as it is told can get through them."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.sampled_rate import SampledRate
from riacho.base.token_bucket import TokenBucket

COUNT, WINDOW_MS = 11, 1_000
STEPS = st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 10_000)), min_size=1, max_size=60)


class Samples:
    """Kafka's own way: a ring of samples, of which those that are too old are started anew."""

    def __init__(self) -> None:
        self.ring: list[list[float]] = []
        self.current = 0

    def record(self, amount: float, now_ms: int) -> None:
        if not self.ring:
            self.ring.append([now_ms, now_ms, 0])
        if now_ms - self.ring[self.current][0] >= WINDOW_MS:
            self.current = (self.current + 1) % (COUNT + 1)
            if self.current >= len(self.ring):
                self.ring.append([now_ms, now_ms, 0])
            else:
                self.ring[self.current] = [now_ms, now_ms, 0]
        self.ring[self.current][1] = now_ms
        self.ring[self.current][2] += amount

    def measure(self, now_ms: int) -> tuple[float, int]:
        for sample in self.ring:
            if now_ms - sample[1] >= COUNT * WINDOW_MS:
                sample[:] = [now_ms, now_ms, 0]
        elapsed_ms = now_ms - int(min(sample[0] for sample in self.ring))
        full = elapsed_ms // WINDOW_MS
        if full < COUNT - 1:
            elapsed_ms += (COUNT - 1 - full) * WINDOW_MS
        return sum(sample[2] for sample in self.ring) * 1_000 / elapsed_ms, elapsed_ms


@given(STEPS)
def test_a_rate_measures_as_kafkas_ring_of_samples(steps: list[tuple[int, int]]) -> None:
    rate, model = SampledRate(COUNT, WINDOW_MS), Samples()
    now_ms = 1_000
    for pause_ms, amount in steps:
        now_ms += pause_ms
        rate.record(amount, now_ms)
        model.record(amount, now_ms)
        expected, elapsed_ms = model.measure(now_ms)
        assert math.isclose(rate.rate(now_ms), expected)
        assert rate.elapsed_ms(now_ms) == elapsed_ms
        throttle_ms = rate.throttle_ms(1_000, now_ms)
        assert throttle_ms == max(0, math.floor((expected - 1_000) / 1_000 * elapsed_ms + 0.5))


@settings(deadline=None, max_examples=30)
@given(st.integers(10, 5_000), st.integers(1_000, 20_000), st.integers(0, 20))
def test_who_keeps_silent_as_told_stays_within_a_tenth_of_the_limit(size: int, limit: int, busy_ms: int) -> None:
    """Over three whole spans, 33 s, whatever the size of a request and the time it takes; and gets all of it."""
    rate = SampledRate(COUNT, WINDOW_MS)
    span_ms = 3 * COUNT * WINDOW_MS
    now_ms = total = 0
    while now_ms < span_ms:
        rate.record(size, now_ms)
        total += size
        now_ms += rate.throttle_ms(limit, now_ms) + busy_ms + 1
    offered = size * 1_000 / (busy_ms + 1)
    mean = total * 1_000 / span_ms
    assert mean <= limit * 1.1 + size
    assert mean >= min(limit * 0.85, offered * 0.85)


@given(STEPS, st.integers(1, 500))
def test_a_bucket_lets_through_its_rate_and_one_burst(steps: list[tuple[int, int]], quota: int) -> None:
    bucket = TokenBucket(COUNT, WINDOW_MS)
    now_ms, taken, largest = 0, 0, 0
    for pause_ms, count in steps:
        now_ms += pause_ms
        if bucket.throttle_ms(quota, now_ms) == 0:
            bucket.take(count, quota, now_ms)
            taken += count
            largest = max(largest, count)
    assert taken <= quota * (now_ms + COUNT * WINDOW_MS) / 1_000 + largest + quota / 1_000
