"""Cuts what comes on a connection into frames, and refuses those that the library h2 would put up with for too long.

h2 looks at a frame's length when the frame is whole (up to 16 MB), at the size of a header block when it is whole (64
frames), and answers any number of PING and SETTINGS. Here the nine bytes in front of each frame are enough:

    a frame larger than was agreed                   FRAME_SIZE_ERROR, before its payload is waited for
    a header block larger than heads may be          ENHANCE_YOUR_CALM (CONTINUATION flood, CVE-2024-27316)
    streams that are opened and reset, again and again  the same (rapid reset, CVE-2023-44487)
    PING, SETTINGS, PRIORITY, empty DATA and the like   the same (CVE-2019-9512, 9515, 9518)

At most so many frames are handed on at a time, so that one caller's do not hold up the others. GOAWAY is kept from h2,
which would send nothing more after it, while the caller still waits for the answers to what it had asked.
"""

from __future__ import annotations

from h2.errors import ErrorCodes

from riacho.web.http2.allowance import Allowance
from riacho.web.upgrade import PREFACE

FRAME_BYTES_MAX = 16_384
_HEAD_BYTES = 9
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _GOAWAY, _CONTINUATION = 0, 1, 3, 4, 7, 9
_END_STREAM, _END_HEADERS = 0x1, 0x4
_SETTING_BYTES = 6
# What nghttp2 allows: a page that is left cancels some hundred requests at once.
_RESETS = (1000, 33.0)
_SMALL_FRAMES = (1000, 100.0)
# A request may bring a PRIORITY and a WINDOW_UPDATE along; DATA that was sent, a WINDOW_UPDATE for the stream and one
# for the connection.
_EARNED = 2


class FrameError(Exception):
    """The connection is to end, with this code."""

    def __init__(self, code: ErrorCodes, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class FrameCutter:
    """`is_more`: whole frames may be left for the next turn. `is_in_block`: the head of a request is not yet whole.
    `is_leaving`: the caller has said that it will ask for nothing more."""

    def __init__(self, block_bytes_max: int, now_s: float) -> None:
        self.is_more = False
        self.is_in_block = False
        self.is_leaving = False
        self._block_bytes_max = block_bytes_max
        self._block_bytes = 0
        self._resets = Allowance(*_RESETS, now_s)
        self._small_frames = Allowance(*_SMALL_FRAMES, now_s)
        self._data = bytearray()
        self._is_begun = False

    def __len__(self) -> int:
        """Bytes that wait for the rest of their frame, or for their turn."""
        return len(self._data)

    def feed(self, data: bytes) -> None:
        self._data += data

    def take(self, frames_max: int, now_s: float) -> bytes:
        """Whole frames, no more than `frames_max`, and the preface in front of the first; FrameError."""
        data = self._data
        self.is_more = False
        at = 0
        if not self._is_begun:
            if not self._begin():
                return b""
            at = len(PREFACE)
        for _ in range(frames_max):
            if len(data) - at < _HEAD_BYTES:
                break
            size = data[at] << 16 | data[at + 1] << 8 | data[at + 2]
            if size > FRAME_BYTES_MAX:
                raise FrameError(ErrorCodes.FRAME_SIZE_ERROR, "A frame is larger than was agreed.")
            end = at + _HEAD_BYTES + size
            if len(data) < end:
                break
            kind = data[at + 3]
            self._admit(kind, data[at + 4], size, now_s)
            if kind == _GOAWAY:
                del data[at:end]
            else:
                at = end
        else:
            self.is_more = len(data) > at
        taken = bytes(data[:at])
        del data[:at]
        return taken

    def spend_reset(self, now_s: float) -> None:
        """A stream ended by no fault of ours before its answer did; FrameError when that happens too often."""
        if not self._resets.spend(1, now_s):
            raise FrameError(ErrorCodes.ENHANCE_YOUR_CALM, "Too many streams were reset.")

    def earn(self) -> None:
        """A frame of data was sent."""
        self._small_frames.earn(_EARNED)

    def _begin(self) -> bool:
        if not PREFACE.startswith(self._data[: len(PREFACE)]):
            raise FrameError(ErrorCodes.PROTOCOL_ERROR, "The connection does not begin as HTTP/2 does.")
        self._is_begun = len(self._data) >= len(PREFACE)
        return self._is_begun

    def _admit(self, kind: int, flags: int, size: int, now_s: float) -> None:
        if kind == _HEADERS:
            self._block_bytes = 0
            self._small_frames.earn(_EARNED)
            self._count_block(flags, size)
        elif kind == _DATA:
            if size == 0 and not flags & _END_STREAM:
                self._spend(1, now_s)
        elif kind == _CONTINUATION:
            self._spend(1, now_s)
            self._count_block(flags, size)
        elif kind == _RST_STREAM:
            self.spend_reset(now_s)
        elif kind == _SETTINGS:
            self._spend(1 + size // _SETTING_BYTES, now_s)
        else:
            self.is_leaving |= kind == _GOAWAY
            self._spend(1, now_s)

    def _count_block(self, flags: int, size: int) -> None:
        self._block_bytes += size
        self.is_in_block = not flags & _END_HEADERS
        if self._block_bytes > self._block_bytes_max:
            raise FrameError(ErrorCodes.ENHANCE_YOUR_CALM, "The head of a request is too large.")

    def _spend(self, count: int, now_s: float) -> None:
        if not self._small_frames.spend(count, now_s):
            raise FrameError(ErrorCodes.ENHANCE_YOUR_CALM, "Too many frames that carry nothing.")
