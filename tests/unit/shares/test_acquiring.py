from __future__ import annotations

from riacho.shares.acquiring import Acquired, AcquiredRange, AcquireRequest, FetchedBatch
from riacho.shares.config import ShareLimits
from riacho.shares.share_partition import SharePartition
from riacho.shares.state_batches import StateBatch

LIMITS = ShareLimits()


def acquire(
    share: SharePartition,
    batches: list[FetchedBatch],
    records_max: int = 500,
    batch_size: int = 500,
    is_record_limit: bool = False,
    limits: ShareLimits = LIMITS,
) -> Acquired:
    request = AcquireRequest("m1", records_max, batch_size, is_record_limit)
    return share.acquire(request, batches, share.next_fetch_offset(), limits, 0)


def pairs(count: int, start: int = 0) -> list[FetchedBatch]:
    return [FetchedBatch(base, base + 1) for base in range(start, start + 2 * count, 2)]


def test_by_batches_the_last_one_is_given_out_whole() -> None:
    share = SharePartition(0, 1)
    assert acquire(share, [FetchedBatch(0, 9), FetchedBatch(10, 14)], records_max=5) == ([AcquiredRange(0, 9, 1)], 10)
    assert acquire(share, [FetchedBatch(10, 14)], records_max=5) == ([AcquiredRange(10, 14, 1)], 5)


def test_by_records_never_more_than_asked_for() -> None:
    share, batches = SharePartition(20, 1), [FetchedBatch(20, 25)]
    taken = [acquire(share, batches, records_max=count, is_record_limit=True).ranges for count in (4, 1, 4)]
    assert taken == [[AcquiredRange(20, 23, 1)], [AcquiredRange(24, 24, 1)], [AcquiredRange(25, 25, 1)]]


def test_by_records_a_limit_on_locks_is_kept_exactly() -> None:
    share = SharePartition(0, 1)
    limits = ShareLimits(partition_max_record_locks=3)
    assert acquire(share, [FetchedBatch(0, 9)], is_record_limit=True, limits=limits).record_count == 3
    assert not share.can_acquire(limits)


def test_new_records_stand_together_by_the_batch_size() -> None:
    share = SharePartition(26, 1)
    ranges = acquire(share, pairs(6, 26), batch_size=3).ranges
    assert ranges == [AcquiredRange(26, 29, 1), AcquiredRange(30, 33, 1), AcquiredRange(34, 37, 1)]
    ranges = acquire(share, pairs(3, 38), batch_size=1).ranges
    assert ranges == [AcquiredRange(38, 39, 1), AcquiredRange(40, 41, 1), AcquiredRange(42, 43, 1)]


def test_a_fetch_in_the_middle_of_a_batch_starts_there() -> None:
    share = SharePartition(4, 1)
    assert acquire(share, [FetchedBatch(0, 9)]).ranges == [AcquiredRange(4, 9, 1)]


def test_hidden_batches_and_offsets_without_records_are_passed_over() -> None:
    share = SharePartition(0, 1)
    batches = [FetchedBatch(0, 0, is_hidden=True), FetchedBatch(3, 4), FetchedBatch(5, 5, True), FetchedBatch(8, 8)]
    assert acquire(share, batches).ranges == [AcquiredRange(3, 4, 1), AcquiredRange(8, 8, 1)]
    assert (share.start_offset, share.end_offset) == (3, 9)
    assert share.delivery_complete_count() == 3


def test_only_hidden_batches_move_the_start() -> None:
    share = SharePartition(0, 1)
    assert acquire(share, [FetchedBatch(0, 5, is_hidden=True)]) == ([], 0)
    assert (share.start_offset, share.end_offset) == (6, 6)


def test_a_free_record_that_compaction_removed_is_archived() -> None:
    share = SharePartition(0, 1, [StateBatch(0, 4, 0, 1), StateBatch(5, 5, 0, 1)])
    assert acquire(share, [FetchedBatch(5, 5)]).ranges == [AcquiredRange(5, 5, 2)]
    assert share.start_offset == 5


def test_records_tried_often_are_given_out_apart_and_in_smaller_portions() -> None:
    # As Apache Kafka does with five deliveries allowed: from three on by halves, the last time one by one.
    stored = [StateBatch(0, 4, 0, 3), StateBatch(5, 6, 2, 1), StateBatch(7, 14, 0, 3)]
    share = SharePartition(0, 1, stored)
    assert acquire(share, [FetchedBatch(0, 9), FetchedBatch(10, 14)]).ranges == [AcquiredRange(0, 1, 4)]
    assert acquire(share, [FetchedBatch(0, 9), FetchedBatch(10, 14)]).ranges == [AcquiredRange(2, 2, 4)]
    last = SharePartition(0, 1, [StateBatch(0, 4, 0, 4)])
    assert acquire(last, [FetchedBatch(0, 9)]).ranges == [AcquiredRange(0, 0, 5)]


def test_others_go_before_records_tried_often() -> None:
    share = SharePartition(0, 1, [StateBatch(0, 1, 0, 1), StateBatch(2, 5, 0, 3)])
    assert acquire(share, [FetchedBatch(0, 9)]).ranges == [AcquiredRange(0, 1, 2)]
    assert acquire(share, [FetchedBatch(0, 9)]).ranges == [AcquiredRange(2, 3, 4)]


def test_nothing_is_given_to_who_asks_for_nothing() -> None:
    assert acquire(SharePartition(0, 1), [FetchedBatch(0, 9)], records_max=0) == ([], 0)
