from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.acquiring import AcquiredRange, AcquireRequest, FetchedBatch
from riacho.shares.config import ShareLimits
from riacho.shares.record_state import RecordState
from riacho.shares.share_partition import SharePartition, Transition
from riacho.shares.state_batches import StateBatch
from riacho.wire.messages.share_acknowledge_request import AcknowledgementBatch

AVAILABLE, ACKNOWLEDGED, ARCHIVED = RecordState.AVAILABLE, RecordState.ACKNOWLEDGED, RecordState.ARCHIVED
GAP, ACCEPT, RELEASE, REJECT, RENEW = range(5)
LIMITS = ShareLimits(record_lock_duration_ms=1_000)


class Bench:
    """A share-partition over batches of ten records."""

    def __init__(self, share: SharePartition | None = None, limits: ShareLimits = LIMITS, records: int = 30) -> None:
        self.share = share or SharePartition(0, 1)
        self.limits = limits
        self.batches = [FetchedBatch(base, base + 9) for base in range(0, records, 10)]

    def fetch(
        self, member_id: str = "m1", records_max: int = 500, now_ms: int = 0, *, is_exact: bool = False
    ) -> list[AcquiredRange]:
        offset = self.share.next_fetch_offset()
        found = [batch for batch in self.batches if batch.last_offset >= offset]
        request = AcquireRequest(member_id, records_max, 500, is_exact)
        return self.share.acquire(request, found, offset, self.limits, now_ms).ranges

    def ack(
        self, first: int, last: int, *types: int, member_id: str = "m1", now_ms: int = 0, stored: bool = True
    ) -> Transition:
        batch = AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=list(types))
        transition = self.share.acknowledge(member_id, [batch], self.limits, now_ms)
        if stored:
            self.share.commit(transition)
        return transition

    def states(self) -> list[tuple[int, int, str, int]]:
        return [(run.first, run.last, run.state.name, run.delivery_count) for run in self.share.runs]


def refusal(bench: Bench, first: int, last: int, *types: int, member_id: str = "m1") -> ErrorCode:
    before = bench.states()
    with pytest.raises(KafkaError) as refused:
        bench.ack(first, last, *types, member_id=member_id)
    assert bench.states() == before
    return refused.value.code


def test_records_go_to_one_member_and_are_finished_when_it_accepts_them() -> None:
    bench = Bench()
    assert bench.fetch("m1", records_max=10) == [AcquiredRange(0, 9, 1)]
    assert bench.fetch("m2", records_max=10) == [AcquiredRange(10, 19, 1)]
    transition = bench.ack(0, 9, ACCEPT)
    assert transition.state_batches == [StateBatch(0, 9, ACKNOWLEDGED, 1)]
    assert (bench.share.start_offset, bench.share.end_offset) == (10, 20)
    assert bench.states() == [(10, 19, "ACQUIRED", 1)]


def test_a_change_counts_when_it_is_stored_and_not_when_it_could_not_be() -> None:
    bench = Bench()
    bench.fetch()
    transition = bench.ack(0, 29, ACCEPT, stored=False)
    assert bench.share.start_offset == 0
    assert bench.share.delivery_complete_count() == 30
    assert refusal(bench, 0, 29, ACCEPT) is ErrorCode.INVALID_RECORD_STATE
    bench.share.roll_back(transition)
    assert bench.states() == [(0, 29, "ACQUIRED", 1)]
    assert bench.share.delivery_complete_count() == 0
    bench.ack(0, 29, ACCEPT)
    assert bench.share.start_offset == bench.share.end_offset == 30


def test_a_released_record_is_given_out_again_and_counted() -> None:
    bench = Bench()
    bench.fetch("m1", records_max=10)
    assert bench.ack(4, 5, RELEASE).state_batches == [StateBatch(4, 5, AVAILABLE, 1)]
    assert bench.fetch("m2", records_max=1) == [AcquiredRange(4, 5, 2)]


def test_types_may_differ_by_offset() -> None:
    bench = Bench()
    bench.fetch()
    transition = bench.ack(8, 12, RELEASE, REJECT, GAP, ACCEPT, RELEASE)
    assert transition.state_batches == [
        StateBatch(8, 8, AVAILABLE, 1),
        StateBatch(9, 10, ARCHIVED, 1),
        StateBatch(11, 11, ACKNOWLEDGED, 1),
        StateBatch(12, 12, AVAILABLE, 1),
    ]
    assert bench.share.delivery_complete_count() == 3
    assert bench.fetch("m2") == [AcquiredRange(8, 8, 2), AcquiredRange(12, 12, 2)]


def test_only_the_owner_may_acknowledge_and_only_what_was_given_out() -> None:
    bench = Bench()
    assert refusal(bench, 0, 0, ACCEPT) is ErrorCode.INVALID_RECORD_STATE
    bench.fetch("m1", records_max=10)
    assert refusal(bench, 0, 0, ACCEPT, member_id="m2") is ErrorCode.INVALID_RECORD_STATE
    assert refusal(bench, 10, 11, ACCEPT) is ErrorCode.INVALID_REQUEST
    assert refusal(bench, 9, 10, ACCEPT) is ErrorCode.INVALID_REQUEST
    bench.ack(0, 4, ACCEPT)
    bench.ack(6, 6, ACCEPT)
    # What lies below the start is finished: nothing is left to say of it.
    assert not bench.ack(0, 4, ACCEPT)
    assert bench.ack(3, 5, ACCEPT).state_batches == [StateBatch(5, 5, ACKNOWLEDGED, 1)]
    bench.ack(8, 8, ACCEPT)
    assert refusal(bench, 7, 9, ACCEPT) is ErrorCode.INVALID_RECORD_STATE


def test_an_acknowledgement_is_all_or_nothing() -> None:
    bench = Bench()
    bench.fetch("m1", records_max=10)
    bench.fetch("m2", records_max=10)
    good = AcknowledgementBatch(first_offset=0, last_offset=3, acknowledge_types=[ACCEPT])
    renewed = AcknowledgementBatch(first_offset=4, last_offset=4, acknowledge_types=[RENEW])
    bad = AcknowledgementBatch(first_offset=9, last_offset=10, acknowledge_types=[ACCEPT])
    with pytest.raises(KafkaError):
        bench.share.acknowledge("m1", [good, renewed, bad], LIMITS, 900)
    assert bench.states() == [(0, 9, "ACQUIRED", 1), (10, 19, "ACQUIRED", 1)]
    assert bench.share.next_deadline_ms() == 1_000


def test_a_hold_ends_with_its_time() -> None:
    bench = Bench()
    bench.fetch(now_ms=5)
    assert bench.share.next_deadline_ms() == 1_005
    assert not bench.share.expire(LIMITS, 1_004)
    assert bench.share.expire(LIMITS, 1_005).state_batches == [StateBatch(0, 29, AVAILABLE, 1)]
    assert bench.share.next_deadline_ms() is None
    assert refusal(bench, 0, 0, ACCEPT) is ErrorCode.INVALID_RECORD_STATE
    assert bench.fetch("m2", now_ms=1_005) == [AcquiredRange(0, 29, 2)]


def test_a_hold_does_not_end_while_its_outcome_is_being_stored() -> None:
    bench = Bench()
    bench.fetch()
    transition = bench.ack(0, 4, ACCEPT, stored=False)
    assert bench.share.expire(LIMITS, 2_000).state_batches == [StateBatch(5, 29, AVAILABLE, 1)]
    bench.share.roll_back(transition)
    assert bench.share.next_deadline_ms() == 1_000
    assert bench.share.expire(LIMITS, 2_000).state_batches == [StateBatch(0, 4, AVAILABLE, 1)]


def test_a_renewed_hold_lasts_longer() -> None:
    bench = Bench()
    bench.fetch()
    assert not bench.ack(3, 4, RENEW, now_ms=700)
    assert bench.share.expire(LIMITS, 1_000).state_batches == [
        StateBatch(0, 2, AVAILABLE, 1),
        StateBatch(5, 29, AVAILABLE, 1),
    ]
    assert bench.share.next_deadline_ms() == 1_700


def test_a_member_whose_session_ends_lets_go_of_all_it_holds() -> None:
    bench = Bench()
    bench.fetch("m1", records_max=10)
    bench.fetch("m2", records_max=10)
    transition = bench.share.release("m1", LIMITS)
    assert transition.state_batches == [StateBatch(0, 9, AVAILABLE, 1)]
    # Nobody gets it before it is stored.
    assert bench.share.next_fetch_offset() == 20
    bench.share.commit(transition)
    assert bench.share.next_fetch_offset() == 0
    assert not bench.share.is_idle
    bench.share.commit(bench.share.release("m2", LIMITS))
    assert bench.share.is_idle


@pytest.mark.parametrize("limit", [2, 3, 5])
@pytest.mark.parametrize("way", ["release", "session", "time"])
def test_a_record_is_archived_when_it_comes_back_from_its_last_delivery(limit: int, way: str) -> None:
    limits = ShareLimits(delivery_count_limit=limit, record_lock_duration_ms=1_000)
    bench = Bench(limits=limits, records=10)
    bench.batches = [FetchedBatch(0, 0)]
    for delivery in range(1, limit + 1):
        assert bench.fetch(now_ms=0) == [AcquiredRange(0, 0, delivery)]
        if way == "release":
            bench.ack(0, 0, RELEASE)
        elif way == "session":
            bench.share.commit(bench.share.release("m1", limits))
        else:
            bench.share.expire(limits, 1_000)
        assert bench.share.delivery_complete_count() == 0
    assert bench.share.start_offset == 1
    assert bench.fetch() == []


def test_no_more_than_the_limit_of_locks_is_in_flight() -> None:
    limits = ShareLimits(partition_max_record_locks=15)
    bench = Bench(limits=limits)
    assert bench.fetch() == [AcquiredRange(0, 19, 1)]
    assert not bench.share.can_acquire(limits)
    bench.ack(5, 5, RELEASE)
    # What is in flight already may be given out again.
    assert bench.share.can_acquire(limits)
    assert bench.fetch() == [AcquiredRange(5, 5, 2)]
    bench.ack(0, 19, ACCEPT)
    assert bench.fetch() == [AcquiredRange(20, 29, 1)]


def test_records_below_a_later_log_start_are_gone_whoever_holds_them() -> None:
    bench = Bench()
    bench.fetch("m1", records_max=20)
    transition = bench.ack(0, 14, ACCEPT, stored=False)
    bench.share.log_start_moved(12)
    assert bench.states() == [(12, 14, "ACQUIRED", 1), (15, 19, "ACQUIRED", 1)]
    bench.share.commit(transition)
    assert bench.share.start_offset == 15
    bench.share.log_start_moved(25)
    assert (bench.share.start_offset, bench.share.end_offset, bench.states()) == (25, 25, [])
    assert bench.fetch() == [AcquiredRange(25, 29, 1)]


def test_what_is_stored_is_there_after_a_change_of_leader() -> None:
    stored = [StateBatch(5, 7, ACKNOWLEDGED, 1), StateBatch(10, 12, AVAILABLE, 2), StateBatch(15, 15, ARCHIVED, 5)]
    share = SharePartition(5, 3, stored)
    assert share.start_offset == 8
    assert share.state_epoch == 3
    bench = Bench(share)
    # Between the ranges were records that somebody held: they are free, and their delivery is not known.
    assert bench.states() == [
        (8, 9, "AVAILABLE", 0),
        (10, 12, "AVAILABLE", 2),
        (13, 14, "AVAILABLE", 0),
        (15, 15, "ARCHIVED", 5),
    ]
    assert bench.fetch() == [
        AcquiredRange(8, 9, 1),
        AcquiredRange(10, 12, 3),
        AcquiredRange(13, 14, 1),
        AcquiredRange(16, 29, 1),
    ]


def test_stored_ranges_below_the_start_are_left_out() -> None:
    share = SharePartition(10, 0, [StateBatch(0, 8, ACKNOWLEDGED, 1), StateBatch(9, 12, AVAILABLE, 1)])
    assert [(run.first, run.last) for run in share.runs] == [(10, 12)]


def test_a_share_partition_that_everyone_finished_costs_nothing() -> None:
    bench = Bench(records=1_000)
    while ranges := bench.fetch(records_max=100):
        for each in ranges:
            bench.ack(each.first_offset, each.last_offset, ACCEPT)
    assert (bench.share.start_offset, len(bench.share.runs)) == (1_000, 0)


def test_one_bad_record_is_found_before_its_neighbours_are_archived() -> None:
    """Whoever gets record 7 releases all it got; the others are accepted sooner or later."""
    bench = Bench(records=10)
    archived: set[int] = set()
    for _ in range(60):
        ranges = bench.fetch()
        if not ranges:
            break
        is_bad = any(each.first_offset <= 7 <= each.last_offset for each in ranges)
        for each in ranges:
            kind = RELEASE if is_bad else ACCEPT
            for batch in bench.ack(each.first_offset, each.last_offset, kind).state_batches:
                if batch.delivery_state == ARCHIVED:
                    archived.update(range(batch.first_offset, batch.last_offset + 1))
    assert archived == {7}
    assert bench.share.start_offset == 10
