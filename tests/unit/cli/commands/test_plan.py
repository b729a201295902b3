"""How many partitions: the rate as people write it, and max(t/p, t/c)."""

from __future__ import annotations

import pytest

from riacho.cli.partition_plan import Measured, Rate, given, parse_rate, plan_partitions


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("50MB/s", Rate(50e6, True)),
        ("50 mb/s", Rate(50e6, True)),
        ("1.5GB/s", Rate(1.5e9, True)),
        ("64MiB/s", Rate(64 * 2**20, True)),
        ("800KB", Rate(800e3, True)),
        ("20000/s", Rate(20_000, False)),
        ("20,000 records/s", Rate(20_000, False)),
    ],
)
def test_rates(text: str, rate: Rate) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "fast", "0MB/s", "-5/s", "50MB/h", "MB/s"])
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(ValueError, match="no rate"):
        parse_rate(text)


def test_the_slower_side_decides() -> None:
    slow, fast = Measured(10_000, 10_000_000, 1.0), Measured(80_000, 40_000_000, 2.0)
    plan = plan_partitions(Rate(50e6, True), producer=slow, consumer=fast)
    assert plan.partitions == 5
    assert plan_partitions(Rate(50e6, True), producer=fast, consumer=slow).partitions == 5
    assert plan.arithmetic == "max(t/p, t/c) = max(50.0 / 10.0, 50.0 / 20.0) = max(5.00, 2.50) -> 5"


def test_it_is_rounded_up_and_at_least_one() -> None:
    measured = Measured(10_000, 1_000_000, 1.0)
    assert plan_partitions(Rate(10_001, False), measured, measured).partitions == 2
    assert plan_partitions(Rate(10_000, False), measured, measured).partitions == 1
    assert plan_partitions(Rate(1, False), measured, measured).partitions == 1


def test_rates_of_records_are_compared_with_records() -> None:
    producer, consumer = Measured(30_000, 1, 1.0), Measured(20_000, 1, 1.0)
    plan = plan_partitions(Rate(100_000, False), producer, consumer)
    assert (plan.producer, plan.consumer, plan.partitions) == (30_000, 20_000, 5)
    assert str(plan.wanted) == "100,000 records/s"


def test_the_result_says_what_decided_it() -> None:
    slow, fast = Measured(10_000, 10_000_000, 1.0), Measured(80_000, 40_000_000, 2.0)
    assert plan_partitions(Rate(50e6, True), slow, fast).reason == "writing decides; 5 producers at least"
    reading = plan_partitions(Rate(50e6, True), fast, slow).reason
    assert reading == "reading decides; a group of 5 consumers, a partition each"
    assert plan_partitions(Rate(1, False), slow, fast).reason == "one producer and one consumer carry it"


def test_what_a_program_is_known_to_manage_stands_in_for_the_measurement() -> None:
    assert given(Rate(2_000, False), 500) == Measured(2_000, 1_000_000, 1.0)
    assert given(Rate(1e6, True), 500) == Measured(2_000, 1_000_000, 1.0)
    fast = Measured(80_000, 40_000_000, 2.0)
    assert plan_partitions(Rate(20_000, False), fast, given(Rate(2_000, False), 500)).partitions == 10
