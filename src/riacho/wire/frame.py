"""Frames: a four-byte size, then that many bytes. Chunks from a socket go in, whole frames come out.

Every frame is a bytearray of its own, so its owner may write into it (a broker stamps offsets into a batch where it
lies) and keep views of it for as long as it likes.

A frame that is not whole yet grows with the bytes that arrive, never by the size that it claims: a peer that announces
a hundred megabytes and sends nothing costs nothing.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from riacho.wire.primitives import WireError
from riacho.wire.schema import Buffer

_SIZE: Final = Struct(">i")
_read_size = _SIZE.unpack_from
# A short frame is cut faster by a slice of its own, a long one by a view: the slice would be copied twice.
_VIEW_SIZE_BYTES_MIN: Final = 1024


class FrameReader:
    """Not at the start of a frame, it holds either some of the four bytes of a size, or a size and part of the body."""

    __slots__ = ("_body", "_head", "_missing", "max_frame_bytes")

    def __init__(self, max_frame_bytes: int) -> None:
        # May be changed between frames: SASL allows less than what comes after it.
        self.max_frame_bytes = max_frame_bytes
        self._head = b""
        self._body: bytearray | None = None
        self._missing = 0

    @property
    def is_mid_frame(self) -> bool:
        """A frame has begun and is not whole: the peer owes bytes."""
        return self._body is not None or bool(self._head)

    @property
    def pending_bytes(self) -> int:
        """Bytes held of a frame that is not whole, its size included."""
        return len(self._head) if self._body is None else _SIZE.size + len(self._body)

    def feed(self, data: Buffer) -> list[bytearray]:
        """The frames that `data` completes. A size out of bounds is a WireError, after which the stream is lost."""
        position = 0
        if self._body is not None:
            if len(data) < self._missing:
                self._body += data
                self._missing -= len(data)
                return []
            position = self._missing
            self._body += data if len(data) == position else memoryview(data)[:position]
            frames = [self._body]
            self._body = None
        else:
            frames = []
            if self._head:
                data = self._head + data
                self._head = b""
        self._cut(data, position, frames)
        return frames

    def _cut(self, data: Buffer, position: int, frames: list[bytearray]) -> None:
        """Cut whole frames from `position` on; what is left over begins the next one."""
        end = len(data)
        while end - position >= 4:
            (size,) = _read_size(data, position)
            if not 0 <= size <= self.max_frame_bytes:
                raise WireError(f"a frame of {size} bytes, of at most {self.max_frame_bytes}")
            position += 4
            stop = position + size
            if stop > end:
                self._body = bytearray(memoryview(data)[position:])
                self._missing = stop - end
                return
            if size < _VIEW_SIZE_BYTES_MIN:
                frames.append(bytearray(data[position:stop]))
            else:
                frames.append(bytearray(memoryview(data)[position:stop]))
            position = stop
        if position < end:
            self._head = bytes(data[position:])
