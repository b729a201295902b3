"""The hash that Kafka's producers spread keys by, over a whole column, equal to Java's for every key."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Hashes = npt.NDArray[np.uint32]
_SEED = 0x9747B28C
_M = np.uint32(0x5BD1E995)
_R = np.uint32(24)


def murmur2(keys: pa.BinaryArray) -> Hashes:
    """Hashes of the keys; where a key is null, of the empty one."""
    rows = len(keys)
    if rows == 0:
        return np.zeros(0, np.uint32)
    starts, lengths, data = _buffers(keys)
    hashes = np.uint32(_SEED) ^ lengths.astype(np.uint32)
    # Longest first: those with another word left are then always the first ones.
    order = np.argsort(-lengths, kind="stable")
    starts, lengths, hashes = starts[order], lengths[order], hashes[order]
    words = lengths >> 2
    overlapping = np.ndarray(shape=(len(data) - 3,), dtype="<u4", buffer=data, strides=(1,))
    longest_words = int(words[0])
    left = np.searchsorted(-words, -np.arange(longest_words), side="left")
    for index in range(longest_words):
        count = int(left[index])
        k = overlapping[starts[:count] + 4 * index] * _M
        k ^= k >> _R
        k *= _M
        hashes[:count] = hashes[:count] * _M ^ k
    _mix_tails(starts + (words << 2), lengths & 3, data, hashes)
    hashes ^= hashes >> np.uint32(13)
    hashes *= _M
    hashes ^= hashes >> np.uint32(15)
    result = np.empty_like(hashes)
    result[order] = hashes
    return result


def _buffers(
    keys: pa.BinaryArray,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where each key starts, how long it is, and the bytes with some to spare, so that words may be read anywhere."""
    _, offsets_buffer, data_buffer = keys.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(keys) + 1, keys.offset * 4).astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.zeros(last - first + 4, np.uint8)
    if last > first:
        data[:-4] = np.frombuffer(data_buffer, np.uint8, last - first, first)
    lengths = np.diff(offsets)
    if keys.null_count:
        lengths = np.where(np.asarray(keys.is_null()), 0, lengths)
    return offsets[:-1] - first, lengths, data


def _mix_tails(
    ends: npt.NDArray[np.int64], rest: npt.NDArray[np.int64], data: npt.NDArray[np.uint8], h: Hashes
) -> None:
    """The one to three bytes after the last whole word."""
    for index in (2, 1, 0):
        has = rest > index
        h[has] ^= data[ends[has] + index].astype(np.uint32) << np.uint32(8 * index)
    has = rest > 0
    h[has] *= _M
