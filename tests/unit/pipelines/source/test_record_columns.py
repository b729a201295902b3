"""Columns say what the record-by-record decoder says, whatever shape the batches have."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from riacho.base.errors import KafkaError
from riacho.pipelines.source.record_bounds import CorruptRecords, record_bounds
from riacho.pipelines.source.record_columns import Placed, record_batches
from riacho.wire.batch import iterate_headers
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch, iterate_records, record_timestamp

EVERYTHING = 1 << 62
NAMES = st.text(max_size=6)
BYTES = st.one_of(st.none(), st.binary(max_size=20), st.sampled_from([100, 9000]).map(lambda n: b"x" * n))


@st.composite
def record_lists(draw: st.DrawFn) -> list[Record]:
    """Offsets rise with gaps, as compaction leaves them; times go anywhere; headers may repeat and be null."""
    if draw(st.booleans()):
        # One size for all, which is what the search for runs is made for.
        size, count = draw(st.integers(0, 300)), draw(st.integers(1, 200))
        return [Record(i, i // 3, None, b"v" * size) for i in range(count)]
    records, offset = [], draw(st.integers(0, 100))
    for _ in range(draw(st.integers(0, 12))):
        headers = draw(st.lists(st.tuples(NAMES, st.one_of(st.none(), st.binary(max_size=200))), max_size=3))
        time_delta = draw(st.one_of(st.integers(-100, 100), st.integers(-(2**40), 2**40)))
        records.append(Record(offset, time_delta, draw(BYTES), draw(BYTES), headers))
        offset += draw(st.one_of(st.integers(1, 3), st.integers(1, 100_000)))
    return records


def encoded(lists: list[list[Record]], codec: int, timestamp_type: int) -> bytearray:
    out, base = bytearray(), 7
    for records in lists:
        out += build_batch(
            records, base_timestamp=1_700_000_000_000, base_offset=base, codec=codec, timestamp_type=timestamp_type
        )
        base += (records[-1].offset_delta if records else 0) + 1
    return out


def expected(buffer: bytearray) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for position, header in iterate_headers(buffer):
        for record in iterate_records(buffer, position):
            offset, time_ms = header.base_offset + record.offset_delta, record_timestamp(header, record)
            rows.append((record.key, record.value, "t", 3, offset, time_ms, header.timestamp_type, record.headers))
    return rows


def decoded(buffer: bytearray, start: int = 0, end: int = EVERYTHING, headers: bool = True) -> list[tuple[Any, ...]]:
    placed = [Placed(position, header) for position, header in iterate_headers(buffer)]
    rows: list[tuple[Any, ...]] = []
    for batch in record_batches(buffer, placed, "t", 3, start=start, end=end, headers=headers):
        batch.validate(full=True)
        columns = {name: batch.column(name) for name in batch.schema.names}
        times = columns["timestamp"].cast("int64").to_pylist()
        plain = [columns[n].to_pylist() for n in ("key", "value", "topic", "partition", "offset")]
        kinds = columns["timestampType"].to_pylist()
        lists = columns["headers"].to_pylist() if headers else [[]] * batch.num_rows
        assert [] not in lists or not headers, "no headers are null"
        named = [[(h["key"], h["value"]) for h in one or ()] for one in lists]
        rows += list(zip(*plain, [t // 1000 for t in times], kinds, named, strict=True))
    return rows


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(record_lists(), max_size=3), st.sampled_from(list(Codec)), st.sampled_from([0, 1]))
def test_columns_are_the_records(lists: list[list[Record]], codec: Codec, timestamp_type: int) -> None:
    buffer = encoded(lists, codec, timestamp_type)
    assert decoded(buffer) == expected(buffer)
    assert decoded(buffer, headers=False) == [(*row[:-1], []) for row in expected(buffer)]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(record_lists(), st.integers(0, 400), st.integers(0, 400))
def test_only_the_offsets_of_the_range_come_out(records: list[Record], start: int, end: int) -> None:
    buffer = encoded([records], Codec.NONE, 0)
    assert decoded(buffer, start, end) == [row for row in expected(buffer) if start <= row[4] < end]


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_many_small_batches_are_stepped_through_abreast(codec: Codec) -> None:
    lists = [[Record(i, i, b"k" * (i % 5), b"v" * (n % 90)) for i in range(1 + n % 4)] for n in range(240)]
    buffer = encoded(lists, codec, 0)
    assert decoded(buffer) == expected(buffer)


@pytest.mark.parametrize("size_of", [lambda i: 40, lambda i: i * 37 % 101, lambda i: 40 if i < 300 else i % 7 * 2000])
def test_batches_of_all_lengths_lie_beside_each_other(size_of: Callable[[int], int]) -> None:
    """Short ones are walked, long ones searched for runs; an empty one is between them."""
    counts = (1, 140, 0, 160, 700, 0, 3)
    lists = [[Record(i, i, b"k", b"v" * size_of(i)) for i in range(count)] for count in counts]
    buffer = encoded(lists, Codec.NONE, 0)
    assert decoded(buffer) == expected(buffer)


@pytest.mark.parametrize("count", [2, 200])
def test_a_batch_with_bytes_left_over_is_corrupt(count: int) -> None:
    record = bytes([12]) + bytes(6)
    data = np.frombuffer(record * count + b"\0", np.uint8)
    assert len(record_bounds(data, [(0, len(data) - 1, count)])[0]) == count
    with pytest.raises(CorruptRecords):
        record_bounds(data, [(0, len(data), count)])
    with pytest.raises(CorruptRecords):
        record_bounds(data, [(0, len(data) - 1, count), (len(data) - 1, len(data), 0)])


def test_a_torn_last_batch_is_left_for_the_next_fetch() -> None:
    buffer = encoded([[Record(0, 0, b"k", b"v")], [Record(0, 0, b"k", b"w" * 50)]], Codec.NONE, 0)
    assert [row[1] for row in decoded(buffer[:-1])] == [b"v"]


def test_times_are_instants_in_utc() -> None:
    buffer = encoded([[Record(0, 5, None, b"v")]], Codec.NONE, 0)
    placed = [Placed(position, header) for position, header in iterate_headers(buffer)]
    (batch,) = record_batches(buffer, placed, "t", 0, start=0, end=EVERYTHING, headers=False)
    instant = datetime(2023, 11, 14, 22, 13, 20, 5000, UTC)
    assert batch.column("timestamp").to_pylist() == [instant]


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(record_lists().filter(bool), st.data())
def test_broken_bytes_are_told_in_one_sentence_or_read_without_harm(records: list[Record], data: st.DataObject) -> None:
    """The checksum is looked at before; past it, wrong bytes may give wrong records but never another exception."""
    buffer = encoded([records], Codec.NONE, 0)
    place = data.draw(st.integers(61, len(buffer) - 1))
    buffer[place] ^= data.draw(st.integers(1, 255))
    placed = [Placed(position, header) for position, header in iterate_headers(buffer)]
    with contextlib.suppress(KafkaError):
        list(record_batches(buffer, placed, "t", 0, start=0, end=EVERYTHING, headers=True))
