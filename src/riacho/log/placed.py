"""Batches that a leader has placed, as a follower takes them: offsets and epochs stay."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import BatchHeader, Buffer, crc_is_valid, iterate_headers


def placed_batches(data: Buffer, log_end_offset: int) -> Iterator[tuple[BatchHeader, memoryview]]:
    """Whole and valid batches that follow one another from the log end; a partial one at the end is left out."""
    view = memoryview(data)
    for position, header in iterate_headers(view):
        if not crc_is_valid(view, position, header):
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"batch at {header.base_offset} fails its checksum")
        if header.base_offset < log_end_offset:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE, f"batch at {header.base_offset}, the log ends at {log_end_offset}"
            )
        yield header, view[position : position + header.size_bytes]
        log_end_offset = header.next_offset
