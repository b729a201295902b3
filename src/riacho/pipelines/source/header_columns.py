"""Record headers as one Arrow column of lists: the first header of every record, then the second where there is one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from riacho.pipelines.formats.varint_columns import Bytes, Integers, read_varints
from riacho.pipelines.source.record_bounds import CorruptRecords
from riacho.pipelines.source.row_schema import HEADER_TYPE, HEADERS_TYPE


def header_column(
    raw: bytes | bytearray | memoryview, data: Bytes, positions: Integers, stops: Integers, counts: Integers
) -> pa.Array:
    """`positions` is where each record's first header would begin, `stops` where the record ends."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    total = int(offsets[-1])
    if total > len(data):
        raise CorruptRecords("more headers than bytes")
    key_starts, key_ends = np.empty(total, np.int64), np.empty(total, np.int64)
    value_starts, value_ends = np.empty(total, np.int64), np.empty(total, np.int64)
    is_null = np.zeros(total, bool)
    live = np.flatnonzero(counts > 0)
    position = positions[live]
    turn = 0
    while len(live):
        place = offsets[live] + turn
        lengths, key_starts[place] = read_varints(data, position)
        ends = key_starts[place] + lengths
        key_ends[place] = ends
        value_lengths, starts = read_varints(data, ends)
        value_starts[place] = starts
        position = starts + np.maximum(value_lengths, 0)
        value_ends[place] = position
        is_null[place] = value_lengths < 0
        if (lengths < 0).any() or (position > stops[live]).any():
            raise CorruptRecords("a header runs past its record")
        turn += 1
        going = counts[live] > turn
        if (position[~going] != stops[live][~going]).any():
            raise CorruptRecords("a record's size is not that of its fields")
        live, position = live[going], position[going]
    return _column(raw, offsets, key_starts, key_ends, value_starts, value_ends, is_null)


def _column(
    raw: bytes | bytearray | memoryview,
    offsets: Integers,
    key_starts: Integers,
    key_ends: Integers,
    value_starts: Integers,
    value_ends: Integers,
    is_null: np.ndarray,
) -> pa.Array:
    total = len(key_starts)
    bounds = np.empty(4 * total + 1, np.int32)
    bounds[0:-1:4], bounds[1:-1:4] = key_starts, key_ends
    bounds[2:-1:4], bounds[3:-1:4] = value_starts, value_ends
    bounds[-1] = value_ends[-1] if total else 0
    pieces = pa.Array.from_buffers(pa.binary(), 4 * total, [None, pa.py_buffer(bounds), pa.py_buffer(raw)])
    index = np.arange(total, dtype=np.int32) * 4
    keys = pieces.take(pa.array(index))
    # Names are UTF-8 by Kafka's protocol; the few clients that break it must not make a batch unreadable.
    names = pa.Array.from_buffers(pa.string(), total, keys.buffers(), offset=keys.offset)
    values = pieces.take(pa.array(index + 2, mask=is_null))
    items = pa.StructArray.from_arrays([names, values], fields=list(HEADER_TYPE))
    # A record without headers has null there, as with Spark's own connector.
    has_none = np.append(offsets[1:] == offsets[:-1], False)
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32), mask=has_none), items, type=HEADERS_TYPE)
