"""Finding records by time (ListOffsets), and aborted transactions. The indexes lead to a batch; only that batch is
opened."""

from __future__ import annotations

import os

from riacho.log.scan import scan_headers
from riacho.log.segment import Segment
from riacho.log.segments import Segments
from riacho.wire.batch import BatchHeader
from riacho.wire.records import iterate_records, record_timestamp


def first_at_or_after(segments: Segments, timestamp: int, start_offset: int) -> tuple[int, int] | None:
    """(timestamp, offset) of the first record from `start_offset` on that is not earlier than `timestamp`."""
    for segment in segments.from_offset(start_offset):
        if segment.size_bytes and segment.max_timestamp >= timestamp:
            found = _first_in(segment, timestamp, start_offset)
            if found is not None:
                return found
    return None


def greatest(segments: Segments) -> tuple[int, int] | None:
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
    return _first_in(best, best.max_timestamp, best.base_offset, position)


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
    segment: Segment, timestamp: int, start_offset: int, position: int | None = None
) -> tuple[int, int] | None:
    if position is None:
        _, offset = segment.time_index.lookup(timestamp - 1)
        position = segment.position_of(max(offset, start_offset, segment.base_offset))
    if position is None:
        return None
    fd = segment.open_file().fd
    for at, header in scan_headers(fd, position, segment.size_bytes):
        if header.max_timestamp >= timestamp and header.last_offset >= start_offset:
            found = _record_in(fd, at, header, timestamp, start_offset)
            if found is not None:
                return found
    return None


def _record_in(
    fd: int, position: int, header: BatchHeader, timestamp: int, start_offset: int
) -> tuple[int, int] | None:
    batch = os.pread(fd, header.size_bytes, position)
    for record in iterate_records(batch):
        offset = header.base_offset + record.offset_delta
        record_time = record_timestamp(header, record)
        if record_time >= timestamp and offset >= start_offset:
            return record_time, offset
    return None
