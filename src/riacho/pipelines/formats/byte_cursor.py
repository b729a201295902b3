"""Reading a column of binary values from left to right, all rows at once: one position a row, moved by each read.

Formats such as Avro and Protobuf are read field by field, not row by row: `varint` reads one number of every row with a
few numpy operations, `blob` one run of bytes of every row. A row whose bytes end too early, or say something that
cannot be, is marked in `bad` and reads as zeros from there on; its neighbours never notice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from riacho.pipelines.formats.varint_columns import from_zigzag, read_unsigned

Numbers = np.ndarray[Any, np.dtype[Any]]

# Behind the last byte, so that numbers near the end are read inside the buffer; what lies past a row is not used.
_PADDING = bytes(16)
# With more kinds than these, sorting all is cheaper than a pass for each.
_KINDS_FEW = 8


class Cursor:
    """`pos` and `end` are places in `data`, one pair a row."""

    def __init__(self, data: Numbers, pos: Numbers, end: Numbers, bad: Numbers | None = None) -> None:
        self.data = data
        self.pos = pos
        self.end = end
        self.bad = np.zeros(len(pos), bool) if bad is None else bad

    @classmethod
    def of(cls, values: pa.Array) -> Cursor:
        """Over an Arrow binary column without nulls."""
        offsets, data = binary_parts(values)
        padded = np.frombuffer(data.tobytes() + _PADDING, np.uint8)
        return cls(padded, offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64))

    def __len__(self) -> int:
        return len(self.pos)

    def select(self, rows: Numbers) -> Cursor:
        """A cursor over some of the rows (their indexes), which `put_back` returns from."""
        return Cursor(self.data, self.pos[rows], self.end[rows], self.bad[rows])

    def put_back(self, rows: Numbers, other: Cursor) -> None:
        self.pos[rows] = other.pos
        self.bad[rows] |= other.bad

    def fail(self, rows: Numbers) -> None:
        """Rows (a mask) that cannot be read any further."""
        self.bad |= rows
        self.pos[rows] = self.end[rows]

    def varint(self) -> Numbers:
        """Seven bits a byte, the lowest first, as unsigned 64 bit numbers."""
        value, after, overlong = read_unsigned(self.data, self.pos)
        short = after > self.end
        short[overlong] = True
        self.pos = after
        if short.any():
            self.fail(short)
            value[short] = 0
        return value.view(np.uint64)

    def zigzag(self) -> Numbers:
        """Signed numbers as Avro and `sint` fields have them."""
        return from_zigzag(self.varint())

    def fixed(self, size: int, dtype: str) -> Numbers:
        """A number of `size` bytes, lowest first."""
        return self.matrix(size).view(dtype).reshape(len(self.pos))

    def matrix(self, size: int) -> Numbers:
        """`size` bytes of each row, as rows of a matrix."""
        short = self.pos + size > self.end
        if short.any():
            self.fail(short)
        start = np.minimum(self.pos, max(len(self.data) - size, 0))
        found = self.data[start[:, None] + np.arange(size)]
        self.pos = np.where(short, self.pos, self.pos + size)
        if short.any():
            found[short] = 0
        return np.ascontiguousarray(found)

    def span(self, lengths: Numbers) -> tuple[Numbers, Numbers]:
        """Where the next `lengths` bytes start, and how many there are: none where the row has fewer left."""
        wrong = (lengths < 0) | (lengths > self.end - self.pos)
        if wrong.any():
            self.fail(wrong)
            lengths = np.where(wrong, 0, lengths)
        start = self.pos
        self.pos = start + lengths
        return start, lengths

    def blob(self, lengths: Numbers) -> pa.Array:
        return gather(self.data, *self.span(lengths))


def distinct(values: Numbers) -> list[int]:
    """Which numbers there are, in order: many rows of a few kinds, which a pass for each kind finds fastest."""
    found: list[int] = []
    while len(values):
        if len(found) == _KINDS_FEW:
            return sorted([*found, *np.unique(values).tolist()])
        found.append(int(values[0]))
        values = values[values != values[0]]
    return sorted(found)


def binary_parts(values: pa.Array) -> tuple[Numbers, Numbers]:
    """Offsets and bytes of a binary or string column, the bytes cut to what the offsets need."""
    if not (pa.types.is_binary(values.type) or pa.types.is_string(values.type)):
        values = values.cast(pa.binary())
    _, offset_buffer, data_buffer = values.buffers()
    if offset_buffer is None or not len(values):
        return np.zeros(len(values) + 1, np.int32), np.zeros(0, np.uint8)
    offsets = np.frombuffer(offset_buffer, np.int32)[values.offset : values.offset + len(values) + 1]
    data = np.zeros(0, np.uint8) if data_buffer is None else np.frombuffer(data_buffer, np.uint8)
    return offsets - offsets[0], data[offsets[0] : offsets[-1]]


def binary_of(offsets: Numbers, data: Numbers) -> pa.Array:
    """A binary column of its parts."""
    ends = np.ascontiguousarray(offsets, np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def end_to_end(data: Numbers, lengths: Numbers) -> pa.Array:
    """A binary column of values that stand one behind the other."""
    return binary_of(_offsets(lengths), data)


def gather(data: Numbers, starts: Numbers, lengths: Numbers) -> pa.Array:
    """The given stretches of `data` as a binary column."""
    offsets = _offsets(lengths)
    index = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    return binary_of(offsets, data[index])


def _offsets(lengths: Numbers) -> Numbers:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def spread(values: pa.Array, rows: Numbers, count: int) -> pa.Array:
    """A column of `count` rows with `values` at `rows` and null elsewhere."""
    if len(rows) == count:
        return values
    index = np.full(count, -1, np.int64)
    index[rows] = np.arange(len(rows))
    return values.take(pa.array(index, mask=index < 0))


def as_text(values: pa.Array, cursor: Cursor, rows: Numbers | None = None) -> pa.Array:
    """A binary column as strings. Rows that are not UTF-8 are marked bad and become empty."""
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        texts = [value.decode("utf-8", "replace") for value in values.to_pylist()]
        wrong = np.array([text.encode() != value for text, value in zip(texts, values.to_pylist(), strict=True)], bool)
        cursor.bad[np.flatnonzero(wrong) if rows is None else rows[wrong]] = True
        return pa.array(texts, pa.string())
