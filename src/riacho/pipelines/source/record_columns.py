"""Record batches as Arrow columns, all records of a fetch at once and no Python object for any of them.

Numbers come out of `varint_columns`. Keys and values are gathered by Arrow: its offsets may name the gaps between them
too, so one array over the bytes as they came holds [key, gap, value, gap] of each record, of which every fourth is
taken, copied in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from riacho.base.errors import ErrorCode, KafkaError
from riacho.pipelines.formats.varint_columns import Bytes, Integers, read_varints, read_varlongs
from riacho.pipelines.source.header_columns import header_column
from riacho.pipelines.source.record_bounds import CorruptRecords, Section, record_bounds
from riacho.pipelines.source.row_schema import TIMESTAMP_TYPE, arrow_schema
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader
from riacho.wire.compression import decompress
from riacho.wire.records import DECOMPRESSED_SIZE_BYTES_MAX

Buffer = bytes | bytearray | memoryview

# What is decoded together: enough for whole columns to pay, little enough for many tasks on one machine.
GROUP_SIZE_BYTES_MAX = 32 * 1024 * 1024
ROWS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Placed:
    """A batch to be decoded, and where it lies in the fetched bytes."""

    position: int
    header: BatchHeader


@dataclass(frozen=True, slots=True)
class Group:
    """Batches whose records lie in one buffer, decompressed where they were not: as fetched, or joined."""

    raw: Buffer
    sections: list[Section]
    headers: list[BatchHeader]


def record_batches(
    buffer: Buffer, batches: Sequence[Placed], topic: str, partition: int, *, start: int, end: int, headers: bool
) -> Iterator[pa.RecordBatch]:
    """The records with offsets from `start` up to and without `end`; KafkaError for what cannot be read."""
    try:
        for group in groups(buffer, batches):
            decoded = record_batch(group, topic, partition, start=start, end=end, headers=headers)
            for first in range(0, decoded.num_rows, ROWS_MAX):
                yield decoded.slice(first, ROWS_MAX)
    except (IndexError, ValueError) as error:
        reason = "a record ends in the middle of a number" if isinstance(error, IndexError) else str(error)
        raise KafkaError(
            ErrorCode.CORRUPT_MESSAGE, f"Partition {topic}-{partition} has a batch that cannot be read: {reason}."
        ) from None


def groups(buffer: Buffer, batches: Sequence[Placed]) -> Iterator[Group]:
    """All at once unless a batch is compressed; then as many as have a bounded size together."""
    headers = [batch.header for batch in batches]
    if not any(header.compression for header in headers):
        if batches:
            yield Group(
                buffer,
                [
                    (b.position + HEADER_SIZE_BYTES, b.position + b.header.size_bytes, b.header.record_count)
                    for b in batches
                ],
                headers,
            )
        return
    view = memoryview(buffer)
    parts: list[Buffer] = []
    sections: list[Section] = []
    size = first = 0
    for index, batch in enumerate(batches):
        packed = view[batch.position + HEADER_SIZE_BYTES : batch.position + batch.header.size_bytes]
        codec = batch.header.compression
        part = decompress(codec, packed, DECOMPRESSED_SIZE_BYTES_MAX) if codec else packed
        parts.append(part)
        sections.append((size, size + len(part), batch.header.record_count))
        size += len(part)
        if size >= GROUP_SIZE_BYTES_MAX or index + 1 == len(batches):
            yield Group(parts[0] if len(parts) == 1 else b"".join(parts), sections, headers[first : index + 1])
            parts, sections, size, first = [], [], 0, index + 1


def record_batch(group: Group, topic: str, partition: int, *, start: int, end: int, headers: bool) -> pa.RecordBatch:
    raw, batches = group.raw, group.headers
    data: Bytes = np.frombuffer(raw, np.uint8)
    bodies, stops = record_bounds(data, group.sections)
    counts = np.array([count for _, _, count in group.sections], np.int64)
    # One byte of attributes, which mean nothing yet.
    timestamps, position = read_varlongs(data, bodies + 1)
    offsets, position = read_varints(data, position)
    offsets += _each([b.base_offset for b in batches], counts)
    key_lengths, key_starts = read_varints(data, position)
    key_ends = key_starts + np.maximum(key_lengths, 0)
    value_lengths, value_starts = read_varints(data, key_ends)
    value_ends = value_starts + np.maximum(value_lengths, 0)
    header_counts, position = read_varints(data, value_ends)
    _check(position, stops, key_lengths, value_lengths, header_counts)
    first, last = _window(offsets, start, end)
    kept = slice(first, last)
    rows = last - first
    columns = _keys_and_values(
        raw,
        key_starts[kept],
        key_ends[kept],
        value_starts[kept],
        value_ends[kept],
        key_lengths[kept],
        value_lengths[kept],
    )
    columns += [
        pa.repeat(pa.scalar(topic, pa.string()), rows),
        pa.repeat(pa.scalar(partition, pa.int32()), rows),
        pa.array(offsets[kept]),
        _timestamps(timestamps, batches, counts)[first:last],
        pa.array(_each([b.timestamp_type for b in batches], counts)[kept].astype(np.int32)),
    ]
    if headers:
        columns.append(header_column(raw, data, position[kept], stops[kept], header_counts[kept]))
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(headers))


def _check(
    position: Integers, stops: Integers, key_lengths: Integers, value_lengths: Integers, header_counts: Integers
) -> None:
    if len(position) == 0:
        return
    if (position > stops).any() or min(key_lengths.min(), value_lengths.min()) < -1 or header_counts.min() < 0:
        raise CorruptRecords("a record's fields run past its end")
    if ((position != stops) & (header_counts == 0)).any():
        raise CorruptRecords("a record's size is not that of its fields")


def _each(values: Sequence[int], counts: Integers) -> Integers:
    """What holds for a batch, once for each of its records."""
    return np.repeat(np.array(values, np.int64), counts)


def _window(offsets: Integers, start: int, end: int) -> tuple[int, int]:
    if not len(offsets):
        return 0, 0
    if (np.diff(offsets) <= 0).any():
        raise CorruptRecords("offsets do not rise")
    first = int(np.searchsorted(offsets, start))
    return first, max(first, int(np.searchsorted(offsets, end)))


def _keys_and_values(
    raw: Buffer,
    key_starts: Integers,
    key_ends: Integers,
    value_starts: Integers,
    value_ends: Integers,
    key_lengths: Integers,
    value_lengths: Integers,
) -> list[pa.Array]:
    rows = len(key_starts)
    bounds = np.empty(4 * rows + 1, np.int32)
    bounds[0:-1:4] = key_starts
    bounds[1:-1:4] = key_ends
    bounds[2:-1:4] = value_starts
    bounds[3:-1:4] = value_ends
    bounds[-1] = value_ends[-1] if rows else 0
    pieces = pa.Array.from_buffers(pa.binary(), 4 * rows, [None, pa.py_buffer(bounds), pa.py_buffer(raw)])
    index = np.arange(rows, dtype=np.int32) * 4
    return [_taken(pieces, index, key_lengths < 0), _taken(pieces, index + 2, value_lengths < 0)]


def _taken(pieces: pa.Array, index: npt.NDArray[np.int32], is_null: npt.NDArray[np.bool_]) -> pa.Array:
    if is_null.all():
        return pa.nulls(len(index), pa.binary())
    return pieces.take(pa.array(index, mask=is_null) if is_null.any() else pa.array(index))


def _timestamps(deltas: Integers, batches: Sequence[BatchHeader], counts: Integers) -> pa.Array:
    """In microseconds. Under LogAppendTime all records of a batch have the time of its append."""
    if any(batch.timestamp_type for batch in batches):
        deltas = np.where(_each([b.timestamp_type for b in batches], counts) == 1, 0, deltas)
    bases = _each([b.max_timestamp if b.timestamp_type else b.base_timestamp for b in batches], counts)
    return pa.array((bases + deltas) * 1000, pa.int64()).cast(TIMESTAMP_TYPE)
