"""Batches whose header and CRC are right and whose records are not: what a broker must never store."""

from __future__ import annotations

import struct

from riacho.wire.batch import HEADER_SIZE_BYTES, LOG_OVERHEAD_BYTES, seal
from riacho.wire.records import Record, build_batch

LENGTH_AT, ATTRIBUTES_AT, LAST_OFFSET_DELTA_AT, MAX_TIMESTAMP_AT, COUNT_AT = 8, 21, 23, 35, 57
_NULL = b"\x01"


def crafted(section: bytes, count: int, codec: int = 0, base_timestamp: int = 1_000) -> bytes:
    """A batch of these very bytes, however odd, under a header and a CRC that are right."""
    made = build_batch([Record(0, 0, None, b"v")], base_timestamp=base_timestamp)[:HEADER_SIZE_BYTES] + section
    struct.pack_into(">i", made, LENGTH_AT, len(made) - LOG_OVERHEAD_BYTES)
    struct.pack_into(">h", made, ATTRIBUTES_AT, codec)
    struct.pack_into(">i", made, LAST_OFFSET_DELTA_AT, count - 1)
    struct.pack_into(">i", made, COUNT_AT, count)
    seal(made)
    return bytes(made)


def record(
    offset: int = 0,
    key: bytes = _NULL,
    value: bytes = b"\x02v",
    headers: bytes = b"\x00",
    length_off_by: int = 0,
    timestamp: bytes = b"\x00",
) -> bytes:
    body = b"\x00" + timestamp + bytes([offset << 1]) + key + value + headers
    return bytes([(len(body) + length_off_by) << 1]) + body


GOOD = record(0) + record(1) + record(2)

MALFORMED = {
    "three records said, none there": crafted(b"", 3),
    "three said, two there": crafted(record(0) + record(1), 3),
    "two said, three there": crafted(GOOD, 2),
    "bytes left over": crafted(GOOD + b"\x00", 3),
    "nothing but 0xff": crafted(b"\xff" * 60, 3),
    "nothing but zeros": crafted(bytes(60), 3),
    "plain text": crafted(b"this is no record at all, it is a sentence", 3),
    "a count of 2^31-1": crafted(GOOD, 2**31 - 1),
    "a length past the batch": crafted(record(0) + record(1) + record(2, length_off_by=1), 3),
    "a length below the fields": crafted(record(0, length_off_by=-1) + record(1) + record(2), 3),
    "a negative length": crafted(b"\x01" + record(0)[1:] + record(1) + record(2), 3),
    "a length that never ends": crafted(b"\xff\xff\xff\xff\xff\xff" + GOOD, 3),
    "a key past its record": crafted(record(0, key=b"\x7ek") + record(1) + record(2), 3),
    "a value past its record": crafted(record(0, value=b"\x7ev") + record(1) + record(2), 3),
    "a value into the next record": crafted(record(0, value=b"\x08v") + record(1) + record(2), 3),
    "a negative count of headers": crafted(record(0, headers=b"\x01") + record(1) + record(2), 3),
    "a thousand headers said": crafted(record(0, headers=b"\xd0\x0f") + record(1) + record(2), 3),
    "a header without a key": crafted(record(0, headers=b"\x02\x01\x02v") + record(1) + record(2), 3),
    "a header's key past its record": crafted(record(0, headers=b"\x02\x7ek\x02v") + record(1) + record(2), 3),
    "a header's value past its record": crafted(record(0, headers=b"\x02\x02k\x7ev") + record(1) + record(2), 3),
    "a timestamp that never ends": crafted(record(0, timestamp=b"\xff" * 11) + record(1) + record(2), 3),
}
