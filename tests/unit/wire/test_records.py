"""Batches against three other implementations: Java's (as stored vectors), aiokafka's and kafka-python's."""

from __future__ import annotations

import struct

import pytest
from aiokafka.record.default_records import DefaultRecordBatch as AioBatch
from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from kafka.record.default_records import DefaultRecordBatch as PythonBatch
from kafka.record.default_records import DefaultRecordBatchBuilder as PythonBuilder

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import HEADER_SIZE_BYTES, crc_is_valid, read_header, seal
from riacho.wire.compression import Codec
from riacho.wire.records import (
    Record,
    build_batch,
    decode_records,
    encode_records,
    iterate_records,
    record_timestamp,
)
from riacho.wire.varint import decode_varint, decode_varlong, encode_zigzag

T = 1_700_000_000_000
RECORDS = [
    Record(0, 0, b"k1", b"value one"),
    Record(1, -1000, None, b"no key, earlier"),
    Record(2, 500, b"k3", None, [("h", b"x"), ("nil", None)]),
]
# Those records as Apache Kafka 4.3.1's own builder writes them: producer 7, epoch 3, sequence 11.
JAVA = {
    Codec.NONE: "00000000000000000000006dffffffff02552248ee0000000000020000018bcfe568000000018bcfe569f400000000000000"
    "0700030000000b0000000322000000046b311276616c7565206f6e65002c00cf0f02011e6e6f206b65792c206561726c696572002400e807"
    "04046b33010402680278066e696c01",
    Codec.GZIP: "000000000000000000000081ffffffff02c4a9b1c00001000000020000018bcfe568000000018bcfe569f400000000000000"
    "0700030000000b000000031f8b08000000000000ff5362606060c936142a4bcc294d55c8cf4b65d06138cfcfc4289797af909d5aa9a3909a"
    "589493995ac4a0c2f0829d8525db9891852983a9822d2f33871100b5de4b933c000000",
    Codec.SNAPPY: "000000000000000000000083ffffffff02c4d231580002000000020000018bcfe568000000018bcfe569f4000000000000"
    "000700030000000b0000000382534e415050590000000001000000010000003e3cec22000000046b311276616c7565206f6e65002c00cf0f"
    "02011e6e6f206b65792c206561726c696572002400e80704046b33010402680278066e696c01",
    Codec.LZ4: "00000000000000000000007cffffffff025fe3a68e0003000000020000018bcfe568000000018bcfe569f4000000000000000"
    "700030000000b0000000304224d186040823c00008022000000046b311276616c7565206f6e65002c00cf0f02011e6e6f206b65792c20656"
    "1726c696572002400e80704046b33010402680278066e696c0100000000",
    Codec.ZSTD: "000000000000000000000079ffffffff0234143c890004000000020000018bcfe568000000018bcfe569f400000000000000"
    "0700030000000b0000000328b52ffd0058e0010022000000046b311276616c7565206f6e65002c00cf0f02011e6e6f206b65792c20656172"
    "6c696572002400e80704046b33010402680278066e696c01010000",
}
WIDE = [
    Record(0, 0, b"", b""),
    Record(1, -1, None, None),
    Record(2, 1 << 40, b"k" * 63, b"v" * 64),
    Record(3, -(1 << 40), b"k" * 64, b"v" * 8191),
    Record(4, 63, b"k" * 8192, b"v" * 100_000, [("", b""), ("é" * 40, b"w" * 200), ("nil", None)]),
    *(Record(n, n, b"%d" % n, b"x" * (n % 70), [("n", b"%d" % n)] * (n % 3)) for n in range(5, 300)),
]


def corrupt(batch: bytes | bytearray) -> None:
    with pytest.raises(KafkaError) as caught:
        list(iterate_records(batch))
    assert caught.value.code == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("codec", Codec)
def test_java_s_batches_are_read(codec: Codec) -> None:
    batch = bytes.fromhex(JAVA[codec])
    header = read_header(batch)
    assert crc_is_valid(batch, 0, header)
    assert (header.compression, header.producer_id, header.producer_epoch, header.base_sequence) == (codec, 7, 3, 11)
    assert list(iterate_records(batch)) == RECORDS
    assert [record_timestamp(header, r) for r in iterate_records(batch)] == [T, T - 1000, T + 500]


def test_uncompressed_batch_is_java_s_byte_for_byte() -> None:
    built = build_batch(RECORDS, base_timestamp=T, producer_id=7, producer_epoch=3, base_sequence=11)
    assert built.hex() == JAVA[Codec.NONE]


@pytest.mark.parametrize("codec", Codec)
def test_aiokafka_reads_ours(codec: Codec) -> None:
    batch = AioBatch(bytes(build_batch(WIDE, base_timestamp=T, codec=codec)))
    assert batch.validate_crc()
    assert [(r.offset, r.timestamp - T, r.key, r.value, list(r.headers)) for r in batch] == as_tuples(WIDE)


@pytest.mark.parametrize("codec", Codec)
def test_ours_reads_aiokafka_s(codec: Codec) -> None:
    builder = AioBuilder(2, int(codec), False, -1, -1, -1, 1 << 20)
    for record in WIDE:
        builder.append(record.offset_delta, T + record.timestamp_delta, record.key, record.value, record.headers)
    assert list(iterate_records(builder.build())) == WIDE


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_kafka_python_reads_ours(codec: Codec) -> None:
    batch = PythonBatch(bytes(build_batch(WIDE, base_timestamp=T, codec=codec)))
    assert batch.validate_crc()
    assert [(r.offset, r.timestamp - T, r.key, r.value, list(r.headers)) for r in batch] == as_tuples(WIDE)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_ours_reads_kafka_python_s(codec: Codec) -> None:
    builder = PythonBuilder(2, int(codec), False, -1, -1, -1, 1 << 20)
    for record in WIDE:
        builder.append(record.offset_delta, T + record.timestamp_delta, record.key, record.value, record.headers)
    assert list(iterate_records(bytes(builder.build()))) == WIDE


def as_tuples(records: list[Record]) -> list[tuple[object, ...]]:
    return [(r.offset_delta, r.timestamp_delta, r.key, r.value, r.headers) for r in records]


def test_header_follows_the_records() -> None:
    header = read_header(build_batch(WIDE, base_timestamp=T, base_offset=40, leader_epoch=6))
    assert (header.base_offset, header.partition_leader_epoch, header.magic) == (40, 6, 2)
    assert (header.record_count, header.last_offset_delta, header.last_offset) == (300, 299, 339)
    assert (header.base_timestamp, header.max_timestamp) == (T, T + (1 << 40))
    assert (header.attributes, header.producer_id, header.producer_epoch, header.base_sequence) == (0, -1, -1, -1)


def test_flags() -> None:
    header = read_header(
        build_batch(RECORDS, base_timestamp=T, timestamp_type=1, max_timestamp=T + 9, transactional=True, control=True)
    )
    assert header.is_transactional
    assert header.is_control
    assert header.timestamp_type == 1
    assert record_timestamp(header, RECORDS[1]) == T + 9


def test_a_delete_horizon_leaves_the_times_of_records() -> None:
    batch = build_batch(RECORDS, base_timestamp=T, delete_horizon_ms=T + 86_400_000)
    header = read_header(batch)
    assert header.has_delete_horizon
    assert header.base_timestamp == T + 86_400_000
    assert header.max_timestamp == T + 500
    assert [record_timestamp(header, r) for r in iterate_records(batch)] == [T, T - 1000, T + 500]


def test_compaction_keeps_the_range_of_a_batch() -> None:
    batch = build_batch(RECORDS[:1], base_timestamp=T, last_offset_delta=2, max_timestamp=T + 500)
    header = read_header(batch)
    assert (header.last_offset_delta, header.record_count, header.max_timestamp) == (2, 1, T + 500)


@pytest.mark.parametrize("codec", Codec)
def test_an_emptied_batch_is_a_bare_header(codec: Codec) -> None:
    batch = build_batch([], base_timestamp=T, codec=codec, last_offset_delta=4, producer_id=1, base_sequence=0)
    header = read_header(batch)
    assert (len(batch), header.record_count, header.last_offset_delta) == (HEADER_SIZE_BYTES, 0, 4)
    assert header.max_timestamp == -1
    assert list(iterate_records(batch)) == []


def test_a_batch_in_the_middle_of_a_buffer() -> None:
    one, two = build_batch(RECORDS, base_timestamp=T), build_batch(WIDE, base_timestamp=T, codec=Codec.LZ4)
    assert list(iterate_records(one + two, len(one))) == WIDE
    assert list(iterate_records(memoryview(one + two), 0)) == RECORDS


def test_header_names_that_are_not_utf8_survive() -> None:
    section = encode_records([Record(0, 0, None, None, [("~~", b"v")])]).replace(b"~~", b"\xff\xfe")
    assert encode_records(decode_records(section, 1)) == section


def test_decompression_is_bounded() -> None:
    batch = build_batch([Record(0, 0, None, bytes(1 << 20))], base_timestamp=T, codec=Codec.ZSTD)
    with pytest.raises(KafkaError) as caught:
        iterate_records(batch, size_bytes_max=1 << 19)
    assert caught.value.code == ErrorCode.MESSAGE_TOO_LARGE


def test_buffers_that_hold_no_whole_batch_are_corrupt() -> None:
    batch = build_batch(RECORDS, base_timestamp=T)
    corrupt(b"")
    corrupt(batch[:60])
    corrupt(batch[:-1])
    struct.pack_into(">i", batch, 8, 48)
    corrupt(batch)
    struct.pack_into(">i", batch, 8, -1)
    corrupt(batch)


@pytest.mark.parametrize("count", [-1, 0, 2, 4, 2**31 - 1])
def test_a_wrong_count_is_corrupt(count: int) -> None:
    batch = build_batch(RECORDS, base_timestamp=T)
    struct.pack_into(">i", batch, 57, count)
    corrupt(batch)


def record_bytes(*, size: int | None = None, fields: bytes) -> bytes:
    return encode_zigzag(len(fields) if size is None else size) + fields


@pytest.mark.parametrize(
    "section",
    [
        record_bytes(size=-1, fields=b""),
        record_bytes(size=0, fields=b""),
        record_bytes(size=100, fields=b"\0\0\0\1\1\0"),
        record_bytes(size=5, fields=b"\0\0\0\1\1\0"),
        record_bytes(size=7, fields=b"\0\0\0\1\1\0\0\0"),
        record_bytes(fields=b"\0\0\0" + encode_zigzag(50) + b"key\1\0"),
        record_bytes(fields=b"\0\0\0\1" + encode_zigzag(2**31 - 1) + b"value\0"),
        record_bytes(fields=b"\0\0\0\1\1\1"),
        record_bytes(fields=b"\0\0\0\1\1" + encode_zigzag(2**31 - 1)),
        record_bytes(fields=b"\0\0\0\1\1\2\1\0"),
        record_bytes(fields=b"\0\0\0\1\1\2\2h" + encode_zigzag(9)),
        record_bytes(fields=b"\0\0\0\1\1\2" + encode_zigzag(9) + b"h\0"),
        record_bytes(fields=b"\0" + b"\xff" * 10 + b"\1\0\1\1\0"),
        record_bytes(fields=b"\0\0" + b"\xff" * 5 + b"\1\1\1\0"),
        b"\x80\x80\x80\x80\x80\x01",
        b"\x80",
    ],
)
def test_malformed_records_are_corrupt(section: bytes) -> None:
    with pytest.raises(KafkaError) as caught:
        decode_records(section, 1)
    assert caught.value.code == ErrorCode.CORRUPT_MESSAGE


def test_a_record_cannot_borrow_from_the_next_one() -> None:
    """A value that claims one byte of the following record, whose size still adds up over the batch."""
    honest = encode_records([Record(0, 0, None, b"ab"), Record(1, 0, None, b"cd")])
    assert len(decode_records(honest, 2)) == 2
    at = honest.index(b"\x04ab")
    with pytest.raises(KafkaError):
        decode_records(honest[:at] + b"\x08" + honest[at + 1 :], 2)


def test_records_under_a_compressed_lie_are_corrupt() -> None:
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD):
        batch = build_batch(RECORDS, base_timestamp=T, codec=codec)
        batch[HEADER_SIZE_BYTES:] = b"\xff" * (len(batch) - HEADER_SIZE_BYTES)
        seal(batch)
        corrupt(batch)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (-64, "7f"), (64, "8001"), (300, "d804"), (2**31 - 1, "feffffff0f")],
)
def test_varints(value: int, encoded: str) -> None:
    assert encode_zigzag(value).hex() == encoded
    assert decode_varint(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)
    assert decode_varlong(bytes.fromhex(encoded), 0) == (value, len(encoded) // 2)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**31, -(2**31) - 1])
def test_varlongs(value: int) -> None:
    assert decode_varlong(encode_zigzag(value), 0) == (value, len(encode_zigzag(value)))
