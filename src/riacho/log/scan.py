"""Walking through the batches of a segment file.

Each walk says how it reads: headers only, in small reads that skip the records (look-ups), or whole batches with their
checksum proven, in large reads (recovery, compaction).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from riacho.base.ports import Files
from riacho.log.real_files import REAL_FILES
from riacho.wire.batch import HEADER_SIZE_BYTES, LOG_OVERHEAD_BYTES, BatchHeader, crc_is_valid, read_header

_MAGIC = 2
_LENGTH_MIN = HEADER_SIZE_BYTES - LOG_OVERHEAD_BYTES
# Base offset, batch length, (leader epoch), magic, (crc, attributes), last offset delta.
_PLACE = struct.Struct(">qi4xb6xi")
# A look-up starts within an index interval (4 KiB by default) of what it seeks.
_LOOKUP_READ_BYTES = 8192
_SCAN_READ_BYTES = 1 << 20


class TornBatch(Exception):
    """What stands at `position` is not a whole, valid batch."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(f"{why} at position {position}")
        self.position = position


def find_batch(fd: int, start: int, end: int, offset: int, files: Files = REAL_FILES) -> int | None:
    """The position of the first batch from `start` on whose last offset is at or above `offset`."""
    position = start
    chunk, chunk_start = b"", start
    while position < end:
        at = position - chunk_start
        if at + _PLACE.size > len(chunk):
            chunk, chunk_start, at = files.pread(fd, _LOOKUP_READ_BYTES, position), position, 0
            if len(chunk) < _PLACE.size:
                raise TornBatch(position, "the file ends")
        base_offset, length, magic, delta = _PLACE.unpack_from(chunk, at)
        if length < _LENGTH_MIN or magic != _MAGIC:
            raise TornBatch(position, "no batch")
        if base_offset + delta >= offset:
            return position
        position += LOG_OVERHEAD_BYTES + length
    return None


def header_at(fd: int, position: int, files: Files = REAL_FILES) -> BatchHeader | None:
    """The header at `position` when something that looks like one is there."""
    data = files.pread(fd, HEADER_SIZE_BYTES, position)
    if len(data) < HEADER_SIZE_BYTES:
        return None
    header = read_header(data)
    return header if header.magic == _MAGIC and header.batch_length >= _LENGTH_MIN else None


def scan_headers(fd: int, start: int, end: int, files: Files = REAL_FILES) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of every batch; TornBatch where the walk cannot go on."""
    position = start
    chunk, chunk_start = b"", start
    while position < end:
        at = position - chunk_start
        if at + HEADER_SIZE_BYTES > len(chunk):
            chunk, chunk_start, at = files.pread(fd, _LOOKUP_READ_BYTES, position), position, 0
            if len(chunk) < HEADER_SIZE_BYTES:
                raise TornBatch(position, "the file ends")
        header = read_header(chunk, at)
        if header.batch_length < _LENGTH_MIN or header.magic != _MAGIC:
            raise TornBatch(position, "no batch")
        if position + header.size_bytes > end:
            raise TornBatch(position, "the batch is cut short")
        yield position, header
        position += header.size_bytes


def scan_batches(
    fd: int, start: int, end: int, files: Files = REAL_FILES
) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """(position, header, batch) of every batch, with its checksum proven; TornBatch at the first that is not valid.

    The view is valid until the next step of the walk.
    """
    position = start
    chunk, chunk_start = b"", start
    while position < end:
        at = position - chunk_start
        if at + HEADER_SIZE_BYTES > len(chunk):
            chunk, chunk_start, at = files.pread(fd, _SCAN_READ_BYTES, position), position, 0
            if len(chunk) < HEADER_SIZE_BYTES:
                raise TornBatch(position, "the file ends")
        header = read_header(chunk, at)
        if header.batch_length < _LENGTH_MIN or header.magic != _MAGIC or header.last_offset_delta < 0:
            raise TornBatch(position, "no batch")
        size_bytes = header.size_bytes
        if position + size_bytes > end:
            raise TornBatch(position, "the batch is cut short")
        if at + size_bytes > len(chunk):
            chunk, chunk_start, at = files.pread(fd, max(_SCAN_READ_BYTES, size_bytes), position), position, 0
            if len(chunk) < size_bytes:
                raise TornBatch(position, "the file ends")
        if not crc_is_valid(chunk, at, header):
            raise TornBatch(position, "the checksum differs")
        yield position, header, memoryview(chunk)[at : at + size_bytes]
        position += size_bytes
