"""The memory that is held for peers, summed up over all connections and bounded (`queued.max.request.bytes`)."""

from __future__ import annotations

CHUNK_SIZE_BYTES = 256 * 1024


class MemoryPool:
    """Bytes of half-received requests, of large ones until they are served, and of answers that nobody reads."""

    __slots__ = ("chunk", "held_bytes", "size_bytes_max")

    def __init__(self, size_bytes_max: int) -> None:
        self.size_bytes_max = size_bytes_max
        self.held_bytes = 0
        # What connections read into: a loop reads one socket at a time.
        self.chunk = memoryview(bytearray(CHUNK_SIZE_BYTES))
