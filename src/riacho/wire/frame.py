"""Frames: a four-byte size, then that many bytes. Chunks from a socket go in, whole frames come out.

Every frame is a bytearray of its own, so its owner may write into it (a broker stamps offsets into a batch where it
lies) and keep views of it for as long as it likes.

A request that is not whole yet grows with the bytes that arrive, never by the size that it claims: a peer that
announces a hundred megabytes and sends nothing costs nothing. Once much of a large one has come, there is room for the
rest, or a few times as much as came: whoever reads from a socket reads into it, and the frame is never copied. The
size of an answer is believed, since it comes from a node that was chosen to be asked: there is room for all of it.
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
# Less is read together with the frames after it, and copied.
ROOM_SIZE_BYTES_MIN: Final = 32 * 1024
# Of one connection: many small answers in one read, and little to copy from the start of a large one.
_CHUNK_SIZE_BYTES: Final = 16 * 1024
# How many times as much as came: a megabyte after the first 64 KiB, as much as a network hands over at once.
_ROOM_TO_RECEIVED_MAX: Final = 16
# What clients of other protocols begin with, read as a size. A TLS record: handshake, version 3.0 to 3.4.
_TLS_HELLO_STARTS: Final = range(0x160300, 0x160305)
_HTTP_STARTS: Final = frozenset(int.from_bytes(word) for word in (b"GET ", b"HEAD", b"POST", b"PUT ", b"PRI "))


class FrameReader:
    """Not at the start of a frame, it holds either some of the four bytes of a size, or a size and part of the body."""

    __slots__ = ("_body", "_filled", "_head", "_missing", "_of_answers", "max_frame_bytes")

    def __init__(self, max_frame_bytes: int, of_answers: bool = False) -> None:
        # May be changed between frames: SASL allows less than what comes after it.
        self.max_frame_bytes = max_frame_bytes
        self._of_answers = of_answers
        self._head = b""
        self._body: bytearray | None = None
        # How much of the body has come; there may be room after it.
        self._filled = self._missing = 0

    @property
    def is_mid_frame(self) -> bool:
        """A frame has begun and is not whole: the peer owes bytes."""
        return self._body is not None or bool(self._head)

    @property
    def pending_bytes(self) -> int:
        """Bytes held for a frame that is not whole, its size and its room included."""
        return len(self._head) if self._body is None else _SIZE.size + len(self._body)

    def room(self, size_max: int) -> memoryview | None:
        """Where the next bytes of a large frame belong; None where they are to be fed. At most so much is made now."""
        body = self._body
        if body is None:
            return None
        filled = self._filled
        if filled == len(body):
            size = self._missing if self._of_answers else min(self._missing, filled * _ROOM_TO_RECEIVED_MAX, size_max)
            if size < ROOM_SIZE_BYTES_MIN:
                return None
            larger = bytearray(filled + size)
            larger[:filled] = body
            self._body = body = larger
        return memoryview(body)[filled:]

    def fill(self, size: int) -> bytearray | None:
        """So many bytes came into the room; the frame, if it is whole."""
        self._filled += size
        self._missing -= size
        if self._missing:
            return None
        frame = self._body
        self._body = None
        return frame

    def feed(self, data: Buffer) -> list[bytearray]:
        """The frames that `data` completes. A size out of bounds is a WireError, after which the stream is lost."""
        position = 0
        if self._body is not None:
            if self._filled < len(self._body):
                del self._body[self._filled :]
            if len(data) < self._missing:
                self._body += data
                self._filled += len(data)
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
            # An answer has a correlation id at least.
            if not (4 if self._of_answers else 0) <= size <= self.max_frame_bytes:
                raise WireError(_no_size(size, self.max_frame_bytes))
            position += 4
            stop = position + size
            if stop > end:
                self._body = bytearray(memoryview(data)[position:])
                self._filled, self._missing = end - position, stop - end
                return
            if size < _VIEW_SIZE_BYTES_MIN:
                frames.append(bytearray(data[position:stop]))
            else:
                frames.append(bytearray(memoryview(data)[position:stop]))
            position = stop
        if position < end:
            self._head = bytes(data[position:])


def _no_size(size: int, max_frame_bytes: int) -> str:
    """Why the first bytes of a frame are no size: mostly they are another protocol's, which is worth its name."""
    if size >> 8 in _TLS_HELLO_STARTS:
        return "a TLS handshake, where Kafka's protocol is expected in the clear"
    if size in _HTTP_STARTS:
        return "an HTTP request, where Kafka's protocol is expected"
    return f"a frame of {size} bytes, of at most {max_frame_bytes}"


class AnswerReader:
    """A socket's bytes read to where they can stay, as the frames of answers."""

    __slots__ = ("_chunk", "_fills_frame", "_frames")

    def __init__(self, max_frame_bytes: int) -> None:
        self._frames = FrameReader(max_frame_bytes, of_answers=True)
        self._chunk = memoryview(bytearray(_CHUNK_SIZE_BYTES))
        self._fills_frame = False

    def buffer(self) -> memoryview:
        """Where to read the next bytes to."""
        room = self._frames.room(0)
        self._fills_frame = room is not None
        return self._chunk if room is None else room

    def filled(self, size: int) -> list[bytearray]:
        """The frames that so many bytes in that buffer complete; WireError."""
        if not self._fills_frame:
            return self._frames.feed(self._chunk[:size])
        frame = self._frames.fill(size)
        return [] if frame is None else [frame]

    def drop(self) -> None:
        """Forget an answer that will never be whole."""
        self._frames = FrameReader(0)
