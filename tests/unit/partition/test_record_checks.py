"""What records must be, and how much of the caller's time they may take."""

from __future__ import annotations

import struct

import cramjam
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.record_checks import (
    LOOP_BLOCKS_SIZE_BYTES_MAX,
    LOOP_RECORDS_MAX,
    LOOP_UNPACKED_SIZE_BYTES_MAX,
    RECORD_ERRORS_MAX,
    RECORDS_FLOOR,
    UNPACKED_TO_MESSAGE_SIZE_MAX,
)
from riacho.partition.refused_records import InvalidRecordsError, TakesLongError
from riacho.partition.validation import TopicRules, ValidBatch, validate_produced
from riacho.wire.batch import HEADER_SIZE_BYTES, crc_is_valid, read_header, seal
from riacho.wire.compression import Codec, compress
from riacho.wire.records import Record, build_batch, encode_records
from support.plain_lz4 import plain_lz4
from support.unreadable_batches import COUNT_AT, GOOD, MALFORMED, MAX_TIMESTAMP_AT, crafted, record

NOW = 1_700_000_000_000
RULES = TopicRules()
COMPACTED = TopicRules(compacted=True)
PACKED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


def refused(made: bytes, rules: TopicRules = RULES, *, may_take_long: bool = False) -> KafkaError:
    with pytest.raises(KafkaError) as caught:
        validate_produced(made, rules, NOW, may_take_long=may_take_long)
    assert caught.value.detail
    return caught.value


def takes_long(made: bytes, rules: TopicRules = RULES) -> None:
    with pytest.raises(TakesLongError):
        validate_produced(made, rules, NOW)


def at_length(made: bytes, rules: TopicRules = RULES) -> ValidBatch:
    return validate_produced(bytearray(made), rules, NOW, may_take_long=True)


@pytest.mark.parametrize("made", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_records_under_a_good_crc_are_final(made: bytes) -> None:
    assert refused(made).code == ErrorCode.INVALID_RECORD
    count = struct.unpack_from(">i", made, COUNT_AT)[0]
    for codec in PACKED:
        packed = crafted(compress(codec, made[HEADER_SIZE_BYTES:]), count, codec)
        assert refused(packed).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", PACKED)
def test_what_cannot_be_unpacked_is_final(codec: Codec) -> None:
    assert refused(crafted(GOOD, 3, codec)).code == ErrorCode.INVALID_RECORD
    assert refused(crafted(b"", 3, codec)).code == ErrorCode.INVALID_RECORD
    whole = compress(codec, encode_records([Record(at, at, b"k%d" % at, b"v" * 60) for at in range(30)]))
    validate_produced(crafted(whole, 30, codec), RULES, NOW)
    assert refused(crafted(whole[:-9], 30, codec)).code == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("codec", Codec)
def test_records_out_of_their_places_are_named(codec: Codec) -> None:
    error = refused(crafted(compress(codec, record(0) + record(2) + record(1)), 3, codec))
    assert isinstance(error, InvalidRecordsError)
    assert error.code == ErrorCode.INVALID_RECORD
    assert [at for at, _ in error.record_errors] == [1, 2]


@pytest.mark.parametrize("said", [-1, 0, NOW - 1, NOW + 1, NOW + 5])
def test_the_largest_timestamp_is_that_of_the_records(said: int) -> None:
    made = build_batch([Record(at, 2 * at, None, b"v") for at in range(3)], base_timestamp=NOW)
    struct.pack_into(">q", made, MAX_TIMESTAMP_AT, said)
    seal(made)
    valid = validate_produced(made, RULES, NOW)
    assert valid.header.max_timestamp == NOW + 4
    assert valid.header == read_header(valid.buffer)
    assert crc_is_valid(valid.buffer, 0, valid.header)


# Bounds


def bomb(codec: Codec, size_bytes: int, count: int = 3) -> bytes:
    return crafted(compress(codec, bytes(size_bytes)), count, codec)


@pytest.mark.parametrize("codec", PACKED)
def test_the_loop_unpacks_no_more_than_its_share(codec: Codec) -> None:
    value = bytes(LOOP_UNPACKED_SIZE_BYTES_MAX)
    large = bytes(build_batch([Record(0, 0, None, value)], base_timestamp=NOW, codec=codec))
    takes_long(large)
    assert at_length(large).header.record_count == 1
    small = bytes(build_batch([Record(0, 0, None, value[:-100])], base_timestamp=NOW, codec=codec))
    assert validate_produced(small, RULES, NOW).header.record_count == 1


def test_the_loop_does_not_begin_with_much_that_is_packed() -> None:
    takes_long(crafted(b"\xff" * 200_000, 3, Codec.ZSTD))


def test_the_loop_walks_over_so_many_records() -> None:
    count = LOOP_RECORDS_MAX + 1
    many = bytes(build_batch([Record(at, 0, b"", b"") for at in range(count)], base_timestamp=NOW))
    takes_long(many)
    assert at_length(many).header.record_count == count
    packed = bytes(build_batch([Record(at, 0, b"", b"") for at in range(count)], base_timestamp=NOW, codec=Codec.LZ4))
    takes_long(packed)
    assert at_length(packed).header.record_count == count


def test_another_codec_for_much_takes_long() -> None:
    large = bytes(build_batch([Record(0, 0, None, bytes(200_000))], base_timestamp=NOW))
    rules = TopicRules(compression_type="gzip")
    takes_long(large, rules)
    assert at_length(large, rules).header.compression == Codec.GZIP


# Snappy packs to a twentieth at best, so that such a batch is too large before it is looked into.
@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD])
def test_records_unpack_to_so_many_times_the_message_size(codec: Codec) -> None:
    """However long it may take."""
    size_bytes_max = UNPACKED_TO_MESSAGE_SIZE_MAX << 20
    error = refused(bomb(codec, size_bytes_max + 1), TopicRules(message_size_bytes_max=1 << 20), may_take_long=True)
    assert (error.code, str(size_bytes_max) in error.detail) == (ErrorCode.MESSAGE_TOO_LARGE, True)


def test_more_records_than_could_ever_unpack_are_refused_unseen() -> None:
    assert refused(crafted(b"\xff" * 200_000, 1 << 30, Codec.ZSTD)).code == ErrorCode.INVALID_RECORD


def test_a_batch_holds_so_many_records() -> None:
    """Small as they are: they are taken out together when it is compacted."""
    rules = TopicRules(message_size_bytes_max=RECORDS_FLOOR - 1)
    count = RECORDS_FLOOR + 1
    many = bytes(build_batch([Record(at, 0, b"", b"") for at in range(count)], base_timestamp=NOW, codec=Codec.ZSTD))
    assert len(many) < RECORDS_FLOOR
    assert refused(many, rules, may_take_long=True).code == ErrorCode.MESSAGE_TOO_LARGE
    assert at_length(many, TopicRules(message_size_bytes_max=count)).header.record_count == count


@pytest.mark.parametrize("max_timestamp", [NOW - 1, NOW, -1])
def test_no_header_makes_the_loop_unpack_a_bomb(max_timestamp: int) -> None:
    made = bytearray(crafted(bytes(cramjam.zstd.compress(bytes(32 << 20))), 3, Codec.ZSTD, base_timestamp=NOW))
    struct.pack_into(">q", made, MAX_TIMESTAMP_AT, max_timestamp)
    seal(made)
    for rules in (RULES, COMPACTED, TopicRules(compression_type="gzip"), TopicRules(timestamp_before_max_ms=1)):
        takes_long(bytes(made), rules)


def test_so_many_offenders_are_named_and_no_more() -> None:
    count = RECORD_ERRORS_MAX + 500
    made = bytes(build_batch([Record(at, 0, None, b"") for at in range(count)], base_timestamp=NOW))
    error = refused(made, COMPACTED)
    assert isinstance(error, InvalidRecordsError)
    assert [at for at, _ in error.record_errors] == list(range(RECORD_ERRORS_MAX))


def test_an_offender_behind_many_good_ones_is_named() -> None:
    count = 60_000
    made = bytes(
        build_batch([Record(at, 0, b"" if at < count - 1 else None, b"") for at in range(count)], base_timestamp=NOW)
    )
    error = refused(made, COMPACTED, may_take_long=True)
    assert isinstance(error, InvalidRecordsError)
    assert [at for at, _ in error.record_errors] == [count - 1]


# In windows: more than one of them is needed for these


MANY = 1_000


def large(codec: Codec, *odd: Record, size_bytes: int = 1_000) -> bytes:
    """A megabyte of good records, then others."""
    records = [Record(at, 0, b"k", b"%04d" % at * (size_bytes // 4)) for at in range(MANY)] + list(odd)
    return packed_in(codec, encode_records(records), len(records))


def packed_in(codec: Codec, section: bytes, count: int) -> bytes:
    return crafted(plain_lz4(section) if codec else section, count, codec, base_timestamp=NOW)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_a_megabyte_is_checked_on_the_loop(codec: Codec) -> None:
    made = large(codec, Record(MANY, 70, None, b"latest"))
    assert validate_produced(made, RULES, NOW).header.max_timestamp == NOW + 70


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
@pytest.mark.parametrize("size_bytes", [65_000, 66_000, 131_000, 700_000])
def test_records_may_be_larger_than_a_window(codec: Codec, size_bytes: int) -> None:
    sizes = (1, size_bytes, 0, size_bytes + 1, 7)
    records = [Record(at, at, None, bytes([at]) * size) for at, size in enumerate(sizes)]
    made = packed_in(codec, encode_records(records), len(records))
    assert validate_produced(made, TopicRules(message_size_bytes_max=2 << 20), NOW).header.max_timestamp == NOW + 4


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_offenders_in_a_later_window_are_named(codec: Codec) -> None:
    made = large(codec, Record(MANY, 0, None, b""), Record(MANY + 1, 0, b"k", b""), Record(MANY + 2, 0, None, b""))
    error = refused(made, COMPACTED, may_take_long=True)
    assert isinstance(error, InvalidRecordsError)
    assert [at for at, _ in error.record_errors] == [MANY, MANY + 2]


def test_offenders_in_a_large_frame_are_not_named_on_the_loop() -> None:
    """For that all of it has to be unpacked."""
    takes_long(large(Codec.LZ4, Record(MANY, 0, None, b"")), COMPACTED)


@pytest.mark.parametrize("made", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_records_in_a_later_window_are_final(made: bytes) -> None:
    good = encode_records([Record(at, 0, b"k", b"v" * 700) for at in range(200)])
    count = 200 + struct.unpack_from(">i", made, COUNT_AT)[0]
    for codec in (Codec.NONE, Codec.LZ4):
        section = good + made[HEADER_SIZE_BYTES:]
        packed = packed_in(codec, section, min(count, LOOP_RECORDS_MAX))
        assert refused(packed).code == ErrorCode.INVALID_RECORD


def test_a_large_frame_that_is_cut_or_damaged_is_final() -> None:
    whole = plain_lz4(encode_records([Record(at, 0, b"k", b"v" * 700) for at in range(200)]))
    middle = whole[:-60] + b"\xff" * 9 + whole[-51:]
    for damaged in (whole[:-4], whole[: len(whole) // 2], middle):
        assert refused(crafted(damaged, 200, Codec.LZ4)).code == ErrorCode.INVALID_RECORD


def test_the_loop_unpacks_so_much_of_a_plain_frame() -> None:
    for size_bytes, is_long in ((LOOP_BLOCKS_SIZE_BYTES_MAX - 100, False), (LOOP_BLOCKS_SIZE_BYTES_MAX, True)):
        made = packed_in(Codec.LZ4, encode_records([Record(0, 0, None, bytes(size_bytes))]), 1)
        if is_long:
            takes_long(made)
        assert at_length(made).header.record_count == 1
        if not is_long:
            assert validate_produced(made, RULES, NOW).header.record_count == 1
            with pytest.raises(TakesLongError):
                validate_produced(made, RULES, NOW, blocks_size_bytes_max=LOOP_UNPACKED_SIZE_BYTES_MAX)


def test_a_large_frame_is_written_in_the_topic_s_codec() -> None:
    rules = TopicRules(compression_type="gzip")
    made = large(Codec.LZ4)
    takes_long(made, rules)
    assert at_length(made, rules).header.compression == Codec.GZIP
