"""A connection of the simulated network: two transports of asyncio's shape, and a pipe for each direction.

A pipe keeps what was sent in order, as TCP does, and delivers each piece after a delay of its own. While the link is
cut it holds everything back; when that lasts too long the sender gives up, as a real one does after its
retransmissions, and the other side hears of it once the link is whole again. A receiver that does not read leaves the
bytes in the pipe, and a sender with too much in it is told to pause.
"""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from contextvars import Context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.simulated_network import SimulatedNetwork

# What the two sockets' buffers hold before a writer has anything left over.
_WINDOW_SIZE_BYTES = 256 * 1024
_HIGH_SIZE_BYTES, _LOW_SIZE_BYTES = 64 * 1024, 16 * 1024
_GIVE_UP_US = (8_000_000, 40_000_000)
_RETRANSMISSION_US_MAX = 800_000
_SPLIT_ONE_IN = 40
_FIN, _RST = "FIN", "RST"


class Pipe:
    def __init__(self, network: SimulatedNetwork, sender: SimulatedTransport, receiver: SimulatedTransport) -> None:
        self._network = network
        self._sender = sender
        self._receiver = receiver
        self._queue: deque[tuple[int, bytes | str]] = deque()
        self._last_us = 0
        self._timer: asyncio.TimerHandle | None = None
        self.size_bytes = 0
        self.link = (sender.own[0], receiver.own[0])

    def send(self, data: bytes) -> None:
        self.size_bytes += len(data)
        if len(data) > 1 and self._network.chance(_SPLIT_ONE_IN):
            # A stream has no messages: a reader may get any part of what was written first.
            at = self._network.rng.randrange(1, len(data))
            self._put(data[:at], len(data))
            self._put(data[at:], len(data))
        else:
            self._put(data, len(data))

    def end(self, how: str) -> None:
        self._put(how, 0)

    def drop(self) -> None:
        self._queue.clear()
        self.size_bytes = 0

    def _put(self, item: bytes | str, size_bytes: int) -> None:
        network = self._network
        at_us = network.loop.now_us + network.delay_us(self.link, size_bytes)
        self._last_us = at_us = max(at_us, self._last_us)
        self._queue.append((at_us, item))
        if self._timer is None:
            self._schedule(at_us)

    def _schedule(self, at_us: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._network.loop.at_us(at_us, self._arrive, context=self._network.context)

    def _arrive(self) -> None:
        self._timer = None
        network, receiver = self._network, self._receiver
        while self._queue:
            at_us, item = self._queue[0]
            if at_us > network.loop.now_us:
                self._schedule(at_us)
                return
            if network.is_cut(self.link):
                network.stall(self)
                return
            if receiver.is_paused and item is not _RST:
                return
            self._queue.popleft()
            if isinstance(item, bytes):
                self.size_bytes -= len(item)
                network.delivered(self.link, item)
            receiver.receive(item)
            self._sender.drained()

    def wake(self) -> None:
        """The receiver reads again."""
        if self._timer is None and self._queue:
            self._schedule(self._network.loop.now_us)

    def healed(self) -> None:
        """The next retransmission gets through."""
        self._schedule(self._network.loop.now_us + self._network.rng.randrange(_RETRANSMISSION_US_MAX))

    def give_up_us(self) -> int:
        return self._network.loop.now_us + self._network.rng.randrange(*_GIVE_UP_US)

    def give_up(self) -> None:
        """Too long without an acknowledgement."""
        self.drop()
        self._queue.append((self._network.loop.now_us, _RST))
        self._sender.lose(TimeoutError(errno.ETIMEDOUT, "connection timed out"))


class SimulatedTransport(asyncio.Transport):
    def __init__(
        self, network: SimulatedNetwork, own: tuple[str, int], remote: tuple[str, int], context: Context
    ) -> None:
        super().__init__({"peername": remote, "sockname": own, "socket": None})
        self.own = own
        self.is_paused = False
        # Its process is gone: nobody is there to be called.
        self.is_dead = False
        self._network = network
        self._context = context
        self._protocol: Any = None
        self._closing = False
        self._is_lost = False
        self._is_write_paused = False
        self._limits = _LOW_SIZE_BYTES, _HIGH_SIZE_BYTES
        self.outgoing: Pipe
        self.incoming: Pipe

    def open(self, protocol: Any) -> None:
        self._protocol = protocol
        protocol.connection_made(self)

    # --- asyncio.Transport

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return not self.is_paused and not self._closing

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        if self.is_paused:
            self.is_paused = False
            self.incoming.wake()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._closing or not data:
            return
        self.outgoing.send(bytes(data))
        if not self._is_write_paused and self.get_write_buffer_size() > self._limits[1]:
            self._is_write_paused = True
            self._protocol.pause_writing()

    def get_write_buffer_size(self) -> int:
        return max(0, self.outgoing.size_bytes - _WINDOW_SIZE_BYTES)

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._limits

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        top = _HIGH_SIZE_BYTES if high is None else high
        self._limits = (top // 4 if low is None else low), top

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        if not self._closing:
            self.outgoing.end(_FIN)
            self.lose(None)

    def abort(self) -> None:
        if not self._closing:
            if self._network.chance(2):
                self.outgoing.drop()
            self.outgoing.end(_RST)
            self.lose(None)

    # --- the network's side

    def receive(self, item: bytes | str) -> None:
        if self.is_dead:
            # The machine lives and knows no such connection.
            if item is not _RST:
                self.outgoing.end(_RST)
            self.is_dead = False
            self._closing = True
        elif not self._closing:
            self._context.run(self._hand_over, item)

    def _hand_over(self, item: bytes | str) -> None:
        if item is _RST:
            self.lose(ConnectionResetError(errno.ECONNRESET, "connection reset by peer"))
        elif item is _FIN:
            if not self._protocol.eof_received():
                self.close()
        elif isinstance(self._protocol, asyncio.BufferedProtocol):
            self._fill(memoryview(item))  # type: ignore[arg-type]
        else:
            self._protocol.data_received(item)

    def _fill(self, data: memoryview) -> None:
        while data and not self._closing:
            buffer = self._protocol.get_buffer(len(data))
            size_bytes = min(len(buffer), len(data))
            buffer[:size_bytes] = data[:size_bytes]
            self._protocol.buffer_updated(size_bytes)
            data = data[size_bytes:]

    def drained(self) -> None:
        if self._is_write_paused and not self._closing and self.get_write_buffer_size() <= self._limits[0]:
            self._is_write_paused = False
            self._context.run(self._protocol.resume_writing)

    def lose(self, error: Exception | None) -> None:
        self._closing = True
        if not self._is_lost and not self.is_dead:
            self._is_lost = True
            self._network.forget(self)
            if self._protocol is not None:
                self._network.loop.call_soon(self._protocol.connection_lost, error, context=self._context)

    def die(self, *, silently: bool) -> None:
        """With its process. The system says good-bye for it, unless the machine died too."""
        self.is_dead = True
        self._network.forget(self)
        if not silently and not self._closing:
            self.outgoing.end(_RST)
