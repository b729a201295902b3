"""The bytes of the loads: payloads, and the v2 record batches that carry them, encoded once before the clock starts.

Payloads are JSON-like lines with a random identifier in each, so that a compressed load compresses about as well as
real events do and not like a run of zeroes. The encoder is the bench's own: neither broker's code decides what is sent.
"""

from __future__ import annotations

import random
import struct
import time
from functools import cache

import cramjam
import fastcrc

CODECS = {"none": 0, "lz4": 3}
_LZ4_HEAD, _LZ4_BLOCK = bytes.fromhex("04224d18604082"), 64 * 1024
HEADER_AFTER_CRC = struct.Struct(">hiqqqhii")  # attributes .. record count, the part the CRC covers


def payloads(count: int, size_bytes: int) -> list[bytes]:
    rng = random.Random(size_bytes)
    return [_payload(rng, number, size_bytes) for number in range(count)]


def _payload(rng: random.Random, number: int, size_bytes: int) -> bytes:
    line = b""
    while len(line) < size_bytes:
        line += b'{"event":"page_view","id":"%032x","user":%d,"ms":%d}' % (
            rng.getrandbits(128),
            rng.randrange(100_000),
            number,
        )
    return line[:size_bytes]


@cache
def batch_of(size_bytes: int, records: int, codec: str = "none") -> bytes:
    """One batch of `records` records whose values have `size_bytes` bytes each; no keys, no producer id."""
    body = b"".join(record(delta, value) for delta, value in enumerate(payloads(records, size_bytes)))
    now_ms = time.time_ns() // 1_000_000
    return framed(body, records, (now_ms, now_ms), codec)


def framed(body: bytes, records: int, timestamps_ms: tuple[int, int], codec: str = "none") -> bytes:
    """The batch of records that are encoded already; `timestamps_ms` are those of the first one and of the latest."""
    if codec == "lz4":
        body = _lz4(body)
    covered = HEADER_AFTER_CRC.pack(CODECS[codec], records - 1, *timestamps_ms, -1, -1, -1, records) + body
    crc = fastcrc.crc32.iscsi(covered)
    return struct.pack(">qiibI", 0, 9 + len(covered), -1, 2, crc) + covered


def record(offset_delta: int, value: bytes, key: bytes | None = None, timestamp_delta_ms: int = 0) -> bytes:
    head = b"\0" + _varint(timestamp_delta_ms) + _varint(offset_delta)
    head += _varint(-1) if key is None else _varint(len(key)) + key
    body = head + _varint(len(value)) + value + b"\0"
    return _varint(len(body)) + body


def _varint(number: int) -> bytes:
    folded = (number << 1) ^ (number >> 63)
    out = bytearray()
    while folded > 0x7F:
        out.append(folded & 0x7F | 0x80)
        folded >>= 7
    out.append(folded)
    return bytes(out)


def _lz4(data: bytes) -> bytes:
    """A frame as librdkafka and Java make it: independent blocks of 64 KiB, without checksums."""
    blocks = []
    for start in range(0, len(data), _LZ4_BLOCK):
        block = bytes(cramjam.lz4.compress_block(data[start : start + _LZ4_BLOCK], store_size=False))
        blocks += [len(block).to_bytes(4, "little"), block]
    return b"".join((_LZ4_HEAD, *blocks, bytes(4)))
