"""Where a follower cuts its log, what it does about errors, and how long it waits."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.partition.follower import (
    APPEND,
    NEVER_MS,
    AskOffsets,
    BackOff,
    Fenced,
    Following,
    StartOver,
    Truncate,
    common_end,
)
from riacho.wire.messages.fetch_response import EpochEndOffset, PartitionData
from support.epoch_log import BACKOFF_MS, EpochLog


def _log(*epochs: int, high_watermark: int = 0) -> EpochLog:
    log = EpochLog([(epoch, f"{offset}") for offset, epoch in enumerate(epochs)])
    log.high_watermark = high_watermark
    return log


def _following(log: EpochLog, epoch: int = 9) -> Following:
    return Following(1, epoch, log)


def test_it_asks_from_its_end_with_the_epoch_of_its_last_record() -> None:
    state = _following(_log(0, 0, 3))
    assert (state.fetch_offset, state.last_fetched_epoch) == (3, 3)
    empty = _following(_log())
    assert (empty.fetch_offset, empty.last_fetched_epoch) == (0, -1)


@pytest.mark.parametrize(
    ("own", "told", "end"),
    [
        # The leader's epoch ends earlier than ours.
        ((0, 0, 0, 0), (0, 2), 2),
        # It has more of that epoch than we have: everything of ours in it is common.
        ((0, 0, 2, 2), (0, 5), 2),
        # We have nothing of that epoch: back to the end of the one before.
        ((0, 0, 3, 3), (2, 3), 2),
        ((1, 1, 1, 4, 4), (2, 3), 3),
        # It is older than all we have.
        ((3, 3), (1, 7), 0),
        # It ends within ours.
        ((0, 1, 1, 2), (1, 2), 2),
    ],
)
def test_the_common_end(own: tuple[int, ...], told: tuple[int, int], end: int) -> None:
    assert common_end(_log(*own), *told) == end


def test_a_leader_that_cannot_tell_leaves_what_is_committed() -> None:
    assert common_end(_log(0, 0, 0, high_watermark=2), 0, -1) == 2


def test_a_cut_below_the_high_watermark_says_so() -> None:
    log = _log(0, 0, 0, high_watermark=2)
    diverging = PartitionData(diverging_epoch=EpochEndOffset(epoch=0, end_offset=1))
    assert _following(log).answered(diverging, log, 0, BACKOFF_MS) == Truncate(1, is_below_high_watermark=True)
    diverging = PartitionData(diverging_epoch=EpochEndOffset(epoch=0, end_offset=2))
    assert _following(log).answered(diverging, log, 0, BACKOFF_MS) == Truncate(2, is_below_high_watermark=False)


def test_an_epoch_that_wrote_nothing_does_not_part_the_logs_for_ever() -> None:
    log = _log(0, 0)
    log.lead(4)
    state = _following(log)
    assert state.last_fetched_epoch == 4
    diverging = PartitionData(diverging_epoch=EpochEndOffset(epoch=0, end_offset=2))
    effect = state.answered(diverging, log, 0, BACKOFF_MS)
    assert effect == Truncate(2, is_below_high_watermark=False)
    log.truncate_to(2)
    state.refresh(log)
    assert (state.fetch_offset, state.last_fetched_epoch) == (2, 0)


def test_out_of_range_asks_and_then_cuts_or_starts_over() -> None:
    log = _log(0, 0, 0)
    state = _following(log)
    refused = PartitionData(error_code=ErrorCode.OFFSET_OUT_OF_RANGE)
    assert state.answered(refused, log, 0, BACKOFF_MS) == AskOffsets()
    assert state.leader_offsets_received(0, 1, log, 0, BACKOFF_MS) == Truncate(1, is_below_high_watermark=False)
    assert state.leader_offsets_received(7, 9, log, 0, BACKOFF_MS) == StartOver(7)
    # The leader's log reaches our end by now: nothing but to ask again.
    assert state.leader_offsets_received(0, 3, log, 50, BACKOFF_MS) == BackOff(
        ErrorCode.OFFSET_OUT_OF_RANGE, is_first=True
    )
    assert state.retry_at_ms == 60


def test_a_fenced_epoch_is_waited_out_for_good() -> None:
    log = _log(0)
    state = _following(log)
    answer = PartitionData(error_code=ErrorCode.FENCED_LEADER_EPOCH)
    assert state.answered(answer, log, 0, BACKOFF_MS) == Fenced()
    assert state.retry_at_ms == NEVER_MS


def test_pauses_grow_up_to_the_setting_and_end_with_success() -> None:
    log = _log(0)
    state = _following(log)
    refused = PartitionData(error_code=ErrorCode.UNKNOWN_LEADER_EPOCH)
    pauses = []
    for number in range(10):
        effect = state.answered(refused, log, 1_000, BACKOFF_MS)
        assert effect == BackOff(ErrorCode.UNKNOWN_LEADER_EPOCH, is_first=number == 0)
        pauses.append(state.retry_at_ms - 1_000)
    assert pauses == [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000]
    assert state.answered(PartitionData(high_watermark=1), log, 0, BACKOFF_MS) is APPEND
    state.appended(log, 1)
    state.answered(refused, log, 1_000, BACKOFF_MS)
    assert state.retry_at_ms == 1_010


def test_an_answer_that_cannot_be_taken_counts_as_a_failure_again_and_again() -> None:
    log = _log(0)
    state = _following(log)
    for pause_ms in (10, 20, 40):
        assert state.answered(PartitionData(), log, 0, BACKOFF_MS) is APPEND
        state.failed(ErrorCode.CORRUPT_MESSAGE, 0, BACKOFF_MS)
        assert state.retry_at_ms == pause_ms


def test_a_code_that_nobody_knows_is_waited_out_too() -> None:
    log = _log(0)
    effect = _following(log).answered(PartitionData(error_code=9_999), log, 0, BACKOFF_MS)
    assert effect == BackOff(ErrorCode.UNKNOWN_SERVER_ERROR, is_first=True)


def test_caught_up_is_what_the_last_answer_says() -> None:
    log = _log(0, 0)
    state = _following(log)
    assert not state.is_caught_up
    state.appended(log, 5)
    assert (state.lag, state.is_caught_up) == (3, False)
    state.appended(log, 2)
    assert state.is_caught_up
