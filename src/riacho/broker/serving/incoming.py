"""What comes in on a connection: bytes read to where they can stay, and the frames that they make.

A loop reads one socket at a time, so all connections of a broker read into one chunk, from which frames are cut. Large
frames have room of their own and are read into that. What is held of frames that are not whole is counted and bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.buffered_bytes import BufferedBytes
from riacho.wire.frame import FrameReader

if TYPE_CHECKING:
    from riacho.broker.requests.memory_pool import MemoryPool
    from riacho.wire.schema import Buffer


class TooMuchHeldError(Exception):
    """Requests that are not whole hold more memory than all of them may."""


class Incoming:
    __slots__ = ("_chunk", "_fills_frame", "_frames", "_held", "_memory")

    def __init__(self, memory: MemoryPool, frame_size_bytes_max: int) -> None:
        self._chunk = memory.chunk
        self._memory = memory
        self._frames = FrameReader(frame_size_bytes_max)
        self._held = BufferedBytes(memory)
        self._fills_frame = False

    def buffer(self) -> memoryview:
        """Where to read the next bytes to."""
        frames = self._frames
        self._fills_frame = False
        if not frames.is_mid_frame:
            return self._chunk
        memory = self._memory
        room = frames.room(memory.size_bytes_max - memory.held_bytes)
        if room is None:
            return self._chunk
        self._fills_frame = True
        self._held.hold(frames.pending_bytes)
        return room

    def filled(self, size_bytes: int) -> list[bytearray]:
        """The frames that so many bytes in that buffer complete. WireError, TooMuchHeldError."""
        if not self._fills_frame:
            return self.feed(self._chunk[:size_bytes])
        frame = self._frames.fill(size_bytes)
        if frame is None:
            return []
        self._held.release()
        return [frame]

    def feed(self, data: Buffer) -> list[bytearray]:
        """The frames that these bytes complete."""
        frames = self._frames.feed(data)
        held_bytes = self._frames.pending_bytes
        if held_bytes != self._held.size_bytes and not self._held.hold(held_bytes):
            raise TooMuchHeldError("half-received requests hold too much memory")
        return frames

    def limit(self, size_bytes_max: int) -> None:
        """From the next frame on: those who have not logged in yet may send less at a time."""
        self._frames.max_frame_bytes = size_bytes_max

    def drop(self) -> None:
        self._frames = FrameReader(0)
        self._held.release()
