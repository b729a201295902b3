"""Kafka's sampled rate and its throttle time: the figures are those of its own formula."""

from __future__ import annotations

import pytest

from riacho.base.sampled_rate import SampledRate
from riacho.base.token_bucket import TokenBucket


def rate() -> SampledRate:
    return SampledRate(11, 1_000)


def test_a_first_burst_is_measured_over_the_whole_span() -> None:
    found = rate()
    found.record(5_000, now_ms=100)
    assert found.elapsed_ms(100) == 10_000
    assert found.rate(100) == 500
    assert found.throttle_ms(500, 100) == 0
    assert found.throttle_ms(400, 100) == 2_500
    assert found.elapsed_ms(600) == 10_500


def test_the_oldest_sample_says_how_long() -> None:
    found = rate()
    for second in range(11):
        found.record(100, now_ms=second * 1_000)
    assert found.elapsed_ms(10_000) == 10_000
    assert found.rate(10_000) == 110
    assert found.elapsed_ms(10_900) == 10_900


def test_samples_that_saw_nothing_for_the_whole_span_do_not_count() -> None:
    found = rate()
    found.record(1_000, now_ms=0)
    found.record(1_000, now_ms=500)
    assert found.rate(11_499) == pytest.approx(2_000 * 1_000 / 11_499)
    assert found.rate(11_500) == 0


def test_what_is_taken_back_leaves_no_trace() -> None:
    found = rate()
    found.record(500, now_ms=0)
    before = found.rate(10)
    found.record(99_999, now_ms=10)
    found.record(-99_999, now_ms=10)
    assert found.rate(10) == before


def test_no_more_samples_are_kept_than_count() -> None:
    found = SampledRate(2, 1_000)
    for second in range(10):
        found.record(1, now_ms=second * 1_000)
    assert len(found._samples) == 3


def test_a_bucket_is_full_at_first_and_may_go_below_zero_once() -> None:
    bucket = TokenBucket(11, 1_000)
    assert bucket.tokens(5, now_ms=1) == 55
    bucket.take(60, 5, now_ms=1)
    assert bucket.throttle_ms(5, now_ms=1) == 1_000
    assert bucket.throttle_ms(5, now_ms=501) == 500
    assert bucket.throttle_ms(5, now_ms=1_001) == 0
    assert bucket.tokens(5, now_ms=1_000_000) == 55


def test_a_lower_rate_lowers_the_burst() -> None:
    bucket = TokenBucket(11, 1_000)
    bucket.take(1, 10, now_ms=0)
    assert bucket.tokens(1, now_ms=0) == 11
