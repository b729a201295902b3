"""First records of transactions: only with the coordinator's word, and not after a marker that came in between."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.producers import Producers
from riacho.wire.batch import BatchHeader, read_header
from riacho.wire.records import Record, build_batch

PRODUCER = 7


def batch(sequence: int, epoch: int = 0, *, transactional: bool = True, control: bool = False) -> BatchHeader:
    return read_header(
        build_batch(
            [Record(0, 0, b"k", b"v")],
            base_timestamp=1_000,
            producer_id=PRODUCER,
            producer_epoch=epoch,
            base_sequence=sequence,
            transactional=transactional,
            control=control,
        )
    )


def start(producers: Producers, sequence: int = 0, epoch: int = 0, *, version_2: bool = True) -> object:
    return producers.start_verification(PRODUCER, sequence, epoch, supports_epoch_bump=version_2)


def marker(producers: Producers, epoch: int, offset: int = 10) -> None:
    header = batch(-1, epoch, control=True)
    producers.append_marker(header, offset, aborted=False, coordinator_epoch=0)


def test_an_open_transaction_needs_no_verification() -> None:
    producers = Producers()
    assert start(producers) is not None
    producers.append_data(batch(0), 0)
    assert producers.has_transaction(PRODUCER, 0)
    assert start(producers, 1) is None
    assert producers.is_verified(PRODUCER, 0, None)


def test_an_open_transaction_of_another_epoch_does_not_count() -> None:
    producers = Producers()
    producers.append_data(batch(0), 0)
    assert start(producers, 0, epoch=1) is not None
    assert not producers.is_verified(PRODUCER, 1, None)


def test_a_marker_takes_the_guard_away() -> None:
    producers = Producers()
    guard = start(producers)
    assert producers.is_verified(PRODUCER, 0, guard)  # type: ignore[arg-type]
    marker(producers, 0)
    assert not producers.is_verified(PRODUCER, 0, guard)  # type: ignore[arg-type]
    # Another try has a guard of its own.
    assert start(producers) is not guard


def test_writes_that_come_meanwhile_share_the_guard() -> None:
    producers = Producers()
    assert start(producers, 0) is start(producers, 1)


def test_a_guard_does_not_outlive_two_rounds_of_expiry() -> None:
    producers = Producers()
    guard = start(producers)
    producers.expire(2_000, 86_400_000)
    assert producers.is_verified(PRODUCER, 0, guard)  # type: ignore[arg-type]
    producers.expire(3_000, 86_400_000)
    assert not producers.is_verified(PRODUCER, 0, guard)  # type: ignore[arg-type]


def test_version_2_starts_at_sequence_0_where_nothing_is_known() -> None:
    producers = Producers()
    start(producers, 3)
    with pytest.raises(KafkaError) as refused:
        producers.check(batch(3))
    assert refused.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    old = Producers()
    start(old, 3, version_2=False)
    assert old.check(batch(3)) is None


def test_a_sequence_past_the_earliest_tried_is_out_of_order() -> None:
    producers = Producers()
    start(producers, 5, version_2=False)
    start(producers, 4, version_2=False)
    assert producers.check(batch(4)) is None
    with pytest.raises(KafkaError) as refused:
        producers.check(batch(5))
    assert refused.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


@pytest.mark.parametrize(
    ("marker_epoch", "version", "is_open", "is_taken"),
    [
        (5, 0, True, True),
        (5, 1, False, True),
        (4, 0, True, False),
        (6, 2, True, True),
        # With version 2 the marker's epoch is above the producer's (KIP-1228), unless it repeats the last one.
        (5, 2, True, False),
        (5, 2, False, True),
        (4, 2, False, False),
    ],
)
def test_epochs_of_markers(marker_epoch: int, version: int, is_open: bool, is_taken: bool) -> None:
    producers = Producers()
    producers.append_data(batch(0, 5), 0)
    if not is_open:
        marker(producers, 5)
    if is_taken:
        producers.check_marker(PRODUCER, 0, marker_epoch, version)
        return
    with pytest.raises(KafkaError) as refused:
        producers.check_marker(PRODUCER, 0, marker_epoch, version)
    assert refused.value.code is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_marker_of_an_unknown_producer_is_taken() -> None:
    Producers().check_marker(PRODUCER, 0, 3, 2)


def test_duplicates_are_known_by_epoch_and_sequence() -> None:
    producers = Producers()
    producers.append_data(batch(0), 0)
    assert producers.is_duplicate(batch(0))
    assert not producers.is_duplicate(batch(1))
    assert not producers.is_duplicate(batch(0, 1))
