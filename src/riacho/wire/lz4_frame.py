"""LZ4 frames as Java's client and librdkafka write them, opened block by block.

A frame begins with how it is made. Both clients always make it the same way: independent blocks of at most 64 KiB, no
checksums beside the batch's own. Such a frame needs none of what a reader of any frame sets up, which for a batch of
usual size takes longer than the blocks themselves: half the time in all, measured. And whoever goes through the records
in order needs no more than a block of them at a time: memory for all of them costs more than unpacking them does.
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


class NotPlainError(Exception):
    """It is made otherwise, is damaged, or holds more than it may: a reader of any frame says which."""


class PlainFrame:
    """What a frame holds, in windows: each begins with the end of the one before it."""

    __slots__ = ("_blocks_left", "_frame", "_position", "_room", "_size", "_size_left", "_window", "is_last")

    def __init__(self, frame: Buffer, size_bytes_max: int) -> None:
        self._frame = frame
        self._position = len(PLAIN_HEAD)
        self._size_left = size_bytes_max
        self._blocks_left = _BLOCKS_MAX
        self._room = memoryview(bytearray(BLOCK_SIZE_BYTES_MAX))
        self._window = b""
        if frame[: self._position] != PLAIN_HEAD:
            raise NotPlainError
        self._size = self._read_size()
        # Whether the last window reached the end.
        self.is_last = not self._size

    def after(self, kept_size_bytes: int, size_bytes_min: int = 0) -> bytes:
        """The last so many bytes of the window before, and what follows: a block, and more up to a wanted size."""
        window, room = self._window, self._room
        kept = window[len(window) - kept_size_bytes :]
        if self.is_last:
            self._window = kept
        elif kept_size_bytes <= BLOCK_SIZE_BYTES_MAX and size_bytes_min <= BLOCK_SIZE_BYTES_MAX:
            if kept_size_bytes and len(room) == BLOCK_SIZE_BYTES_MAX:
                # From the second block on, which most frames do not have.
                room = self._room = memoryview(bytearray(2 * BLOCK_SIZE_BYTES_MAX))
            room[:kept_size_bytes] = kept
            written = self._unpack(room[kept_size_bytes : kept_size_bytes + BLOCK_SIZE_BYTES_MAX])
            self._window = bytes(room[: kept_size_bytes + written])
        else:
            parts, size_bytes = [kept], kept_size_bytes
            while not self.is_last and (len(parts) == 1 or size_bytes < size_bytes_min):
                written = self._unpack(room[:BLOCK_SIZE_BYTES_MAX])
                parts.append(bytes(room[:written]))
                size_bytes += written
            self._window = b"".join(parts)
        return self._window

    def _unpack(self, into: memoryview) -> int:
        frame, size = self._frame, self._size
        start = self._position
        end = self._position = start + (size & ~_STORED_BIT)
        self._blocks_left -= 1
        if end > len(frame) or end - start > BLOCK_SIZE_BYTES_MAX or not self._blocks_left:
            raise NotPlainError
        if size & _STORED_BIT:
            written = end - start
            into[:written] = frame[start:end]
        else:
            try:
                written = cramjam.lz4.decompress_block_into(frame[start:end], into)
            except cramjam.DecompressionError:
                raise NotPlainError from None
        self._size_left -= written
        if self._size_left < 0:
            raise NotPlainError
        self._size = self._read_size()
        self.is_last = not self._size
        return written

    def _read_size(self) -> int:
        """Of the next block; 0 where the frame ends, and is whole."""
        start = self._position
        self._position = start + _SIZE_BYTES
        size = int.from_bytes(self._frame[start : self._position], "little")
        # Where the frame is cut here, its last four bytes are not all there.
        if not size and self._position != len(self._frame):
            raise NotPlainError
        return size


def open_plain(frame: Buffer, size_bytes_max: int) -> bytes | None:
    """All that the frame holds; None where it is not plain."""
    try:
        return PlainFrame(frame, size_bytes_max).after(0, size_bytes_max + 1)
    except NotPlainError:
        return None
