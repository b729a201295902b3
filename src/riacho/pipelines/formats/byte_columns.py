"""Writing a column of binary values a field at a time: each piece is a binary column, and pieces are joined row by row.

It is the opposite of `byte_cursor`: numbers become columns of varints by numpy, and Arrow's own join puts pieces beside
each other. No row is ever touched by Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.byte_cursor import Numbers, binary_of, binary_parts, end_to_end
from riacho.pipelines.formats.varint_columns import Unsigned, write_varints, zigzag

_EMPTY = pa.scalar(b"", pa.binary())


def varints(values: Numbers) -> pa.Array:
    """Unsigned 64 bit numbers."""
    return varint_fields(len(values), [values.astype(np.uint64)])


def zigzags(values: Numbers) -> pa.Array:
    return varint_fields(len(values), [zigzag(values.astype(np.int64))])


def varint_fields(rows: int, parts: Sequence[Unsigned | int]) -> pa.Array:
    """One value a row: varints one after another, and where an int is given the same byte in every row."""
    return end_to_end(*write_varints(rows, parts))


def fixed(values: Numbers) -> pa.Array:
    """Numbers as they are in memory, lowest byte first."""
    little = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<")))
    size = little.dtype.itemsize
    return binary_of(np.arange(len(little) + 1) * size, little.view(np.uint8))


def cut(cells: Numbers, lengths: Numbers) -> pa.Array:
    """The first `lengths` bytes of each row of a matrix."""
    kept = cells[np.arange(cells.shape[1])[None, :] < lengths[:, None]]
    return end_to_end(kept, lengths)


def sized(values: pa.Array, signed: bool) -> pa.Array:
    """Each value behind its length."""
    offsets, _ = binary_parts(values)
    lengths = np.diff(offsets)
    return join(zigzags(lengths) if signed else varints(lengths), values)


def join(*pieces: pa.Array | pa.Scalar) -> pa.Array:
    """Pieces side by side; a scalar is the same in every row."""
    if len(pieces) == 1:
        return pieces[0]
    return pc.binary_join_element_wise(*pieces, _EMPTY, null_handling="replace", null_replacement=b"")


def only_where(keep: Numbers, values: pa.Array) -> pa.Array:
    """The values where `keep` is true, nothing (no bytes) elsewhere."""
    if keep.all():
        return values
    return pc.if_else(pa.array(keep), values, _EMPTY)


def together(items: pa.Array, offsets: Numbers) -> pa.Array:
    """Neighbouring items as one value each: item `offsets[i]` up to `offsets[i+1]` are row i."""
    ends, data = binary_parts(items)
    return binary_of(ends[offsets], data)


def decimal_bytes(values: pa.Array) -> pa.Array:
    """Unscaled numbers of a decimal column as Java's BigInteger writes them: big endian, two's complement, shortest."""
    wide = values.cast(pa.decimal128(38, values.type.scale))
    raw = np.frombuffer(wide.buffers()[1], np.uint8)[wide.offset * 16 : (wide.offset + len(wide)) * 16]
    little = raw.reshape(-1, 16)
    sign = np.where(little[:, 15] >= 0x80, 0xFF, 0x00).astype(np.uint8)
    # The highest byte that is not mere sign; one more is needed when its top bit would tell another sign.
    differs = little != sign[:, None]
    top = np.where(differs.any(axis=1), 15 - np.argmax(differs[:, ::-1], axis=1), 0)
    top_bit = little[np.arange(len(little)), top] >= 0x80
    lengths = np.minimum(top + 1 + (top_bit != (sign == 0xFF)), 16)
    place = lengths[:, None] - 1 - np.arange(16)[None, :]
    return cut(np.take_along_axis(little, np.maximum(place, 0), axis=1), lengths)


def decimals(values: pa.Array, precision: int, scale: int, wrong: Numbers) -> pa.Array:
    """The opposite of `decimal_bytes`. Numbers of more than 38 digits are marked in `wrong`."""
    offsets, data = binary_parts(values)
    lengths = np.diff(offsets)
    wrong |= lengths > 16
    kept = np.where(wrong, 0, lengths)
    little = np.zeros((len(values), 16), np.uint8)
    for place in range(int(kept.max()) if len(kept) else 0):
        rows = np.flatnonzero(kept > place)
        little[rows, place] = data[offsets[1:][rows] - 1 - place]
    rows = np.flatnonzero(kept > 0)
    negative = rows[data[offsets[:-1][rows]] >= 0x80]
    little[negative] |= np.where(np.arange(16)[None, :] >= kept[negative][:, None], 0xFF, 0).astype(np.uint8)
    buffers = [None, pa.py_buffer(np.ascontiguousarray(little))]
    wide = pa.Array.from_buffers(pa.decimal128(38, scale), len(values), buffers)
    return _narrowed(wide, precision, wrong)


def _narrowed(wide: pa.Array, precision: int, wrong: Numbers) -> pa.Array:
    target = pa.decimal128(precision, wide.type.scale)
    try:
        return wide.cast(target)
    except pa.ArrowInvalid:
        digits = np.array([len(value.as_tuple().digits) for value in wide.to_pylist()])
        wrong |= digits > precision
        return pc.if_else(pa.array(wrong), None, wide).cast(target)
