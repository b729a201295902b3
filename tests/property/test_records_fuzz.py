"""Hostile bytes: whatever arrives, the answer is a KafkaError or a sound result, never another exception."""

from __future__ import annotations

import contextlib
import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.errors import KafkaError
from riacho.partition.validation import TopicRules, validate_produced
from riacho.wire.batch import HEADER_SIZE_BYTES, crc_is_valid, read_header, seal
from riacho.wire.compression import Codec, decompress
from riacho.wire.records import Record, build_batch, decode_records, encode_records, iterate_records

NOW = 1_700_000_000_000
LIMIT = 1 << 20
RULES = [
    TopicRules(),
    TopicRules(compacted=True, timestamp_before_max_ms=1000),
    TopicRules(compression_type="lz4"),
    TopicRules(compression_type="uncompressed", timestamp_type="LogAppendTime"),
    TopicRules(timestamp_type="LogAppendTime", message_size_bytes_max=300),
    TopicRules(compacted=True, timestamp_after_max_ms=2**63 - 1, segment_size_bytes_max=400),
]
CHANGES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6)
SEEDS = [
    bytes(
        build_batch(
            [
                Record(0, 0, b"key", b"v" * 40),
                Record(1, -9, None, None, [("h", b"x"), ("nil", None)]),
                Record(2, 70_000, b"k" * 70, b""),
            ],
            base_timestamp=NOW,
            codec=codec,
            producer_id=1,
            producer_epoch=0,
            base_sequence=0,
        )
    )
    for codec in Codec
]


def changed(batch: bytes, changes: list[tuple[int, int]], start: int = 0) -> bytearray:
    buffer = bytearray(batch)
    for position, byte in changes:
        buffer[start + position % (len(buffer) - start)] = byte
    return buffer


@given(st.sampled_from(SEEDS), CHANGES, st.booleans(), st.integers(0, 20), st.sampled_from(RULES))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_validation(batch: bytes, changes: list[tuple[int, int]], sealed: bool, cut: int, rules: TopicRules) -> None:
    buffer = changed(batch, changes)
    if sealed:
        seal(buffer)
    try:
        valid = validate_produced(memoryview(buffer)[: len(buffer) - cut], rules, NOW)
    except KafkaError:
        return
    assert valid.header == read_header(valid.buffer)
    assert valid.header.size_bytes == len(valid.buffer) <= rules.message_size_bytes_max
    assert crc_is_valid(valid.buffer, 0, valid.header)
    assert valid.header.record_count == valid.header.last_offset_delta + 1 > 0


@given(st.binary(max_size=200), st.sampled_from(RULES))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_validation_of_noise(noise: bytes, rules: TopicRules) -> None:
    buffer = bytearray(noise)
    if len(buffer) >= HEADER_SIZE_BYTES:
        struct.pack_into(">i", buffer, 8, len(buffer) - 12)
        buffer[16] = 2
        seal(buffer)
    with contextlib.suppress(KafkaError):
        validate_produced(buffer, rules, NOW)


@given(st.sampled_from(SEEDS), CHANGES)
@settings(max_examples=400, derandomize=True, deadline=None)
def test_reading_records(batch: bytes, changes: list[tuple[int, int]]) -> None:
    buffer = changed(batch, changes)
    try:
        records = list(iterate_records(buffer, size_bytes_max=LIMIT))
    except KafkaError:
        return
    assert len(records) == read_header(buffer).record_count


@given(st.binary(max_size=120), st.integers(-1, 6))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_decoding_noise(noise: bytes, count: int) -> None:
    try:
        records = decode_records(noise, count)
    except KafkaError:
        return
    assert decode_records(encode_records(records), len(records)) == [
        Record(r.offset_delta, r.timestamp_delta, r.key, r.value, r.headers) for r in records
    ]


@given(st.sampled_from(SEEDS[1:]), CHANGES)
@settings(max_examples=400, derandomize=True, deadline=None)
def test_decompression(batch: bytes, changes: list[tuple[int, int]]) -> None:
    buffer = changed(batch, changes, start=HEADER_SIZE_BYTES)
    with contextlib.suppress(KafkaError):
        assert len(decompress(read_header(batch).compression, buffer[HEADER_SIZE_BYTES:], LIMIT)) <= LIMIT
