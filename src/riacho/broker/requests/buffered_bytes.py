"""Bytes that the broker keeps in memory for one peer, counted in the pool of all.

Half-received requests, and answers that the peer does not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.requests.memory_pool import MemoryPool


class BufferedBytes:
    __slots__ = ("_pool", "size_bytes")

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool
        self.size_bytes = 0

    def hold(self, size_bytes: int) -> bool:
        """That many from now on; whether all together hold no more than they may."""
        pool = self._pool
        pool.held_bytes += size_bytes - self.size_bytes
        self.size_bytes = size_bytes
        return pool.held_bytes <= pool.size_bytes_max

    def release(self) -> None:
        self._pool.held_bytes -= self.size_bytes
        self.size_bytes = 0
