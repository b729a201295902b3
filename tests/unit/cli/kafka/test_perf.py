"""Figures of the performance tools: formats, percentiles, throttle, dates."""

from __future__ import annotations

import random
import re

import pytest

from riacho.cli.kafka.consumer_perf_test import java_date
from riacho.cli.kafka.flags.jopt import UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.latency_stats import LatencyStats
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.producer_perf_test import _payloads, run
from riacho.cli.kafka.throttle import Throttle

PERF = TOOLS["kafka-producer-perf-test"]
BASE = ["--topic", "t", "--num-records", "10"]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_lines_have_kafkas_formats() -> None:
    clock = Clock()
    stats = LatencyStats(clock, interval_ms=5000)
    for latency_ms in range(1, 101):
        stats.record(latency_ms + 0.5, 1024 * 1024)
    clock.now += 4999
    assert stats.window_line() is None
    clock.now += 1
    assert (
        stats.window_line()
        == "100 records sent, 20.0 records/sec (20.00 MB/sec), 50.5 ms avg latency, 100.0 ms max latency."
    )
    clock.now += 5000
    assert stats.window_line() is None
    assert stats.total_line() == (
        "100 records sent, 10.000000 records/sec (10.00 MB/sec), 50.50 ms avg latency, 100.00 ms max latency, "
        "51 ms 50th, 96 ms 95th, 100 ms 99th, 100 ms 99.9th."
    )


def test_nothing_sent_is_no_division_by_zero() -> None:
    assert LatencyStats(Clock(), interval_ms=1, steady=True).total_line().startswith("0 steady state records sent, 0.0")


def test_payloads() -> None:
    sized = _payloads(parse(PERF, [*BASE, "--record-size", "8"]), random.Random(1))
    first, second = next(sized), next(sized)
    assert len(first) == len(second) == 8
    assert re.fullmatch(rb"[A-Z]{8}", first)
    assert first != second
    counted = _payloads(parse(PERF, [*BASE, "--payload-monotonic"]), random.Random(1))
    assert [next(counted) for _ in range(3)] == [b"0", b"1", b"2"]


@pytest.mark.parametrize("words", [[], ["--record-size", "1", "--payload-monotonic"]])
def test_exactly_one_source_of_payloads(words: list[str]) -> None:
    with pytest.raises(UsageError, match="Exactly one of --record-size"):
        run(parse(PERF, [*BASE, *words]))


def test_the_throttle_waits_until_the_next_record_is_due() -> None:
    clock = Clock()
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock.now += seconds

    throttle = Throttle(10, clock=clock, sleep=sleep)
    throttle.wait(0)
    assert pauses == []
    throttle.wait(2)
    assert clock.now == pytest.approx(1000.2)
    Throttle(-1, clock=clock, sleep=sleep).wait(1_000_000)
    assert clock.now == pytest.approx(1000.2)


def test_java_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:007", java_date(1_700_000_000_007, "yyyy-MM-dd HH:mm:ss:SSS"))
    assert java_date(1_700_000_000_000, "'at' yy") == "at 23"
    with pytest.raises(ToolError, match="'Q' in --date-format is not known"):
        java_date(0, "Q")
