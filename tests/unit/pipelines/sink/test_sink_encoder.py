"""Columns to batches: the wire's own decoder reads back what the columns said, in order within each partition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.pipelines.sink.columns import read_columns
from riacho.pipelines.sink.encoded_batch import Batch, TopicPartition
from riacho.pipelines.sink.encoder import Encoder, Producer
from riacho.pipelines.sink.errors import SinkError
from riacho.wire.batch import crc_is_valid, read_header
from riacho.wire.compression import CODEC_NAMES
from riacho.wire.records import iterate_records, record_timestamp

PLACES = [TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)]
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
PRODUCER = Producer(77, 3, True)

blobs = st.none() | st.binary(max_size=300)
rows_of = st.lists(
    st.tuples(
        blobs,
        blobs,
        st.none() | st.lists(st.tuples(st.text(max_size=5), blobs), max_size=3),
        st.none() | st.integers(0, 4_000_000_000_000_000),
        st.sampled_from(range(len(PLACES))),
    ),
    max_size=60,
)


def arrow_batch(rows: list[Any]) -> pa.RecordBatch:
    headers = [None if r[2] is None else [{"key": k, "value": v} for k, v in r[2]] for r in rows]
    return pa.record_batch(
        {
            "key": pa.array([r[0] for r in rows], pa.binary()),
            "value": pa.array([r[1] for r in rows], pa.binary()),
            "headers": pa.array(headers, HEADERS),
            "timestamp": pa.array([r[3] for r in rows], pa.timestamp("us", tz="UTC")),
        }
    )


def encoder(**settings: Any) -> Encoder:
    return Encoder(PRODUCER, **({"batch_size_bytes": 2_000, "record_size_bytes_max": 1_000_000} | settings))


def encode(rows: list[Any], **settings: Any) -> list[Batch]:
    columns = read_columns(arrow_batch(rows), "t")
    return list(encoder(**settings).encode(columns, PLACES, np.array([r[4] for r in rows], np.int64)))


def decoded(batches: list[Batch], topic_partition: TopicPartition) -> list[tuple[Any, ...]]:
    found = []
    for batch in batches:
        header = read_header(batch.data)
        assert crc_is_valid(batch.data, 0, header)
        assert header.record_count == batch.rows == header.last_offset_delta + 1
        if batch.topic_partition != topic_partition:
            continue
        records = list(iterate_records(batch.data))
        assert [r.offset_delta for r in records] == list(range(batch.rows))
        times = [record_timestamp(header, r) for r in records]
        assert header.max_timestamp == max(times)
        found += [(r.key, r.value, r.headers, t) for r, t in zip(records, times, strict=True)]
    return found


@settings(deadline=None)
@given(rows=rows_of, codec=st.sampled_from(sorted(set(CODEC_NAMES.values()))))
def test_what_goes_in_comes_out(rows: list[Any], codec: int) -> None:
    batches = encode(rows, codec=codec)
    for index, topic_partition in enumerate(PLACES):
        wanted = [r for r in rows if r[4] == index]
        found = decoded(batches, topic_partition)
        assert [f[:3] for f in found] == [(r[0], r[1], list(r[2] or [])) for r in wanted]
        told = [(f[3], r[3] // 1000) for f, r in zip(found, wanted, strict=True) if r[3] is not None]
        assert all(a == b for a, b in told)


@settings(deadline=None)
@given(rows=rows_of)
def test_batches_are_bounded_and_numbered(rows: list[Any]) -> None:
    sequences: dict[TopicPartition, int] = {}
    for batch in encode(rows):
        header = read_header(batch.data)
        assert len(batch.data) <= 2_000 or batch.rows == 1
        assert (header.producer_id, header.producer_epoch, header.is_transactional) == (77, 3, True)
        assert header.base_sequence == sequences.get(batch.topic_partition, 0)
        sequences[batch.topic_partition] = header.base_sequence + batch.rows


def test_sliced_columns_are_read_from_their_own_start() -> None:
    rows = [(b"k%d" % n, b"v%d" % n, [("h", b"%d" % n)], n * 1000, 0) for n in range(10)]
    columns = read_columns(arrow_batch(rows).slice(4, 3), "t")
    batches = list(encoder().encode(columns, PLACES, np.zeros(3, np.int64)))
    assert decoded(batches, PLACES[0]) == [(b"k%d" % n, b"v%d" % n, [("h", b"%d" % n)], n) for n in (4, 5, 6)]


def test_halves_of_a_batch_are_the_batch() -> None:
    rows = [(b"k%d" % n, b"v" * 10, [], n * 1000, 0) for n in range(7)]
    [batch] = encode(rows, codec=CODEC_NAMES["lz4"])
    halves = batch.halves()
    assert decoded(list(halves), PLACES[0]) == decoded([batch], PLACES[0])
    assert [read_header(half.data).base_sequence for half in halves] == [0, 3]


def test_a_record_too_large_is_told() -> None:
    with pytest.raises(SinkError, match=r"A record of 5001 bytes for topic 't' is larger than kafka.max.request.size"):
        encode([(b"k", b"v" * 5_000, None, None, 0)], record_size_bytes_max=4_000)
