"""Any records survive a batch, whichever codec, and other implementations agree on what it says."""

from __future__ import annotations

from aiokafka.record.default_records import DefaultRecordBatch
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.wire.batch import crc_is_valid, read_header
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch, iterate_records
from riacho.wire.varint import decode_varint, decode_varlong, encode_zigzag

BASE = 1_700_000_000_000
NULLABLE = st.none() | st.binary(max_size=200)
HEADERS = st.lists(st.tuples(st.text(max_size=20), NULLABLE), max_size=4)
FIELDS = st.tuples(st.integers(-(1 << 40), 1 << 40), NULLABLE, NULLABLE, HEADERS)
LISTS = st.lists(FIELDS, min_size=1, max_size=30).map(
    lambda fields: [Record(n, delta, key, value, headers) for n, (delta, key, value, headers) in enumerate(fields)]
)


@given(LISTS, st.sampled_from(Codec), st.integers(0, 1 << 60))
@settings(max_examples=150, derandomize=True, deadline=None)
def test_records_survive(records: list[Record], codec: Codec, base_offset: int) -> None:
    batch = build_batch(records, base_timestamp=BASE, base_offset=base_offset, codec=codec)
    header = read_header(batch)
    assert crc_is_valid(batch, 0, header)
    assert header.size_bytes == len(batch)
    assert header.last_offset == base_offset + len(records) - 1
    assert header.max_timestamp == BASE + max(r.timestamp_delta for r in records)
    assert list(iterate_records(batch)) == records


@given(LISTS, st.sampled_from(Codec))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_aiokafka_agrees(records: list[Record], codec: Codec) -> None:
    theirs = DefaultRecordBatch(bytes(build_batch(records, base_timestamp=BASE, codec=codec)))
    assert theirs.validate_crc()
    assert [Record(r.offset, r.timestamp - BASE, r.key, r.value, list(r.headers)) for r in theirs] == records


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1), st.binary(max_size=3))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_varints_survive(small: int, large: int, tail: bytes) -> None:
    encoded = encode_zigzag(small) + encode_zigzag(large)
    value, position = decode_varint(encoded + tail, 0)
    assert value == small
    assert decode_varlong(encoded + tail, position) == (large, len(encoded))
