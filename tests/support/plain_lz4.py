"""LZ4 frames as Java's client and librdkafka make them: independent blocks of 64 KiB, no checksums."""

from __future__ import annotations

import cramjam

from riacho.wire.lz4_frame import BLOCK_SIZE_BYTES_MAX, PLAIN_HEAD


def plain_lz4(data: bytes, *, is_stored: bool = False, size_bytes: int = BLOCK_SIZE_BYTES_MAX) -> bytes:
    starts = range(0, len(data), size_bytes)
    blocks = (_block(data[start : start + size_bytes], is_stored=is_stored) for start in starts)
    return PLAIN_HEAD + b"".join(blocks) + bytes(4)


def _block(data: bytes, *, is_stored: bool) -> bytes:
    packed = data if is_stored else bytes(cramjam.lz4.compress_block(data, store_size=False))
    return (len(packed) | is_stored << 31).to_bytes(4, "little") + packed
