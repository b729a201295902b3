"""Where replicas go: as few moves as it takes, even over brokers and racks."""

from __future__ import annotations

from collections import Counter

import pytest

from riacho.console.clusters.move_plan import MovingPartition, TooFewBrokersError, plan_moves
from riacho.console.clusters.picture import BrokerFacts


def brokers(**replicas_of: tuple[int, str | None]) -> dict[int, BrokerFacts]:
    """`b1=(3, "rack")`: broker 1 has three replicas."""
    return {
        (node := int(name[1:])): BrokerFacts(node, "h", 9092, rack, False, 0, replicas, replicas)
        for name, (replicas, rack) in replicas_of.items()
    }


def moving(*replicas: tuple[int, ...], size_bytes: int | None = 10) -> list[MovingPartition]:
    return [MovingPartition("t", index, each, size_bytes) for index, each in enumerate(replicas)]


def test_what_may_stay_stays_and_the_lightest_takes_the_place() -> None:
    four = brokers(b1=(3, None), b2=(3, None), b3=(0, None), b4=(9, None))
    found = plan_moves(moving((1, 2), (2, 4), (4, 1)), four, [2, 3, 4])
    assert found == {("t", 0): [3, 2], ("t", 1): [2, 4], ("t", 2): [4, 3]}


def test_the_load_of_those_that_come_counts() -> None:
    three = brokers(b1=(4, None), b2=(0, None), b3=(0, None))
    found = plan_moves(moving((1,), (1,), (1,), (1,)), three, [2, 3])
    assert Counter(each[0] for each in found.values()) == {2: 2, 3: 2}


def test_a_rack_of_its_own_where_there_is_one() -> None:
    four = brokers(b1=(1, "a"), b2=(1, "b"), b3=(0, "a"), b4=(5, "b"))
    assert plan_moves(moving((1, 2)), four, [1, 3, 4]) == {("t", 0): [1, 4]}
    assert plan_moves(moving((1, 2)), four, [1, 3]) == {("t", 0): [1, 3]}


def test_more_or_fewer_replicas() -> None:
    three = brokers(b1=(1, None), b2=(1, None), b3=(1, None))
    assert plan_moves(moving((1,)), three, [1, 2, 3], replication=3) == {("t", 0): [1, 2, 3]}
    assert plan_moves(moving((1, 2, 3)), three, [1, 2, 3], replication=1) == {("t", 0): [1]}
    assert plan_moves(moving((1, 2, 3)), three, [2, 3], replication=1) == {("t", 0): [2]}
    with pytest.raises(TooFewBrokersError, match="t-0 needs 3 brokers for its replicas, and 2 are chosen"):
        plan_moves(moving((1, 2, 3)), three, [2, 3])


def test_spread_over_a_broker_that_is_new() -> None:
    three = brokers(b1=(6, None), b2=(6, None), b3=(0, None))
    before = [(1, 2)] * 6
    assert plan_moves(moving(*before), three, [1, 2, 3]) == {("t", index): [1, 2] for index in range(6)}
    found = plan_moves(moving(*before), three, [1, 2, 3], is_spread=True)
    assert Counter(node for each in found.values() for node in each) == {1: 4, 2: 4, 3: 4}
    assert Counter(each[0] for each in found.values()) == {1: 2, 2: 2, 3: 2}
    assert all(len(set(each)) == 2 for each in found.values())


def test_spreading_keeps_racks_apart() -> None:
    four = brokers(b1=(4, "a"), b2=(4, "b"), b3=(0, "a"), b4=(0, "b"))
    racks = {node: each.rack for node, each in four.items()}
    found = plan_moves(moving(*[(1, 2)] * 4), four, four, is_spread=True)
    assert Counter(node for each in found.values() for node in each) == dict.fromkeys((1, 2, 3, 4), 2)
    assert all({racks[node] for node in each} == {"a", "b"} for each in found.values())


def test_thousands_of_partitions_take_no_time() -> None:
    ten = {node: BrokerFacts(node, "h", 9092, None, False, 0, 0, 0) for node in range(10)}
    found = plan_moves(moving(*[(0, 1, 2)] * 10_000), ten, ten, is_spread=True)
    counts = Counter(node for each in found.values() for node in each)
    assert max(counts.values()) - min(counts.values()) <= 1
