"""Cutting the end of a log off, as a follower does to agree with its leader.

Whole batches go: where a batch holds the offset in its middle, the log ends before that batch. A cut that fails halfway
(out of descriptors, say) may be made again: the log's end moves last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.log.recovery import replay
from riacho.log.segment import Segment

if TYPE_CHECKING:
    from riacho.log.log import Log


def truncate_to(log: Log, offset: int, now_ms: int) -> None:
    try:
        _truncate_to(log, offset, now_ms)
    except OSError as error:
        raise log.failed("truncate", error) from error


def _truncate_to(log: Log, offset: int, now_ms: int) -> None:
    if offset >= log.log_end_offset:
        # An epoch that began here and wrote nothing is one the leader does not know: keeping it would part us for ever.
        log.epochs.truncate_from_end(offset)
        return
    if offset < log.segments.first.base_offset:
        _start_over(log, offset, now_ms)
        return
    _cut(log, log.segments.from_offset(offset)[0].base_offset)
    doomed = [segment for segment in log.segments if segment.base_offset > offset]
    if doomed:
        log.segments.remove(doomed)
        _delete(log, doomed, now_ms)
    log.segments.active.truncate_to(offset)
    _settle(log, min(offset, max(log.segments.active.read_next_offset(), log.log_start_offset)))


def start_over(log: Log, offset: int, now_ms: int) -> None:
    """Drop everything; the log goes on at `offset`."""
    try:
        _start_over(log, offset, now_ms)
    except OSError as error:
        raise log.failed("truncate", error) from error


def _cut(log: Log, offset: int) -> None:
    log.cut_count += 1
    if log.on_cut is not None:
        log.on_cut(offset)


def _start_over(log: Log, offset: int, now_ms: int) -> None:
    _cut(log, min(offset, log.segments.first.base_offset))
    doomed = list(log.segments)
    _delete(log, doomed, now_ms)
    segment = Segment(log.directory, offset, created_ms=now_ms, files=log.files)
    segment.create()
    log.segments.remove(doomed, [segment])
    log.log_start_offset = offset
    log.producer_state.drop_snapshots(0)
    # Nor is there an epoch: that of a record which is gone would part this log from every other.
    log.epochs.clear()
    log.lower_high_watermark(offset)
    _settle(log, offset)
    # Everything below is gone for good, so it counts as committed.
    log.high_watermark = offset


def _delete(log: Log, doomed: list[Segment], now_ms: int) -> None:
    for segment in doomed:
        log.deletions.add(segment.rename_deleted(), now_ms + log.config.file_delete_delay_ms)


def _settle(log: Log, end_offset: int) -> None:
    """Bring everything that speaks of offsets down to the new end."""
    log.log_start_offset = min(log.log_start_offset, end_offset)
    log.lower_high_watermark(end_offset)
    # Not the new end: a segment that is rolled there would hide from the next flush that this one was cut, and a power
    # cut would bring back what was cut off, in front of what took its place.
    log.recovery_point = min(log.recovery_point, log.segments.active.base_offset)
    log.epochs.truncate_from_end(end_offset)
    replay(log.producer_state, log.segments, log.log_start_offset, end_offset)
    log.producer_state.producers.advance_high_watermark(log.high_watermark)
    log.log_end_offset = end_offset
