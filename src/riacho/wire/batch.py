"""The record batch, format 2: a 61-byte header before records that the broker does not open.

The CRC covers everything from the attributes on (byte 21), so a broker places a batch in its log by rewriting the base
offset and the leader epoch without touching the checksum.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from fastcrc import crc32

from riacho.base.errors import ErrorCode, KafkaError

Buffer = bytes | bytearray | memoryview

HEADER = struct.Struct(">qiibIhiqqqhii")
HEADER_SIZE_BYTES = HEADER.size
# Base offset and length stand before the part that `batch_length` counts.
LOG_OVERHEAD_BYTES = 12
CRC_START = 21
NO_PRODUCER_ID = -1
NO_SEQUENCE = -1

CODEC_MASK = 0x07
TIMESTAMP_TYPE_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20
DELETE_HORIZON_BIT = 0x40

_OFFSET = struct.Struct(">q")
_EPOCH = struct.Struct(">i")
_CRC = struct.Struct(">I")

crc32c = crc32.iscsi


class BatchHeader(NamedTuple):
    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size_bytes(self) -> int:
        return LOG_OVERHEAD_BYTES + self.batch_length

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def compression(self) -> int:
        return self.attributes & CODEC_MASK

    @property
    def timestamp_type(self) -> int:
        """0: the producer's time; 1: the time of the append."""
        return 1 if self.attributes & TIMESTAMP_TYPE_BIT else 0

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL_BIT != 0

    @property
    def has_delete_horizon(self) -> bool:
        """Compaction sets this bit: base_timestamp then holds the time at which tombstones may go (KIP-534)."""
        return self.attributes & DELETE_HORIZON_BIT != 0

    @property
    def has_producer(self) -> bool:
        return self.producer_id > NO_PRODUCER_ID

    @property
    def last_sequence(self) -> int:
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF


_make_header = BatchHeader._make


def read_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """The header at `position`; the caller has checked that 61 bytes are there."""
    return _make_header(HEADER.unpack_from(buffer, position))


def iterate_headers(buffer: Buffer) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of every whole batch; a torn tail ends the walk, a broken length is CORRUPT_MESSAGE."""
    position, end = 0, len(buffer)
    while end - position >= HEADER_SIZE_BYTES:
        header = read_header(buffer, position)
        if header.batch_length < HEADER_SIZE_BYTES - LOG_OVERHEAD_BYTES:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"batch length {header.batch_length} is below the header's own")
        if position + header.size_bytes > end:
            return
        yield position, header
        position += header.size_bytes


def crc_is_valid(buffer: Buffer, position: int, header: BatchHeader) -> bool:
    view = memoryview(buffer)
    return crc32c(view[position + CRC_START : position + header.size_bytes]) == header.crc


def stamp(buffer: bytearray | memoryview, base_offset: int, leader_epoch: int, position: int = 0) -> None:
    """Place a validated batch in the log, in place."""
    _OFFSET.pack_into(buffer, position, base_offset)
    _EPOCH.pack_into(buffer, position + LOG_OVERHEAD_BYTES, leader_epoch)


def seal(buffer: bytearray | memoryview, position: int = 0, size_bytes: int | None = None) -> None:
    """Write the CRC of a batch whose attributes or records changed."""
    end = len(buffer) if size_bytes is None else position + size_bytes
    _CRC.pack_into(buffer, position + 17, crc32c(memoryview(buffer)[position + CRC_START : end]))
