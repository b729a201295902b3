from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.brokers import Broker
from riacho.metadata.partitions.placement import check_manual, place
from support.metadata_world import MetadataWorld


def brokers(count: int, racks: str = "", fenced: tuple[int, ...] = ()) -> list[Broker]:
    known = MetadataWorld(count, racks=racks).image.brokers.values()
    return [msgspec.structs.replace(broker, is_fenced=broker.id in fenced) for broker in known]


def test_leaders_and_replicas_are_spread_evenly() -> None:
    placed = place(brokers(3), 30, 2, start=5)
    assert Counter(replicas[0] for replicas in placed) == {1: 10, 2: 10, 3: 10}
    assert Counter(broker for replicas in placed for broker in replicas) == {1: 20, 2: 20, 3: 20}
    assert all(len(set(replicas)) == 2 for replicas in placed)


def test_replicas_sit_in_different_racks_while_there_are_enough() -> None:
    rack_of = dict(zip(range(1, 7), "aabbcc", strict=True))
    placed = place(brokers(6, racks="aabbcc"), 12, 3, start=0)
    for replicas in placed:
        assert len({rack_of[broker] for broker in replicas}) == 3
    assert set(Counter(replicas[0] for replicas in placed).values()) == {2}


def test_more_replicas_than_racks_use_every_broker_once() -> None:
    placed = place(brokers(4, racks="aaab"), 5, 4, start=0)
    assert all(sorted(replicas) == [1, 2, 3, 4] for replicas in placed)


def test_a_fenced_broker_never_leads_and_comes_last() -> None:
    placed = place(brokers(3, fenced=(2,)), 9, 2, start=0)
    assert all(replicas[0] != 2 for replicas in placed)
    assert all(2 not in replicas for replicas in placed)
    assert all(replicas[2] == 2 for replicas in place(brokers(3, fenced=(2,)), 9, 3, start=0))


def test_more_replicas_than_brokers_cannot_be_placed() -> None:
    with pytest.raises(KafkaError) as raised:
        place(brokers(1), 1, 2, start=0)
    assert raised.value.code is ErrorCode.INVALID_REPLICATION_FACTOR
    assert raised.value.detail == (
        "Unable to replicate the partition 2 time(s): The target replication factor of 2 cannot be reached because "
        "only 1 broker(s) are registered or some brokers have all their log directories cordoned."
    )


def test_fenced_brokers_alone_cannot_lead() -> None:
    with pytest.raises(KafkaError, match="All brokers are currently fenced, or have all"):
        place(brokers(1, fenced=(1,)), 1, 1, start=0)


@pytest.mark.parametrize(
    ("replicas", "expected", "problem"),
    [
        ([], None, "The manual partition assignment includes an empty replica list."),
        ([1, 1], None, "The manual partition assignment includes the broker 1 more than once."),
        ([9], None, "The manual partition assignment includes broker 9, but no such broker is registered."),
        (
            [1, 2],
            1,
            "The manual partition assignment includes a partition with 2 replica(s), but this is not consistent with "
            "previous partitions, which have 1 replica(s).",
        ),
    ],
)
def test_manual_assignments_that_are_refused(replicas: list[int], expected: int | None, problem: str) -> None:
    with pytest.raises(KafkaError) as raised:
        check_manual(replicas, expected, MetadataWorld(2).image.brokers)
    assert raised.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert raised.value.detail == problem


def test_brokers_on_their_way_out_take_no_new_replicas() -> None:
    known = brokers(3)
    leaving = [known[0], msgspec.structs.replace(known[1], in_controlled_shutdown=True), known[2]]
    assert all(2 not in replicas for replicas in place(leaving, 9, 2, start=0))
    with pytest.raises(KafkaError, match="only 2 broker"):
        place(leaving, 1, 3, start=0)


def test_brokers_whose_directories_are_all_cordoned_take_no_new_replicas() -> None:
    known = [msgspec.structs.replace(broker, cordoned_log_dirs=broker.log_dirs) for broker in brokers(2)]
    assert place([*known, *brokers(3)[2:]], 1, 1, start=0) == [[3]]
    with pytest.raises(KafkaError, match="or have all their log directories cordoned"):
        place(known, 1, 1, start=0)
    some = [msgspec.structs.replace(known[0], log_dirs=(*known[0].log_dirs, b"o" * 16)), known[1]]
    assert place(some, 1, 1, start=0) == [[1]]
