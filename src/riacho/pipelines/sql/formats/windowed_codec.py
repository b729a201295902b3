"""Keys with a window, as Kafka Streams serialises them: the bounds behind the key's own bytes, big-endian.

A time window (TUMBLING, HOPPING) has its start, eight bytes: its size is known to whoever reads. A session has its end
and its start, sixteen. Their bounds are the columns WINDOWSTART and WINDOWEND of the row.
"""

from __future__ import annotations

import struct

from riacho.pipelines.sql.formats.codec import Codec, CodecError, Row

WINDOW_START, WINDOW_END = "WINDOWSTART", "WINDOWEND"
_LONG_MAX = (1 << 63) - 1
_start = struct.Struct(">q")
_end_and_start = struct.Struct(">qq")


class TimeWindowedCodec:
    """`size_ms` None: nobody said, and as Kafka Streams has it the window never ends."""

    def __init__(self, inner: Codec, size_ms: int | None) -> None:
        self._inner = inner
        self._size_ms = size_ms

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        if len(payload) < _start.size:
            raise CodecError("The key is too short to end with the start of a window")
        (start_ms,) = _start.unpack_from(payload, len(payload) - _start.size)
        end_ms = _LONG_MAX if self._size_ms is None else min(start_ms + self._size_ms, _LONG_MAX)
        return _with_bounds(self._inner.decode(payload[: -_start.size]), start_ms, end_ms)

    def encode(self, row: Row | None) -> bytes | None:
        if row is None:
            return None
        return (self._inner.encode(row) or b"") + _packed(_start, row, WINDOW_START)


class SessionWindowedCodec:
    def __init__(self, inner: Codec) -> None:
        self._inner = inner

    def decode(self, payload: bytes | None) -> Row | None:
        if payload is None:
            return None
        if len(payload) < _end_and_start.size:
            raise CodecError("The key is too short to end with the bounds of a session")
        end_ms, start_ms = _end_and_start.unpack_from(payload, len(payload) - _end_and_start.size)
        return _with_bounds(self._inner.decode(payload[: -_end_and_start.size]), start_ms, end_ms)

    def encode(self, row: Row | None) -> bytes | None:
        if row is None:
            return None
        return (self._inner.encode(row) or b"") + _packed(_end_and_start, row, WINDOW_END, WINDOW_START)


def _with_bounds(row: Row | None, start_ms: int, end_ms: int) -> Row:
    return {**(row or {}), WINDOW_START: start_ms, WINDOW_END: end_ms}


def _packed(form: struct.Struct, row: Row, *names: str) -> bytes:
    try:
        return form.pack(*(row[name] for name in names))
    except (KeyError, struct.error):
        raise CodecError("A windowed key needs the bounds of its window, WINDOWSTART and WINDOWEND") from None
