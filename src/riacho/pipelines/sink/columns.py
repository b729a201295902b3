"""The columns of one Arrow batch (`frame_columns`) in the form records need."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riacho.pipelines.formats.byte_columns import join, zigzags
from riacho.pipelines.formats.varint_columns import Integers
from riacho.pipelines.records import HEADERS, KEY, PARTITION, TIMESTAMP, TOPIC, VALUE
from riacho.pipelines.sink.errors import SinkError


class Columns(NamedTuple):
    """One row a record. `partitions` has -1 where the partitioner chooses; None stands for a column not there."""

    rows: int
    topics: pa.StringArray | None
    partitions: Integers | None
    keys: pa.BinaryArray | None
    values: pa.BinaryArray
    # As they stand in a record, with their count before them.
    headers: pa.BinaryArray | None
    timestamps_ms: Integers


def read_columns(batch: pa.RecordBatch, topic: str | None) -> Columns:
    """SinkError where a row has no topic."""
    present = {name: batch.column(index) for index, name in enumerate(batch.schema.names)}
    topics = None
    if topic is None:
        topics = present[TOPIC].cast(pa.string())
        if topics.null_count:
            raise SinkError(f"A row has no topic: its column '{TOPIC}' is null, and the option '{TOPIC}' is not set.")
    return Columns(
        rows=batch.num_rows,
        topics=topics,
        partitions=_partitions(present.get(PARTITION)),
        keys=present[KEY].cast(pa.binary()) if KEY in present else None,
        values=present[VALUE].cast(pa.binary()),
        headers=_headers(present.get(HEADERS)),
        timestamps_ms=_timestamps_ms(present.get(TIMESTAMP), batch.num_rows),
    )


def _partitions(column: pa.Array | None) -> Integers | None:
    if column is None or column.null_count == len(column):
        return None
    filled = pc.fill_null(column.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    if column.null_count < len(column) and pc.min(column).as_py() < 0:
        raise SinkError(f"A row asks for partition {pc.min(column).as_py()}: partitions begin with 0.")
    return np.asarray(filled, np.int64)


def _timestamps_ms(column: pa.Array | None, rows: int) -> Integers:
    now_ms = int(time.time() * 1000)
    if column is None or column.null_count == rows:
        return np.full(rows, now_ms, np.int64)
    micros = column.cast(pa.timestamp("us")).cast(pa.int64())
    # Times before 1970 have no place in a record.
    if pc.min(micros).as_py() < 0:
        raise SinkError(f"A row's '{TIMESTAMP}' lies before 1970, which Kafka's records cannot say.")
    filled = pc.fill_null(micros, now_ms * 1000).to_numpy(zero_copy_only=False)
    return np.asarray(filled, np.int64) // 1000


def _headers(column: pa.ListArray | None) -> pa.BinaryArray | None:
    """Each row's headers as they stand in a record."""
    if column is None:
        return None
    counts = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    if not counts.any():
        return None
    flat = column.flatten()
    keys, values = flat.field("key").cast(pa.binary()), flat.field("value").cast(pa.binary())
    if flat.null_count or keys.null_count:
        raise SinkError("A header has no key, which Kafka's records do not allow.")
    joined = join(with_length(keys), with_length(values))
    offsets = np.zeros(len(column) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    each_row = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), joined), b"")
    return join(zigzags(counts), each_row)


def byte_lengths(column: pa.BinaryArray) -> Integers:
    """-1 for null."""
    lengths = pc.fill_null(pc.binary_length(column), -1)
    return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)


def with_length(column: pa.BinaryArray) -> pa.BinaryArray:
    """Each value with its length before it, -1 for null."""
    return join(zigzags(byte_lengths(column)), column)
