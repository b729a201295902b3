"""Bytes that the broker keeps in memory for a peer, and sums up over all connections: their sum is bounded.

Half-received requests, and answers that the peer does not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.node import Broker


class BufferedBytes:
    __slots__ = ("_broker", "size_bytes")

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self.size_bytes = 0

    def hold(self, size_bytes: int) -> bool:
        """That many from now on; whether all together hold no more than they may."""
        broker = self._broker
        broker.held_bytes += size_bytes - self.size_bytes
        self.size_bytes = size_bytes
        return broker.held_bytes <= broker.limits.held_size_bytes_max

    def release(self) -> None:
        self._broker.held_bytes -= self.size_bytes
        self.size_bytes = 0
