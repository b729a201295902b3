"""The records inside a batch: what compaction, the checks of compacted topics and the command line open.

A record is its length and then: attributes, timestamp delta, offset delta, key, value, headers; numbers are zigzag
varints, a length of -1 is null. A batch's records follow one another, compressed as one block.

Decoding is one loop with varints of one and two bytes inlined, since nearly all of a record's are that short; every
length is checked against the record's own end, so a record never reads its neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire import batch as batches
from riacho.wire.batch import HEADER, HEADER_SIZE_BYTES, BatchHeader, Buffer
from riacho.wire.compression import Codec, compress, decompress
from riacho.wire.varint import decode_varint, encode_zigzag, unsigned_32, unsigned_64

# Bounds what one batch may expand to in memory; far above what producers send (max.request.size is 1 MiB by default).
DECOMPRESSED_SIZE_BYTES_MAX = 128 * 1024 * 1024
NO_TIMESTAMP = -1

_NULL = encode_zigzag(-1)
_SMALL_END = 2048
_SMALL = [encode_zigzag(n) for n in range(_SMALL_END)]

Headers = list[tuple[str, bytes | None]]


class Record(msgspec.Struct, gc=False):
    """One record; offset and timestamp are relative to its batch's base."""

    offset_delta: int
    timestamp_delta: int
    key: bytes | None
    value: bytes | None
    headers: Headers = msgspec.field(default_factory=list)
    attributes: int = 0


def iterate_records(
    batch: Buffer, position: int = 0, *, size_bytes_max: int = DECOMPRESSED_SIZE_BYTES_MAX
) -> Iterator[Record]:
    """The records of the batch at `position`. Anything malformed is CORRUPT_MESSAGE, before the first record."""
    header = header_of_whole_batch(batch, position)
    return iter(decode_records(records_section(batch, header, position, size_bytes_max), header.record_count))


def header_of_whole_batch(batch: Buffer, position: int = 0) -> BatchHeader:
    """The header at `position`, with the whole batch known to be there."""
    available = len(batch) - position
    if available < HEADER_SIZE_BYTES:
        raise _corrupt(f"{available} bytes are less than a batch header")
    header = batches.read_header(batch, position)
    if not HEADER_SIZE_BYTES <= header.size_bytes <= available:
        raise _corrupt(f"a batch of {header.size_bytes} bytes in {available}")
    return header


def records_section(
    batch: Buffer, header: BatchHeader, position: int = 0, size_bytes_max: int = DECOMPRESSED_SIZE_BYTES_MAX
) -> bytes:
    """The bytes of the records, decompressed."""
    section = memoryview(batch)[position + HEADER_SIZE_BYTES : position + header.size_bytes]
    return decompress(header.compression, section, size_bytes_max)


def record_timestamp(header: BatchHeader, record: Record) -> int:
    """Under LogAppendTime all records of a batch have the time of its append."""
    if header.timestamp_type:
        return header.max_timestamp
    return header.base_timestamp + record.timestamp_delta


def decode_records(data: bytes, count: int) -> list[Record]:
    """Exactly `count` records that fill `data`."""
    try:
        return _decode_records(data, count)
    except IndexError:
        raise _corrupt("a record ends in the middle of a number") from None
    except ValueError as error:
        raise _corrupt(str(error)) from None


def _decode_records(data: bytes, count: int) -> list[Record]:
    records: list[Record] = []
    append, record_class = records.append, Record
    position, data_end = 0, len(data)
    for _ in range(count):
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_32(data, position - 1)
        end = position + (n >> 1)
        if n & 1 or end > data_end:
            raise ValueError("a record runs past the batch")
        attributes = data[position]
        position += 1
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_64(data, position - 1)
        timestamp_delta = n >> 1 ^ -(n & 1)
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_32(data, position - 1)
        offset_delta = n >> 1 ^ -(n & 1)
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_32(data, position - 1)
        if n & 1:
            key = None
        else:
            start = position
            position += n >> 1
            key = data[start:position]
        if position > end:
            raise ValueError("a key runs past its record")
        n = data[position]
        position += 1
        if n > 0x7F:
            more = data[position]
            if more < 0x80:
                position += 1
                n += (more << 7) - 0x80
            else:
                n, position = unsigned_32(data, position - 1)
        if n & 1:
            value = None
        else:
            start = position
            position += n >> 1
            value = data[start:position]
        if position > end:
            raise ValueError("a value runs past its record")
        if data[position]:
            headers, position = _decode_headers(data, position, end)
        else:
            headers = []
            position += 1
        if position != end:
            raise ValueError("a record's size is not that of its fields")
        append(record_class(offset_delta, timestamp_delta, key, value, headers, attributes))
    if position != data_end:
        raise ValueError(f"bytes left after {count} records")
    return records


def _decode_headers(data: bytes, position: int, end: int) -> tuple[Headers, int]:
    headers: Headers = []
    count, position = decode_varint(data, position)
    if count < 0:
        raise ValueError(f"{count} headers")
    for _ in range(count):
        n = data[position]
        start = position + 1
        if n > 0x7F:
            n, start = unsigned_32(data, position)
        position = start + (n >> 1)
        if n & 1 or position > end:
            raise ValueError("a header's key runs past its record")
        # Whatever bytes a client calls a name come out again when the batch is written anew.
        name = data[start:position].decode(errors="surrogateescape")
        n = data[position]
        start = position + 1
        if n > 0x7F:
            n, start = unsigned_32(data, position)
        if n & 1:
            position = start
            headers.append((name, None))
        else:
            position = start + (n >> 1)
            headers.append((name, data[start:position]))
        if position > end:
            raise ValueError("a header's value runs past its record")
    return headers, position


def encode_records(records: Sequence[Record]) -> bytes:
    """The records, uncompressed."""
    parts: list[bytes] = []
    append, zigzag, small = parts.append, encode_zigzag, _SMALL
    for record in records:
        n = record.timestamp_delta
        fields = b"\x00" + (small[n] if 0 <= n < _SMALL_END else zigzag(n))
        n = record.offset_delta
        fields += small[n] if 0 <= n < _SMALL_END else zigzag(n)
        key, value = record.key, record.value
        if key is None:
            fields += _NULL
        else:
            n = len(key)
            fields += (small[n] if n < _SMALL_END else zigzag(n)) + key
        if value is None:
            fields += _NULL
        else:
            n = len(value)
            fields += (small[n] if n < _SMALL_END else zigzag(n)) + value
        fields += _encode_headers(record.headers) if record.headers else b"\x00"
        n = len(fields)
        append(small[n] if n < _SMALL_END else zigzag(n))
        append(fields)
    return b"".join(parts)


def _encode_headers(headers: Headers) -> bytes:
    encoded = encode_zigzag(len(headers))
    for name, value in headers:
        name_bytes = name.encode(errors="surrogateescape")
        encoded += encode_zigzag(len(name_bytes)) + name_bytes
        encoded += _NULL if value is None else encode_zigzag(len(value)) + value
    return encoded


def build_batch(
    records: Sequence[Record],
    *,
    base_timestamp: int,
    base_offset: int = 0,
    leader_epoch: int = -1,
    codec: int = Codec.NONE,
    level: int | None = None,
    timestamp_type: int = 0,
    max_timestamp: int | None = None,
    last_offset_delta: int | None = None,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    delete_horizon_ms: int | None = None,
) -> bytearray:
    """A whole batch with its CRC.

    `last_offset_delta` and `max_timestamp` default to those of the records; compaction, which must keep a batch's range
    when its last record goes, gives them. A delete horizon takes the place of the base timestamp (KIP-534): the deltas
    of the records are then rebased on it, so that their times stay.
    """
    if max_timestamp is None:
        deltas = [record.timestamp_delta for record in records]
        max_timestamp = base_timestamp + max(deltas) if deltas else NO_TIMESTAMP
    if last_offset_delta is None:
        last_offset_delta = records[-1].offset_delta if records else 0
    if delete_horizon_ms is not None:
        records = _rebase(records, base_timestamp - delete_horizon_ms)
        base_timestamp = delete_horizon_ms
    if not records:
        codec = Codec.NONE
    attributes = (
        codec
        | (batches.TIMESTAMP_TYPE_BIT if timestamp_type else 0)
        | (batches.TRANSACTIONAL_BIT if transactional else 0)
        | (batches.CONTROL_BIT if control else 0)
        | (batches.DELETE_HORIZON_BIT if delete_horizon_ms is not None else 0)
    )
    out = bytearray(HEADER_SIZE_BYTES)
    section = encode_records(records)
    out += compress(codec, section, level) if codec else section
    HEADER.pack_into(
        out,
        0,
        base_offset,
        len(out) - batches.LOG_OVERHEAD_BYTES,
        leader_epoch,
        2,
        0,
        attributes,
        last_offset_delta,
        base_timestamp,
        max_timestamp,
        producer_id,
        producer_epoch,
        base_sequence,
        len(records),
    )
    batches.seal(out)
    return out


def _rebase(records: Sequence[Record], shift_ms: int) -> list[Record]:
    return [msgspec.structs.replace(r, timestamp_delta=r.timestamp_delta + shift_ms) for r in records]


def _corrupt(reason: str) -> KafkaError:
    return KafkaError(ErrorCode.CORRUPT_MESSAGE, reason)
