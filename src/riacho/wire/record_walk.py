"""A batch's records seen one after the other without being taken out: are they whole, and what do they say together?

This is what a leader needs of the records that a client produced. Each record's length tells where the next one is, so
there is no way but to go through them, for every record that is ever written: one loop over plain bytes and small
numbers, with the varints of one and two bytes inlined. It is made for being compiled; as it stands it runs too, more
slowly.

The walk stops after as many records as its caller says, so that whoever walks far can let others run in between. It
need not be given all bytes at once: at a record that is not all there it stops, too, and goes on in a window that
begins there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from riacho.wire.varint import decode_varlong, unsigned_32

if TYPE_CHECKING:
    # Never imported: to the compiler a machine word, to the interpreter an annotation.
    from mypy_extensions import i64

# Length, attributes, both deltas, the lengths of key and value, the count of headers: a byte each at least.
RECORD_SIZE_BYTES_MIN: Final = 7
DELTA_MIN: Final = -(1 << 63)
DELTA_MAX: Final = (1 << 63) - 1
# Of a record's length, at most.
_LENGTH_SIZE_BYTES: Final = 5


class RecordWalk:
    """ValueError or IndexError where the bytes are not exactly `count` whole records.

    A suspect is a record out of its place in the batch, one whose timestamp lies outside of the given range and is not
    `timestamp_delta_none` (which says that it has none), or, with `needs_keys`, one without a key.
    """

    def __init__(
        self,
        data: bytes,
        count: int,
        timestamp_delta_from: int = DELTA_MIN,
        timestamp_delta_to: int = DELTA_MAX,
        timestamp_delta_none: int = DELTA_MIN,
        needs_keys: bool = False,
        is_last: bool = True,
    ) -> None:
        if is_last and count * RECORD_SIZE_BYTES_MIN > len(data):
            raise ValueError(f"{count} records in {len(data)} bytes")
        self._data = data
        self._is_last = is_last
        self._count: i64 = count
        self._from: i64 = timestamp_delta_from
        self._to: i64 = timestamp_delta_to
        self._none: i64 = timestamp_delta_none
        self._needs_keys = needs_keys
        self._index: i64 = 0
        self._position: i64 = 0
        self.timestamp_delta_max: i64 = DELTA_MIN
        # Whether the rest of the records is to be seen in the next window; what of this one it has to begin with, and
        # how large it has to be at least.
        self.is_short = False
        self.kept_size_bytes: i64 = 0
        self.size_bytes_min: i64 = 0
        # The first one; -1 while there is none.
        self.suspect: i64 = -1
        # Of the record that was seen last.
        self.timestamp_delta: i64 = 0
        self.offset_delta: i64 = 0
        self.has_key = False
        # Whether that is the one that was sought.
        self.is_found = False

    def go_on_in(self, data: bytes, is_last: bool) -> None:
        """See the next records, which begin where `data` does."""
        self._data, self._is_last = data, is_last
        self._position = 0
        self.is_short = False

    def step(self, records_max: int, sought_timestamp: int = DELTA_MAX, sought_offset: int = DELTA_MAX) -> bool:
        """Walk over so many records more; whether these were the last. It stops where both deltas of a record are not
        below what is sought, and where it is short of bytes."""
        data = self._data
        data_end: i64 = len(data)
        is_last = self._is_last
        # From where on a record's length may be cut.
        limit: i64 = data_end if is_last else data_end - _LENGTH_SIZE_BYTES
        position: i64 = self._position
        index: i64 = self._index
        stop: i64 = self._count
        if stop - index > records_max:
            stop = index + records_max
        earliest: i64 = self._from
        latest: i64 = self._to
        none: i64 = self._none
        needs_keys = self._needs_keys
        timestamp: i64 = sought_timestamp
        sought: i64 = sought_offset
        largest: i64 = self.timestamp_delta_max
        start: i64
        n: i64
        more: i64
        end: i64
        delta: i64 = self.timestamp_delta
        offset: i64 = self.offset_delta
        has_key = self.has_key
        while index < stop:
            start = position
            if position > limit:
                self._run_short(data_end - start, 0)
                break
            n = data[position]
            position += 1
            if n > 0x7F:
                more = data[position]
                if more < 0x80:
                    position += 1
                    n += (more << 7) - 0x80
                else:
                    n, position = unsigned_32(data, position - 1)
            end = position + (n >> 1)
            if n & 1 or end > data_end:
                if n & 1 or is_last:
                    raise ValueError("a record runs past the batch")
                self._run_short(data_end - start, end - start)
                position = start
                break
            # Its attributes mean nothing as yet.
            position += 1
            n = data[position]
            position += 1
            if n > 0x7F:
                more = data[position]
                if more < 0x80:
                    position += 1
                    n += (more << 7) - 0x80
                    delta = n >> 1 ^ -(n & 1)
                else:
                    delta, position = decode_varlong(data, position - 1)
            else:
                delta = n >> 1 ^ -(n & 1)
            if delta > largest:
                largest = delta
            n = data[position]
            position += 1
            if n > 0x7F:
                more = data[position]
                if more < 0x80:
                    position += 1
                    n += (more << 7) - 0x80
                else:
                    n, position = unsigned_32(data, position - 1)
            offset = n >> 1 ^ -(n & 1)
            n = data[position]
            position += 1
            if n > 0x7F:
                more = data[position]
                if more < 0x80:
                    position += 1
                    n += (more << 7) - 0x80
                else:
                    n, position = unsigned_32(data, position - 1)
            has_key = n & 1 == 0
            if has_key:
                position += n >> 1
                if position >= end:
                    raise ValueError("a key runs past its record")
            if (
                offset != index
                or (needs_keys and not has_key)
                or ((delta > latest or delta < earliest) and delta != none)
            ) and self.suspect < 0:
                self.suspect = index
            n = data[position]
            position += 1
            if n > 0x7F:
                more = data[position]
                if more < 0x80:
                    position += 1
                    n += (more << 7) - 0x80
                else:
                    n, position = unsigned_32(data, position - 1)
            if n & 1 == 0:
                position += n >> 1
            if position >= end:
                raise ValueError("a value runs past its record")
            if data[position]:
                position = _skip_headers(data, position, end)
            else:
                position += 1
            if position != end:
                raise ValueError("a record's size is not that of its fields")
            index += 1
            if offset >= sought and delta >= timestamp:
                self.is_found = True
                break
        self._position, self._index = position, index
        self.timestamp_delta_max, self.timestamp_delta = largest, delta
        self.offset_delta, self.has_key = offset, has_key
        if index < self._count:
            return False
        if not is_last:
            self._run_short(data_end - position, 0)
            return False
        if position != data_end:
            raise ValueError(f"bytes left after {self._count} records")
        return True

    def _run_short(self, kept_size_bytes: i64, size_bytes_min: i64) -> None:
        self.is_short = True
        self.kept_size_bytes, self.size_bytes_min = kept_size_bytes, size_bytes_min


def _skip_headers(data: bytes, start: i64, end: i64) -> i64:
    position: i64 = start
    n: i64
    count: i64
    count, position = unsigned_32(data, position)
    if count & 1 or count >> 1 > end - position:
        raise ValueError("a count of headers that cannot be")
    count >>= 1
    while count > 0:
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        position += n >> 1
        if n & 1 or position >= end:
            raise ValueError("a header's key runs past its record")
        n = data[position]
        position += 1
        if n > 0x7F:
            n, position = unsigned_32(data, position - 1)
        if not n & 1:
            position += n >> 1
        if position > end:
            raise ValueError("a header's value runs past its record")
        count -= 1
    return position
