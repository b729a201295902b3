"""Where each record of a batch begins: the one thing that cannot be read a column at a time.

A record tells where the next one is, so finding them is a chain. What is cheapest depends on the batches:
- many small ones, as producers that do not linger send them: one step of every batch's chain at once.
- long ones with records of one size: if the lengths at every multiple of the first one's size are the same, they are
  all records, each vouching for the next. Sizes change with the digits of offset and time, so it is done in runs.
- else a loop over nothing but the lengths. A step of numpy's costs as much as some two hundred of the loop's, which is
  where the limits below come from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riacho.pipelines.formats.varint_columns import Bytes, Integers, read_varints
from riacho.wire.varint import unsigned_32

# A run shorter than this costs more to look for than to walk.
_RUN_MIN = 24
# How many records are walked before another run is looked for, doubling while none is found.
_WALK_MIN = 32
_WALK_MAX = 4096
_LENGTH_BYTES_MAX = 5
# From so many batches on, stepping through all of them at once is cheaper than walking each.
_ABREAST_MIN = 200
# In batches with fewer records, looking for runs costs more than walking.
_LONG_MIN = 150

Section = tuple[int, int, int]  # start, end, number of records


class CorruptRecords(ValueError):
    """Bytes that are no records, though their checksum is right."""


def record_bounds(data: Bytes, sections: Sequence[Section]) -> tuple[Integers, Integers]:
    """(start, end) of the body of each record, of all sections in order."""
    counts = [count for _, _, count in sections]
    is_short = sum(counts) < _LONG_MIN * len(sections)
    if is_short and len(sections) >= _ABREAST_MIN and max(counts) * _ABREAST_MIN <= 2 * sum(counts):
        return _abreast(data, sections)
    parts: list[Integers] = [np.empty(0, np.int64)]
    walked: list[int] = []
    for start, end, count in sections:
        if count < _LONG_MIN:
            _walk(walked, data[start:end].tobytes(), start, start, count)
            continue
        parts += [np.array(walked, np.int64), _chain(data, start, end, count)]
        walked = []
    firsts = np.concatenate([*parts, np.array(walked, np.int64)])
    lengths, bodies = read_varints(data, firsts)
    stops = np.append(firsts[1:], 0)[: len(firsts)]
    filled = [(end, count) for _, end, count in sections if count]
    stops[np.cumsum([count for _, count in filled], dtype=np.int64) - 1] = [end for end, _ in filled]
    is_empty_right = all(start == end for start, end, count in sections if not count)
    if (lengths < 0).any() or (bodies + lengths != stops).any() or not is_empty_right:
        raise CorruptRecords("records do not fill their batch")
    return bodies, stops


def _chain(data: Bytes, position: int, end: int, count: int) -> Integers:
    """Where each record's length stands, by what the lengths say; the caller checks that it is so."""
    parts: list[Integers] = [np.empty(0, np.int64)]
    walk = _WALK_MIN
    # Bytes are the fastest to index, by far; made only if there is walking to do.
    section, origin = b"", position
    while count:
        run, stride = _run(data, position, end, count)
        if run >= _RUN_MIN:
            parts.append(np.arange(run, dtype=np.int64) * stride + position)
            position += run * stride
            count -= run
            walk = _WALK_MIN
            continue
        section = section or data[origin:end].tobytes()
        steps = min(walk, count)
        firsts: list[int] = []
        position = _walk(firsts, section, origin, position, steps)
        parts.append(np.array(firsts, np.int64))
        count -= steps
        walk = min(walk * 2, _WALK_MAX)
    return np.concatenate(parts)


def _run(data: Bytes, position: int, end: int, count: int) -> tuple[int, int]:
    """(number of records of the same size from here, that size)."""
    head = data[position : min(position + _LENGTH_BYTES_MAX, end)].tobytes()
    length, size = unsigned_32(head, 0)
    stride = size + (length >> 1)
    possible = min(count, (end - position) // stride)
    run = _same(data, position, stride, size, min(possible, _RUN_MIN))
    if run < _RUN_MIN or possible == run:
        return run, stride
    return _same(data, position, stride, size, possible), stride


def _same(data: Bytes, position: int, stride: int, size: int, possible: int) -> int:
    """How many of the lengths at multiples of the stride are the first one's, without a break."""
    shortest = possible
    for index in range(position, position + size):
        column = data[index : index + max(possible - 1, 0) * stride + 1 : stride]
        different = column != column[0]
        first = int(different.argmax())
        if first:
            shortest = min(shortest, first)
    return shortest


def _walk(firsts: list[int], section: bytes, origin: int, position: int, steps: int) -> int:
    """Add where the next records begin to `firsts`; where the one after them does. `section` begins at `origin`."""
    append = firsts.append
    position -= origin
    for _ in range(steps):
        append(origin + position)
        n = section[position]
        if n < 0x80:
            position += (n >> 1) + 1
            continue
        more = section[position + 1]
        if more < 0x80:
            position += (n - 0x80 + (more << 7) >> 1) + 2
        else:
            n, position = unsigned_32(section, position)
            position += n >> 1
    return origin + position


def _abreast(data: Bytes, sections: Sequence[Section]) -> tuple[Integers, Integers]:
    table = np.array(sections, np.int64)
    positions, limits, counts = table[:, 0].copy(), table[:, 1], table[:, 2]
    firsts = np.cumsum(counts) - counts
    starts = np.empty(int(counts.sum()), np.int64)
    ends = np.empty_like(starts)
    live = np.flatnonzero(counts > 0)
    step = 0
    while len(live):
        lengths, bodies = read_varints(data, positions[live])
        stops = bodies + lengths
        if (lengths < 0).any() or (stops > limits[live]).any():
            raise CorruptRecords("a record runs past its batch")
        starts[firsts[live] + step] = bodies
        ends[firsts[live] + step] = stops
        positions[live] = stops
        step += 1
        live = live[counts[live] > step]
    if (positions != limits).any():
        raise CorruptRecords("bytes are left after the last record")
    return starts, ends
