from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.producers import Producer, ProducerBatch, Producers
from riacho.wire.batch import CONTROL_BIT, TRANSACTIONAL_BIT, BatchHeader

SEQUENCE_MAX = (1 << 31) - 1


def header(
    sequence: int, count: int = 1, *, epoch: int = 0, producer: int = 7, attributes: int = 0, time: int = 5
) -> BatchHeader:
    return BatchHeader(0, 100, -1, 2, 0, attributes, count - 1, time, time, producer, epoch, sequence, count)


def write(producers: Producers, offset: int, batch: BatchHeader) -> None:
    assert producers.check(batch) is None
    producers.append_data(batch, offset)


def code_of(producers: Producers, batch: BatchHeader) -> ErrorCode:
    with pytest.raises(KafkaError) as caught:
        producers.check(batch)
    return caught.value.code


def test_an_unknown_producer_may_start_anywhere() -> None:
    assert Producers().check(header(41)) is None


def test_sequences_follow_one_another() -> None:
    producers = Producers()
    write(producers, 0, header(0, 3))
    write(producers, 3, header(3, 2))
    assert code_of(producers, header(6)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_the_last_five_batches_are_recognised() -> None:
    producers = Producers()
    for number in range(6):
        write(producers, 100 + 2 * number, header(2 * number, 2))
    for number in range(1, 6):
        first = producers.check(header(2 * number, 2))
        assert first is not None
        assert (first.first_offset, first.last_offset) == (100 + 2 * number, 101 + 2 * number)
    assert code_of(producers, header(0, 2)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_batch_with_another_end_is_no_duplicate() -> None:
    producers = Producers()
    write(producers, 0, header(0, 3))
    assert code_of(producers, header(0, 2)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_the_sequence_wraps_to_zero() -> None:
    producers = Producers()
    write(producers, 0, header(SEQUENCE_MAX - 1, 2))
    write(producers, 2, header(0, 1))


def test_a_batch_may_run_over_the_wrap_and_be_repeated() -> None:
    producers = Producers()
    write(producers, 0, header(SEQUENCE_MAX, 3))
    known = producers.get(7)
    assert known is not None
    assert known.last_sequence == 1
    duplicate = producers.check(header(SEQUENCE_MAX, 3))
    assert duplicate is not None
    assert duplicate.first_offset == 0
    write(producers, 3, header(2))


def test_a_new_epoch_starts_at_zero() -> None:
    producers = Producers()
    write(producers, 0, header(0, 5))
    assert code_of(producers, header(5, epoch=1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    write(producers, 5, header(0, epoch=1))
    known = producers.get(7)
    assert known is not None
    assert known.batches == [ProducerBatch(0, 5, 0, 5)]


def test_an_earlier_epoch_is_fenced() -> None:
    producers = Producers()
    write(producers, 0, header(0, epoch=2))
    assert code_of(producers, header(1, epoch=1)) is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_repeat_from_an_earlier_epoch_is_fenced_not_acknowledged() -> None:
    producers = Producers()
    write(producers, 0, header(0, epoch=1))
    write(producers, 1, header(0, epoch=2))
    assert code_of(producers, header(0, epoch=1)) is ErrorCode.INVALID_PRODUCER_EPOCH


def test_after_a_marker_alone_the_first_sequence_is_zero() -> None:
    producers = Producers()
    producers.append_marker(
        header(-1, attributes=TRANSACTIONAL_BIT | CONTROL_BIT), 0, aborted=False, coordinator_epoch=1
    )
    assert code_of(producers, header(4)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(header(0)) is None


def test_a_plain_batch_within_an_open_transaction_is_refused() -> None:
    producers = Producers()
    write(producers, 0, header(0, attributes=TRANSACTIONAL_BIT))
    assert code_of(producers, header(1)) is ErrorCode.INVALID_TXN_STATE


def test_batches_without_sequence_are_not_checked_for_it() -> None:
    producers = Producers()
    write(producers, 0, header(-1, attributes=TRANSACTIONAL_BIT))
    write(producers, 1, header(-1, attributes=TRANSACTIONAL_BIT))


def test_a_transaction_holds_the_stable_offset_until_its_marker_is_replicated() -> None:
    producers = Producers()
    write(producers, 10, header(0, attributes=TRANSACTIONAL_BIT))
    write(producers, 11, header(1, attributes=TRANSACTIONAL_BIT))
    write(producers, 12, header(0, producer=8, attributes=TRANSACTIONAL_BIT))
    assert producers.first_unstable_offset() == 10
    marker = header(-1, attributes=TRANSACTIONAL_BIT | CONTROL_BIT)
    ended = producers.append_marker(marker, 13, aborted=True, coordinator_epoch=0)
    assert ended is not None
    assert ended == (7, 10, 13, True)
    assert producers.stable_offset_after(ended) == 12
    assert producers.first_unstable_offset() == 10
    producers.advance_high_watermark(13)
    assert producers.first_unstable_offset() == 10
    producers.advance_high_watermark(14)
    assert producers.first_unstable_offset() == 12


def test_a_marker_without_data_ends_nothing() -> None:
    producers = Producers()
    marker = header(-1, epoch=3, attributes=TRANSACTIONAL_BIT | CONTROL_BIT)
    assert producers.append_marker(marker, 0, aborted=True, coordinator_epoch=0) is None
    assert producers.first_unstable_offset() is None
    assert code_of(producers, header(0, epoch=2)) is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_marker_of_an_old_coordinator_is_fenced() -> None:
    producers = Producers()
    marker = header(-1, attributes=TRANSACTIONAL_BIT | CONTROL_BIT)
    producers.append_marker(marker, 0, aborted=False, coordinator_epoch=4)
    with pytest.raises(KafkaError) as caught:
        producers.check_marker(7, 3)
    assert caught.value.code is ErrorCode.TRANSACTION_COORDINATOR_FENCED
    producers.check_marker(7, 4)


def test_silent_producers_expire_unless_a_transaction_is_open() -> None:
    producers = Producers()
    write(producers, 0, header(0, time=100))
    write(producers, 1, header(0, producer=8, time=100, attributes=TRANSACTIONAL_BIT))
    write(producers, 2, header(0, producer=9, time=101))
    assert producers.expire(1_099, 1_000) == []
    assert producers.expire(1_100, 1_000) == [7]
    assert {known.producer_id for known in producers} == {8, 9}


def test_restore_orders_open_transactions_by_first_offset() -> None:
    early, late = Producer(1, 0), Producer(2, 0)
    early.transaction_first_offset, late.transaction_first_offset = 5, 9
    producers = Producers()
    producers.restore([late, early])
    assert producers.first_unstable_offset() == 5
