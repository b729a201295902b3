"""Prometheus' text: what is counted is shown, and names chosen by peers cannot break a line."""

from __future__ import annotations

from riacho.base.metrics import BOUNDS_S, Histogram, sample


def test_a_histogram_counts_into_cumulative_buckets() -> None:
    histogram = Histogram()
    for elapsed_ns in (40_000, 60_000, 2_000_000, 20_000_000_000):
        histogram.observe(elapsed_ns)
    lines = list(histogram.lines("x", {"api": "Fetch"}))
    assert lines[0] == 'x_bucket{api="Fetch",le="5e-05"} 1'
    assert lines[1] == 'x_bucket{api="Fetch",le="0.0001"} 2'
    assert lines[len(BOUNDS_S)] == 'x_bucket{api="Fetch",le="+Inf"} 4'
    assert lines[-1] == 'x_count{api="Fetch"} 4'


def test_a_value_on_a_bound_belongs_to_it() -> None:
    histogram = Histogram()
    histogram.observe(50_000)
    assert next(iter(histogram.lines("x", {}))) == 'x_bucket{le="5e-05"} 1'


def test_labels_are_escaped() -> None:
    assert sample("x", 1, {"name": 'a"b\\c\nd'}) == 'x{name="a\\"b\\\\c\\nd"} 1'
