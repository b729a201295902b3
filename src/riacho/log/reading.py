"""Which bytes of a log answer a fetch. Nothing is read here but, where needed, batch headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.file_slice import FileSlice
from riacho.log.scan import TornBatch
from riacho.log.segment import Segment

if TYPE_CHECKING:
    from riacho.log.log import Log


def read(log: Log, offset: int, size_bytes_max: int, end_offset: int, at_least_one: bool) -> FileSlice | None:
    if not log.log_start_offset <= offset <= log.log_end_offset:
        raise KafkaError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"offset {offset} is not within {log.log_start_offset} to {log.log_end_offset}",
        )
    if offset >= end_offset:
        return None
    try:
        return _read(log, offset, size_bytes_max, end_offset, at_least_one)
    except OSError as error:
        raise log.failed("read", error) from error
    except TornBatch as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{log.directory}: {error}") from error


def _read(log: Log, offset: int, size_bytes_max: int, end_offset: int, at_least_one: bool) -> FileSlice | None:
    segments = log.segments
    number = len(segments) - 1 if offset >= segments.active.base_offset else segments.number_of(offset)
    while number < len(segments):
        segment = segments[number]
        if segment.base_offset >= end_offset:
            return None
        position = segment.position_of(offset)
        if position is not None:
            end = segment.size_bytes
            if end_offset < segments.end_of(number, log.log_end_offset):
                # The batch that holds the end offset stays out, whole.
                limit = segment.position_of(end_offset)
                end = end if limit is None else limit
            size = _fit(segment, position, end - position, size_bytes_max, at_least_one)
            return FileSlice(segment.open_file(), position, size, offset) if size > 0 else None
        # Compaction may leave a gap at the end of a segment: the next record is in the next one.
        number += 1
    return None


def _fit(segment: Segment, position: int, size_bytes: int, size_bytes_max: int, at_least_one: bool) -> int:
    if size_bytes <= size_bytes_max:
        return size_bytes
    first = segment.batch_size_at(position)
    if first <= size_bytes_max:
        return size_bytes_max
    return first if at_least_one else 0
