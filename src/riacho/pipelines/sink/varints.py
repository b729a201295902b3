"""Zigzag varints of whole columns: what stands before keys, values and headers, as Arrow columns of bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.int64]
_BYTES_MAX = 10


def zigzag(values: Ints) -> npt.NDArray[np.uint64]:
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def varint_sizes(values: Ints) -> Ints:
    """How many bytes each takes."""
    return _sizes(zigzag(values))


def _sizes(encoded: npt.NDArray[np.uint64]) -> Ints:
    sizes = np.ones(len(encoded), np.int64)
    if len(encoded):
        for shift in range(7, 7 * int(encoded.max()).bit_length() // 7 + 7, 7):
            if shift > 63:
                break
            sizes += encoded >= np.uint64(1 << shift)
    return sizes


def varint_columns(rows: int, parts: list[Ints | int]) -> pa.BinaryArray:
    """One value a row: the parts one after another. An array is a column of varints, an int the same byte for all."""
    pieces: list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None]] = []
    lengths = np.zeros(rows, np.int64)
    for part in parts:
        if isinstance(part, int):
            pieces.append((np.full((rows, 1), part, np.uint8), None))
            lengths += 1
            continue
        encoded = zigzag(part)
        sizes = _sizes(encoded)
        width = int(sizes.max()) if rows else 1
        pieces.append(_varints(encoded, sizes, width))
        lengths += sizes
    matrix = np.concatenate([piece for piece, _ in pieces], axis=1)
    if any(mask is not None for _, mask in pieces):
        present = [np.ones(piece.shape, np.bool_) if mask is None else mask for piece, mask in pieces]
        data = matrix[np.concatenate(present, axis=1)]
    else:
        data = matrix.ravel()
    return binary_column(data, lengths)


def _varints(
    encoded: npt.NDArray[np.uint64], sizes: Ints, width: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_] | None]:
    digits = np.empty((len(encoded), width), np.uint8)
    for index in range(width):
        digits[:, index] = (encoded >> np.uint64(7 * index)) & np.uint64(0x7F)
        more = index + 1 < sizes
        digits[:, index] |= more.astype(np.uint8) << 7
    if width == 1 or int(sizes.min()) == width:
        return digits, None
    return digits, np.arange(width) < sizes[:, None]


def binary_column(data: npt.NDArray[np.uint8], lengths: Ints) -> pa.BinaryArray:
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return pa.BinaryArray.from_buffers(
        pa.binary(), len(lengths), [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(data))]
    )
