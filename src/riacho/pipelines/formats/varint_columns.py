"""Varints a column at a time, read and written: the same field of every row in one go, by numpy.

Kafka's records, Avro and Protobuf all have them: seven bits a byte, the lowest first, signed numbers as zigzag. Nearly
all are of one or two bytes, so each further byte is looked at only where the one before said that it exists.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint64]

_VARINT_BYTES_MAX = 5
_VARLONG_BYTES_MAX = 10
_NO_ROWS: npt.NDArray[np.intp] = np.empty(0, np.intp)


def read_varints(data: Bytes, positions: Integers) -> tuple[Integers, Integers]:
    """(signed values, positions after them); IndexError past the end of `data`, ValueError with more than 32 bits."""
    values, after, overlong = read_unsigned(data, positions, _VARINT_BYTES_MAX)
    _refuse(overlong, _VARINT_BYTES_MAX)
    return (values >> 1) ^ -(values & 1), after


def read_varlongs(data: Bytes, positions: Integers) -> tuple[Integers, Integers]:
    values, after, overlong = read_unsigned(data, positions, _VARLONG_BYTES_MAX)
    _refuse(overlong, _VARLONG_BYTES_MAX)
    return from_zigzag(values.view(np.uint64)), after


def _refuse(overlong: npt.NDArray[np.intp], bytes_max: int) -> None:
    if len(overlong):
        raise ValueError(f"varint longer than {bytes_max} bytes")


def read_unsigned(
    data: Bytes, positions: Integers, bytes_max: int = _VARLONG_BYTES_MAX
) -> tuple[Integers, Integers, npt.NDArray[np.intp]]:
    """(64 bits each, positions after them, rows that have not ended after `bytes_max` bytes)."""
    values = data[positions].astype(np.int64)
    after = positions + 1
    longer = np.flatnonzero(values > 0x7F)
    if not len(longer):
        return values, after, _NO_ROWS
    values &= 0x7F
    if len(longer) == len(values):
        return _rest(data, values, after, bytes_max)
    part, part_after, overlong = _rest(data, values[longer], after[longer], bytes_max)
    values[longer] = part
    after[longer] = part_after
    return values, after, longer[overlong]


def _rest(
    data: Bytes, values: Integers, positions: Integers, bytes_max: int
) -> tuple[Integers, Integers, npt.NDArray[np.intp]]:
    """The second byte and those after it, of numbers that all have a second byte."""
    more = data[positions].astype(np.int64)
    values |= (more & 0x7F) << 7
    positions = positions + 1
    shift = 14
    going = np.flatnonzero(more > 0x7F)
    while len(going) and shift < 7 * bytes_max:
        byte = data[positions[going]].astype(np.int64)
        values[going] |= (byte & 0x7F) << shift
        positions[going] += 1
        going = going[byte > 0x7F]
        shift += 7
    return values, positions, going


def zigzag(values: Integers) -> Unsigned:
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def from_zigzag(values: Unsigned) -> Integers:
    # The sign of 64 bits must not be smeared by an arithmetic shift.
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)


def varint_sizes(values: Unsigned) -> Integers:
    """How many bytes each takes."""
    sizes = np.ones(len(values), np.int64)
    if len(values):
        for shift in range(7, int(values.max()).bit_length(), 7):
            sizes += values >= np.uint64(1 << shift)
    return sizes


def write_varints(rows: int, parts: Sequence[Unsigned | int]) -> tuple[Bytes, Integers]:
    """(bytes of all rows, how many each row has): the parts one after another; an int is the same byte in every row."""
    cells: list[Bytes] = []
    sizes: list[Integers | None] = []
    lengths = np.zeros(rows, np.int64)
    for part in parts:
        if isinstance(part, int):
            cells.append(np.full((rows, 1), part, np.uint8))
            sizes.append(None)
            lengths += 1
            continue
        size = varint_sizes(part)
        cells.append(_digits(part, size, int(size.max()) if rows else 1))
        sizes.append(size)
        lengths += size
    matrix = cells[0] if len(cells) == 1 else np.concatenate(cells, axis=1)
    width = matrix.shape[1]
    if not rows or int(lengths.min()) == width:
        return matrix.ravel(), lengths
    used = np.ones((rows, width), np.bool_)
    first = 0
    for digits, known in zip(cells, sizes, strict=True):
        # A first byte is there always.
        for index in range(1, digits.shape[1]):
            assert known is not None, "a byte for all rows is one byte"
            np.greater(known, index, out=used[:, first + index])
        first += digits.shape[1]
    return matrix[used], lengths


def _digits(values: Unsigned, sizes: Integers, width: int) -> Bytes:
    """Seven bits a column, each with the bit that says whether another follows."""
    if width == 1:
        return values.astype(np.uint8).reshape(-1, 1)
    digits = np.empty((len(values), width), np.uint8)
    for index in range(width):
        digits[:, index] = (values >> np.uint64(7 * index)) & np.uint64(0x7F)
        if index + 1 < width:
            digits[:, index] |= (index + 1 < sizes).astype(np.uint8) << 7
    return digits
