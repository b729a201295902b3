"""What kafka-replica-verification makes of the replicas' answers."""

from __future__ import annotations

import pytest

from riacho.cli.kafka.replica_comparison import Diverged, Fetched, Lag, ReplicaComparison
from riacho.wire.records import Record, build_batch

T = ("t", 0)


def batch(offset: int, count: int = 1, value: bytes = b"v") -> bytes:
    records = [Record(delta, 0, None, value) for delta in range(count)]
    return bytes(build_batch(records, base_offset=offset, leader_epoch=0, base_timestamp=1))


def test_offsets_move_as_far_as_all_replicas_agree() -> None:
    comparison = ReplicaComparison({T: 0})
    whole = batch(0, 3) + batch(3, 2)
    fetched = {1: Fetched(5, whole), 2: Fetched(5, whole), 3: Fetched(3, whole)}
    assert comparison.compare({T: fetched}) == (Lag(2, T, 3), [])
    assert comparison.compare({T: dict.fromkeys((1, 2, 3), Fetched(5, batch(3, 2)))}) == (Lag(0, T, 5), [])
    assert comparison.offsets == {T: 5}


def test_the_largest_lag_is_reported() -> None:
    comparison = ReplicaComparison({T: 0, ("u", 0): 0})
    fetched = {T: {1: Fetched(1, batch(0))}, ("u", 0): {1: Fetched(9, b"")}}
    assert comparison.compare(fetched)[0] == Lag(9, ("u", 0), 0)


def test_a_replica_that_does_not_answer_holds_its_partition() -> None:
    comparison = ReplicaComparison({T: 0})
    assert comparison.compare({T: {1: Fetched(1, batch(0)), 2: Fetched()}}) == (Lag(1, T, 0), [])


def test_a_batch_that_is_cut_off_counts_for_nothing() -> None:
    comparison = ReplicaComparison({T: 0})
    whole = batch(0) + batch(1)
    assert comparison.compare({T: {1: Fetched(2, whole), 2: Fetched(2, whole[:-1])}})[0] == Lag(1, T, 1)


def test_checksums_that_differ_are_told() -> None:
    comparison = ReplicaComparison({T: 0})
    _, mismatches = comparison.compare({T: {1: Fetched(1, batch(0)), 2: Fetched(1, batch(0, value=b"w"))}})
    assert len(mismatches) == 1
    assert mismatches[0].startswith("partition t-0 has unmatched checksum at offset 0; replica 1's checksum ")
    assert comparison.offsets == {T: 1}


def test_batches_that_end_at_different_offsets_end_it() -> None:
    fetched = {1: Fetched(9, batch(0, 2)), 2: Fetched(9, batch(0, 3))}
    with pytest.raises(Diverged, match="partition t-0: replica 1's offset 1 doesn't match replica 2's offset 2"):
        ReplicaComparison({T: 0}).compare({T: fetched})
