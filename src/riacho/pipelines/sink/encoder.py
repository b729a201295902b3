"""Columns to record batches (format 2), without an object per record.

Rows are ordered by where they go, cut into batches by size, and each field of all records is made at once: what stands
before the key is one column of bytes, what stands before the value another, and joining the columns row by row gives
the records of all batches as one piece of memory. A batch is a slice of it behind a header.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from riacho.pipelines.formats.byte_columns import join, varint_fields
from riacho.pipelines.formats.varint_columns import Integers, varint_sizes, zigzag
from riacho.pipelines.sink.columns import Columns, byte_lengths
from riacho.pipelines.sink.encoded_batch import Batch, TopicPartition
from riacho.pipelines.sink.errors import SinkError
from riacho.wire import batch as batches
from riacho.wire.batch import HEADER, HEADER_SIZE_BYTES
from riacho.wire.compression import Codec, compress

# A record's length, attributes, times, offsets and counts take no more than this.
_FIELDS_SIZE_BYTES_MAX = 40
_SEQUENCE_MASK = 0x7FFFFFFF


class Producer(NamedTuple):
    """Who writes; -1 for nobody in particular."""

    producer_id: int
    producer_epoch: int
    is_transactional: bool


class Encoder:
    """Counts the sequence numbers of one producer."""

    def __init__(
        self,
        producer: Producer,
        *,
        batch_size_bytes: int,
        record_size_bytes_max: int,
        codec: int = Codec.NONE,
        level: int | None = None,
    ) -> None:
        self._producer = producer
        self._batch_size_bytes = batch_size_bytes
        self._record_size_bytes_max = record_size_bytes_max
        self._codec = codec
        self._level = level
        self._sequences: dict[TopicPartition, int] = {}

    def encode(self, columns: Columns, topic_partitions: list[TopicPartition], target: Integers) -> Iterator[Batch]:
        """`target` says for each row which of `topic_partitions` it goes to. Rows keep their order within one."""
        if not columns.rows:
            return
        columns, target = _ordered(columns, target)
        key_lengths = None if columns.keys is None else byte_lengths(columns.keys)
        value_lengths = byte_lengths(columns.values)
        sizes = _upper_sizes(columns, key_lengths, value_lengths)
        self._check_sizes(sizes, target, topic_partitions)
        starts = _cut(sizes, target, self._batch_size_bytes)
        counts = np.diff(np.append(starts, columns.rows))
        records = _records(columns, key_lengths, value_lengths, starts, counts)
        offsets = np.frombuffer(records.buffers()[1], np.int32, columns.rows + 1, records.offset * 4)
        data = memoryview(records.buffers()[2])
        latest = np.maximum.reduceat(columns.timestamps_ms, starts)
        for index, start in enumerate(starts):
            end = start + counts[index]
            section = data[offsets[start] : offsets[end]]
            topic_partition, rows = topic_partitions[target[start]], int(counts[index])
            yield Batch(
                topic_partition,
                self._batch(topic_partition, section, rows, columns.timestamps_ms[start], latest[index]),
                rows,
            )

    def _check_sizes(self, sizes: Integers, target: Integers, topic_partitions: list[TopicPartition]) -> None:
        largest = int(sizes.argmax())
        size_bytes = int(sizes[largest]) - _FIELDS_SIZE_BYTES_MAX
        if size_bytes + HEADER_SIZE_BYTES > self._record_size_bytes_max:
            topic = topic_partitions[target[largest]].topic
            raise SinkError(
                f"A record of {size_bytes} bytes for topic '{topic}' is larger than kafka.max.request.size, "
                f"which is {self._record_size_bytes_max}."
            )

    def _batch(
        self, topic_partition: TopicPartition, section: memoryview, rows: int, base_ms: int, latest_ms: int
    ) -> bytearray:
        producer = self._producer
        sequence = batches.NO_SEQUENCE
        if producer.producer_id != batches.NO_PRODUCER_ID:
            sequence = self._sequences.get(topic_partition, 0)
            self._sequences[topic_partition] = (sequence + rows) & _SEQUENCE_MASK
        attributes = self._codec | (batches.TRANSACTIONAL_BIT if producer.is_transactional else 0)
        out = bytearray(HEADER_SIZE_BYTES)
        out += compress(self._codec, section, self._level) if self._codec else section
        HEADER.pack_into(
            out,
            0,
            0,
            len(out) - batches.LOG_OVERHEAD_BYTES,
            -1,
            2,
            0,
            attributes,
            rows - 1,
            base_ms,
            latest_ms,
            producer.producer_id,
            producer.producer_epoch,
            sequence,
            rows,
        )
        batches.seal(out)
        return out


def _ordered(columns: Columns, target: Integers) -> tuple[Columns, Integers]:
    if (target[1:] >= target[:-1]).all():
        return columns, target
    order = np.argsort(target, kind="stable")
    taken = pa.array(order)
    return (
        columns._replace(
            keys=None if columns.keys is None else columns.keys.take(taken),
            values=columns.values.take(taken),
            headers=None if columns.headers is None else columns.headers.take(taken),
            timestamps_ms=columns.timestamps_ms[order],
        ),
        target[order],
    )


def _upper_sizes(columns: Columns, key_lengths: Integers | None, value_lengths: Integers) -> Integers:
    """No record is larger than this says."""
    sizes = np.maximum(value_lengths, 0) + _FIELDS_SIZE_BYTES_MAX
    if key_lengths is not None:
        sizes += np.maximum(key_lengths, 0)
    if columns.headers is not None:
        sizes += byte_lengths(columns.headers)
    return sizes


def _cut(sizes: Integers, target: Integers, batch_size_bytes: int) -> npt.NDArray[np.intp]:
    """Where batches begin: at every new target, and where one more record would make a batch too large."""
    groups = np.flatnonzero(np.diff(target, prepend=target[0] - 1))
    ends = np.append(groups[1:], len(target))
    filled = np.concatenate(([0], np.cumsum(sizes)))
    room = batch_size_bytes - HEADER_SIZE_BYTES
    starts = []
    for start, end in zip(groups.tolist(), ends.tolist(), strict=True):
        while start < end:
            starts.append(start)
            # At least one record, however large it is.
            start = max(start + 1, int(np.searchsorted(filled, filled[start] + room, side="right")) - 1)
    return np.array(starts, np.intp)


def _records(
    columns: Columns,
    key_lengths: Integers | None,
    value_lengths: Integers,
    starts: npt.NDArray[np.intp],
    counts: Integers,
) -> pa.BinaryArray:
    rows = columns.rows
    offset_deltas = zigzag(np.arange(rows) - np.repeat(starts, counts))
    time_deltas = zigzag(columns.timestamps_ms - np.repeat(columns.timestamps_ms[starts], counts))
    value_sizes = zigzag(value_lengths)
    lengths = 1 + varint_sizes(time_deltas) + varint_sizes(offset_deltas)
    lengths += varint_sizes(value_sizes) + np.maximum(value_lengths, 0)
    if columns.headers is None:
        tail: pa.BinaryArray | pa.Scalar = _NO_HEADERS
        lengths += 1
    else:
        tail = columns.headers
        lengths += byte_lengths(columns.headers)
    if key_lengths is None or columns.keys is None:
        before = varint_fields(rows, [zigzag(lengths + 1), 0, time_deltas, offset_deltas, _NO_KEY_BYTE, value_sizes])
        return join(before, columns.values, tail)
    key_sizes = zigzag(key_lengths)
    lengths += varint_sizes(key_sizes) + np.maximum(key_lengths, 0)
    before = varint_fields(rows, [zigzag(lengths), 0, time_deltas, offset_deltas, key_sizes])
    return join(before, columns.keys, varint_fields(rows, [value_sizes]), columns.values, tail)


# -1 as a varint.
_NO_KEY_BYTE = 1
# Their number, 0, as a varint.
_NO_HEADERS = pa.scalar(b"\x00", pa.binary())
