"""Zigzag varints read a column at a time: the same field of every record in one go.

Nearly all are of one or two bytes, so each further byte is looked at only where the one before said that it exists.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

_VARINT_BYTES_MAX = 5
_VARLONG_BYTES_MAX = 10


class CorruptRecords(ValueError):
    """Bytes that are no records, though their checksum is right."""


def read_varints(data: Bytes, positions: Integers) -> tuple[Integers, Integers]:
    """(values, positions after them); IndexError past the end of `data`."""
    values, after = read_unsigned(data, positions, _VARINT_BYTES_MAX)
    return (values >> 1) ^ -(values & 1), after


def read_varlongs(data: Bytes, positions: Integers) -> tuple[Integers, Integers]:
    values, after = read_unsigned(data, positions, _VARLONG_BYTES_MAX)
    # The sign of a 64-bit zigzag must not be smeared by an arithmetic shift.
    unsigned = values.view(np.uint64)
    return (unsigned >> np.uint64(1)).view(np.int64) ^ -(values & 1), after


def read_unsigned(data: Bytes, positions: Integers, bytes_max: int) -> tuple[Integers, Integers]:
    values = data[positions].astype(np.int64)
    after = positions + 1
    longer = np.flatnonzero(values > 0x7F)
    if not len(longer):
        return values, after
    values &= 0x7F
    if len(longer) == len(values):
        return _rest(data, values, after, bytes_max)
    part, part_after = _rest(data, values[longer], after[longer], bytes_max)
    values[longer] = part
    after[longer] = part_after
    return values, after


def _rest(data: Bytes, values: Integers, positions: Integers, bytes_max: int) -> tuple[Integers, Integers]:
    """The second byte and those after it, of numbers that all have a second byte."""
    more = data[positions].astype(np.int64)
    values |= (more & 0x7F) << 7
    positions = positions + 1
    shift = 14
    going = np.flatnonzero(more > 0x7F)
    while len(going):
        if shift >= 7 * bytes_max:
            raise CorruptRecords(f"varint longer than {bytes_max} bytes")
        byte = data[positions[going]].astype(np.int64)
        values[going] |= (byte & 0x7F) << shift
        positions[going] += 1
        going = going[byte > 0x7F]
        shift += 7
    return values, positions
