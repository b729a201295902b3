"""Finding records by time (ListOffsets), and aborted transactions. The indexes lead to a batch; only that is opened.

A batch may unpack to much. Whoever may not be held up for long gives a table of what was found in batches before:
one that is not there and takes long is a `LongLookupError`, whose `sought.find()` a thread may call.
"""

from __future__ import annotations

from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.scan import scan_headers
from riacho.log.segment import Segment
from riacho.log.segments import Segments
from riacho.partition.record_checks import unpacked
from riacho.partition.refused_records import TakesLongError
from riacho.wire.batch import BatchHeader
from riacho.wire.record_walk import DELTA_MAX, DELTA_MIN, RecordWalk

_STEP_RECORDS = 16_384

# Timestamp and offset of a record.
Found = tuple[int, int] | None
# What was found in batches that took long, by their base offset.
Opened = dict[int, Found]


class Sought(NamedTuple):
    """The first record of a batch, which holds it or not, with at least this timestamp and this offset."""

    batch: bytes
    header: BatchHeader
    timestamp: int
    start_offset: int

    def find(self, *, may_take_long: bool = True) -> Found:
        header = self.header
        is_stamped = header.timestamp_type == 1
        if is_stamped and header.max_timestamp < self.timestamp:
            return None
        wanted_time = DELTA_MIN if is_stamped else self.timestamp - header.base_timestamp
        wanted_offset = max(self.start_offset - header.base_offset, 0)
        try:
            section = unpacked(memoryview(self.batch), header, may_take_long=may_take_long)
            walk = RecordWalk(section, header.record_count)
            is_last = False
            while not is_last and not walk.is_found:
                is_last = walk.step(_STEP_RECORDS, max(min(wanted_time, DELTA_MAX), DELTA_MIN), wanted_offset)
        except (IndexError, ValueError) as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, str(error)) from None
        except KafkaError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, error.detail) from None
        if not walk.is_found:
            return None
        timestamp = header.max_timestamp if is_stamped else header.base_timestamp + walk.timestamp_delta
        return timestamp, header.base_offset + walk.offset_delta


class LongLookupError(TakesLongError):
    def __init__(self, sought: Sought) -> None:
        super().__init__()
        self.sought = sought


def first_at_or_after(
    segments: Segments, timestamp: int, start_offset: int, opened: Opened | None = None
) -> tuple[int, int] | None:
    """(timestamp, offset) of the first record from `start_offset` on that is not earlier than `timestamp`."""
    for segment in segments.from_offset(start_offset):
        if segment.size_bytes and segment.max_timestamp >= timestamp:
            found = _first_in(segment, timestamp, start_offset, opened)
            if found is not None:
                return found
    return None


def greatest(segments: Segments, opened: Opened | None = None) -> tuple[int, int] | None:
    """(timestamp, offset) of the record with the greatest timestamp; the first of equals."""
    best: Segment | None = None
    for segment in segments:
        if (
            segment.size_bytes
            and segment.max_timestamp >= 0
            and (best is None or segment.max_timestamp > best.max_timestamp)
        ):
            best = segment
    if best is None:
        return None
    position = best.position_of(best.max_timestamp_offset)
    if position is None:
        return None
    return _first_in(best, best.max_timestamp, best.base_offset, opened, position)


def aborted_between(segments: Segments, start_offset: int, end_offset: int) -> list[tuple[int, int]]:
    """(producer id, first offset) of the aborted transactions that touch the range, by first offset."""
    found: list[tuple[int, int]] = []
    for segment in segments.from_offset(start_offset):
        aborted, complete = segment.abort_index.collect(start_offset, end_offset)
        found += [(each.producer_id, each.first_offset) for each in aborted]
        if complete:
            break
    return sorted(found, key=lambda each: each[1])


def _first_in(
    segment: Segment, timestamp: int, start_offset: int, opened: Opened | None, position: int | None = None
) -> tuple[int, int] | None:
    if position is None:
        _, offset = segment.time_index.lookup(timestamp - 1)
        position = segment.position_of(max(offset, start_offset, segment.base_offset))
    if position is None:
        return None
    fd = segment.open_file().fd
    for at, header in scan_headers(fd, position, segment.size_bytes, segment.files):
        if header.max_timestamp >= timestamp and header.last_offset >= start_offset:
            found = _record_in(segment, at, header, timestamp, start_offset, opened)
            if found is not None:
                return found
    return None


def _record_in(
    segment: Segment, position: int, header: BatchHeader, timestamp: int, start_offset: int, opened: Opened | None
) -> tuple[int, int] | None:
    if opened and header.base_offset in opened:
        return opened[header.base_offset]
    batch = segment.files.pread(segment.open_file().fd, header.size_bytes, position)
    sought = Sought(batch, header, timestamp, start_offset)
    try:
        return sought.find(may_take_long=opened is None)
    except TakesLongError:
        raise LongLookupError(sought) from None
