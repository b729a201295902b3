"""LZ4 frames as Java's client and librdkafka write them, opened block by block.

A frame begins with how it is made. Both clients always make it the same way: independent blocks of at most 64 KiB, no
checksums beside the batch's own. Such a frame needs none of what a reader of any frame sets up, which for a batch of
usual size takes longer than the blocks themselves: half the time in all, measured.
"""

from __future__ import annotations

import cramjam

Buffer = bytes | bytearray | memoryview

# The magic number, the two bytes that say how it is made, and their checksum.
PLAIN_HEAD = bytes.fromhex("04224d18604082")
BLOCK_SIZE_BYTES_MAX = 64 * 1024
# More than a batch of a megabyte has; a frame of thousands of tiny blocks is for whoever does not go through them here.
_BLOCKS_MAX = 64
_SIZE_BYTES = 4
_STORED_BIT = 1 << 31


def open_plain(frame: Buffer, size_bytes_max: int) -> bytes | None:
    """What the frame holds; None where it is made otherwise, is damaged, or holds more: a reader of any frame says
    which."""
    position, end = len(PLAIN_HEAD), len(frame)
    if frame[:position] != PLAIN_HEAD:
        return None
    room = bytearray(BLOCK_SIZE_BYTES_MAX)
    parts: list[bytes] = []
    left = size_bytes_max
    for _ in range(_BLOCKS_MAX):
        start = position + _SIZE_BYTES
        size = int.from_bytes(frame[position:start], "little")
        if not size:
            # Where the frame is cut here, its last four bytes are not all there.
            return b"".join(parts) if start == end else None
        position = start + (size & ~_STORED_BIT)
        if position > end or position - start > BLOCK_SIZE_BYTES_MAX:
            return None
        block = frame[start:position]
        if size & _STORED_BIT:
            parts.append(bytes(block))
        else:
            try:
                written = cramjam.lz4.decompress_block_into(block, room)
            except cramjam.DecompressionError:
                return None
            parts.append(bytes(memoryview(room)[:written]))
        left -= len(parts[-1])
        if left < 0:
            return None
    return None
