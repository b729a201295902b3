from __future__ import annotations

import struct

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.refused_records import InvalidRecordsError
from riacho.partition.validation import TopicRules, ValidBatch, validate_produced
from riacho.wire.batch import crc_is_valid, read_header, seal
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch, iterate_records

NOW = 1_700_000_000_000
HOUR = 3_600_000
RULES = TopicRules()
COMPACTED = TopicRules(compacted=True)
APPEND_TIME = TopicRules(timestamp_type="LogAppendTime")
NAMES = {
    Codec.NONE: "uncompressed",
    Codec.GZIP: "gzip",
    Codec.SNAPPY: "snappy",
    Codec.LZ4: "lz4",
    Codec.ZSTD: "zstd",
}

# Where fields of the header stand.
LENGTH, MAGIC, ATTRIBUTES, LAST_OFFSET_DELTA, MAX_TIMESTAMP, COUNT = 8, 16, 21, 23, 35, 57


def records(count: int = 3, *, keyless: tuple[int, ...] = (), deltas: dict[int, int] | None = None) -> list[Record]:
    return [
        Record(n, (deltas or {}).get(n, n), None if n in keyless else b"k%d" % n, b"value" * 20) for n in range(count)
    ]


def batch(made_of: list[Record] | None = None, *, base_timestamp: int = NOW, **fields: int) -> bytearray:
    return build_batch(made_of or records(), base_timestamp=base_timestamp, **fields)  # type: ignore[arg-type]


def altered(position: int, form: str, value: int, *, made: bytearray | None = None) -> bytearray:
    """A batch with one field overwritten under a CRC that is right again."""
    buffer = made or batch()
    struct.pack_into(form, buffer, position, value)
    seal(buffer)
    return buffer


def refused(buffer: bytes | bytearray | memoryview | None, rules: TopicRules = RULES, version: int = 12) -> ErrorCode:
    with pytest.raises(KafkaError) as caught:
        validate_produced(buffer, rules, NOW, version)
    assert caught.value.detail
    return caught.value.code


def refused_records(buffer: bytearray, rules: TopicRules) -> tuple[ErrorCode, list[int]]:
    with pytest.raises(InvalidRecordsError) as caught:
        validate_produced(buffer, rules, NOW)
    assert all(message for _, message in caught.value.record_errors)
    return caught.value.code, [index for index, _ in caught.value.record_errors]


def accepted(buffer: bytearray | memoryview, rules: TopicRules = RULES, version: int = 12) -> ValidBatch:
    valid = validate_produced(buffer, rules, NOW, version)
    assert valid.header == read_header(valid.buffer)
    assert crc_is_valid(valid.buffer, 0, valid.header)
    assert valid.header.size_bytes == len(valid.buffer)
    valid.buffer[0] = 0  # writable, or stamping would fail
    return valid


# The common way


@pytest.mark.parametrize("codec", Codec)
def test_an_ordinary_batch_goes_on_as_the_buffer_it_came_in(codec: Codec) -> None:
    view = memoryview(batch(codec=codec, producer_id=5, producer_epoch=0, base_sequence=0))
    before = bytes(view)
    assert accepted(view).buffer is view
    assert bytes(view) == before


def test_a_read_only_buffer_is_copied_once() -> None:
    original = bytes(batch())
    valid = accepted(memoryview(original))
    assert valid.buffer == original


def test_transactional_batches_are_the_producer_room_s_to_judge() -> None:
    accepted(batch(producer_id=5, producer_epoch=0, base_sequence=0, transactional=True))


# Framing


def test_nothing_and_fragments_are_no_batch() -> None:
    assert refused(None) == ErrorCode.INVALID_RECORD
    assert refused(b"") == ErrorCode.INVALID_RECORD
    assert refused(batch()[:16]) == ErrorCode.INVALID_RECORD
    assert refused(batch()[:60]) == ErrorCode.INVALID_RECORD
    assert refused(batch()[:-1]) == ErrorCode.INVALID_RECORD


def test_exactly_one_batch() -> None:
    assert refused(batch() + batch()) == ErrorCode.INVALID_RECORD
    assert refused(batch() + b"\x00") == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [0, 1])
def test_old_message_formats_are_refused(magic: int) -> None:
    assert refused(altered(MAGIC, ">b", magic)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("magic", [3, 127, -1])
def test_formats_that_do_not_exist_are_corrupt(magic: int) -> None:
    assert refused(altered(MAGIC, ">b", magic)) == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 13, 14, 48])
def test_impossible_lengths_are_corrupt(length: int) -> None:
    assert refused(altered(LENGTH, ">i", length)) == ErrorCode.CORRUPT_MESSAGE


def test_every_flipped_bit_under_the_crc_is_corrupt_or_otherwise_refused() -> None:
    good = batch()
    for position in range(MAGIC + 1, len(good)):
        bad = bytearray(good)
        bad[position] ^= 0x10
        code = refused(bad)
        assert code == ErrorCode.CORRUPT_MESSAGE or position == ATTRIBUTES + 1, position


# The header


def test_base_offset_is_0() -> None:
    assert refused(batch(base_offset=1)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("count", [0, -1, 2, 4, 2**31 - 1, -(2**31)])
def test_count_agrees_with_the_last_offset_delta(count: int) -> None:
    assert refused(altered(COUNT, ">i", count)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("delta", [-1, 0, 3, 2**31 - 1, -(2**31)])
def test_last_offset_delta_agrees_with_the_count(delta: int) -> None:
    assert refused(altered(LAST_OFFSET_DELTA, ">i", delta)) == ErrorCode.INVALID_RECORD


def test_an_empty_batch_is_refused() -> None:
    empty = build_batch([], base_timestamp=NOW, last_offset_delta=-1)
    assert refused(empty) == ErrorCode.INVALID_RECORD


def test_control_batches_are_not_for_clients() -> None:
    assert refused(batch(control=True)) == ErrorCode.INVALID_RECORD
    assert (
        refused(batch(control=True, transactional=True, producer_id=1, producer_epoch=0, base_sequence=0))
        == ErrorCode.INVALID_RECORD
    )


def test_a_producer_has_an_epoch_and_a_sequence() -> None:
    assert refused(batch(producer_id=5, producer_epoch=0, base_sequence=-1)) == ErrorCode.INVALID_RECORD
    assert refused(batch(producer_id=5, producer_epoch=-1, base_sequence=0)) == ErrorCode.INVALID_RECORD
    assert refused(batch(producer_id=0, producer_epoch=-1, base_sequence=-1)) == ErrorCode.INVALID_RECORD
    assert refused(batch(transactional=True)) == ErrorCode.INVALID_RECORD
    accepted(batch(producer_id=0, producer_epoch=0, base_sequence=0))


@pytest.mark.parametrize("version", [3, 6])
def test_zstd_needs_produce_v7(version: int) -> None:
    assert refused(batch(codec=Codec.ZSTD), version=version) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    accepted(batch(codec=Codec.ZSTD), version=7)
    accepted(batch(codec=Codec.LZ4), version=version)


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_codecs_that_do_not_exist(codec: int) -> None:
    assert refused(altered(ATTRIBUTES, ">h", codec)) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


# Sizes


def test_sizes_at_and_over_the_limits() -> None:
    size = len(batch())
    accepted(batch(), TopicRules(message_size_bytes_max=size, segment_size_bytes_max=size))
    assert refused(batch(), TopicRules(message_size_bytes_max=size - 1)) == ErrorCode.MESSAGE_TOO_LARGE
    assert refused(batch(), TopicRules(segment_size_bytes_max=size - 1)) == ErrorCode.RECORD_LIST_TOO_LARGE


def test_size_is_judged_before_the_crc_and_again_after_recompression() -> None:
    broken = batch()
    broken[-1] ^= 1
    assert refused(broken, TopicRules(message_size_bytes_max=100)) == ErrorCode.MESSAGE_TOO_LARGE
    packed = batch(records(50), codec=Codec.ZSTD)
    tight = TopicRules(message_size_bytes_max=len(packed), compression_type="uncompressed")
    assert refused(packed, tight) == ErrorCode.MESSAGE_TOO_LARGE


# Compacted topics


@pytest.mark.parametrize("codec", Codec)
def test_a_compacted_topic_wants_keys(codec: Codec) -> None:
    made = batch(records(4, keyless=(1, 3)), codec=codec)
    assert refused_records(made, COMPACTED) == (ErrorCode.INVALID_RECORD, [1, 3])
    view = memoryview(batch(codec=codec))
    assert accepted(view, COMPACTED).buffer is view


def test_tombstones_and_empty_keys_are_welcome() -> None:
    accepted(batch([Record(0, 0, b"", None), Record(1, 0, b"k", None)]), COMPACTED)


def test_offsets_inside_the_batch_are_in_order() -> None:
    shuffled = [Record(0, 0, b"a", b""), Record(2, 0, b"b", b""), Record(2, 0, b"c", b"")]
    assert refused_records(batch(shuffled), COMPACTED) == (ErrorCode.INVALID_RECORD, [1])


# Timestamps


def test_the_window_of_create_time() -> None:
    rules = TopicRules(timestamp_before_max_ms=HOUR, timestamp_after_max_ms=HOUR)
    accepted(batch(base_timestamp=NOW - HOUR), rules)
    accepted(batch(base_timestamp=NOW + HOUR - 2), rules)
    made = batch(base_timestamp=NOW - HOUR - 1)
    assert refused_records(made, rules) == (ErrorCode.INVALID_TIMESTAMP, [0])
    made = batch(base_timestamp=NOW + HOUR - 1)
    assert refused_records(made, rules) == (ErrorCode.INVALID_TIMESTAMP, [2])


def test_by_default_the_future_is_an_hour_and_the_past_is_endless() -> None:
    accepted(batch(base_timestamp=0))
    assert refused_records(batch(base_timestamp=NOW + HOUR), RULES) == (ErrorCode.INVALID_TIMESTAMP, [1, 2])


def test_an_early_record_behind_a_late_one_is_found() -> None:
    rules = TopicRules(timestamp_before_max_ms=HOUR)
    made = batch(records(deltas={0: 0, 1: -2 * HOUR, 2: 5}))
    assert refused_records(made, rules) == (ErrorCode.INVALID_TIMESTAMP, [1])


def test_one_bad_timestamp_names_the_error_for_all() -> None:
    made = batch(records(3, keyless=(0,), deltas={2: 2 * HOUR}))
    assert refused_records(made, COMPACTED) == (ErrorCode.INVALID_TIMESTAMP, [0, 2])


def test_records_without_timestamp_pass_any_window() -> None:
    made = batch(records(deltas={0: 0, 1: 0, 2: 0}), base_timestamp=-1)
    accepted(made, TopicRules(timestamp_before_max_ms=HOUR))


def test_negative_timestamps_count_as_old() -> None:
    accepted(batch(base_timestamp=-5000))
    made = batch(base_timestamp=-5000)
    assert refused_records(made, TopicRules(timestamp_before_max_ms=HOUR))[1] == [0, 1, 2]


def test_timestamps_beyond_64_bits_are_refused_even_without_a_window() -> None:
    rules = TopicRules(timestamp_after_max_ms=2**63 - 1, compacted=True)
    made = build_batch(
        [Record(0, 0, b"k", b""), Record(1, 5, b"k", b"")], base_timestamp=2**63 - 2, max_timestamp=2**63 - 1
    )
    assert refused_records(made, rules) == (ErrorCode.INVALID_TIMESTAMP, [1])


def test_a_max_timestamp_that_cannot_be_is_put_right() -> None:
    valid = accepted(altered(MAX_TIMESTAMP, ">q", NOW - 1))
    assert valid.header.max_timestamp == NOW + 2
    assert list(iterate_records(valid.buffer)) == records()


def test_a_max_timestamp_that_lies_ahead_is_put_right() -> None:
    assert accepted(altered(MAX_TIMESTAMP, ">q", NOW + 2 * HOUR)).header.max_timestamp == NOW + 2


def test_log_append_time_is_set_in_place() -> None:
    view = memoryview(batch(base_timestamp=NOW - 5 * HOUR, producer_id=9, producer_epoch=1, base_sequence=4))
    valid = accepted(view, APPEND_TIME)
    assert valid.buffer is view
    assert (valid.header.timestamp_type, valid.header.max_timestamp) == (1, NOW)
    assert valid.header.base_timestamp == NOW - 5 * HOUR
    assert (valid.header.producer_id, valid.header.producer_epoch, valid.header.base_sequence) == (9, 1, 4)
    assert list(iterate_records(view)) == records()


def test_log_append_time_ignores_the_window() -> None:
    accepted(batch(base_timestamp=NOW + 9 * HOUR), APPEND_TIME)


def test_the_timestamp_type_is_not_the_producer_s_to_set() -> None:
    assert refused_records(batch(timestamp_type=1), APPEND_TIME) == (ErrorCode.INVALID_TIMESTAMP, [0, 1, 2])
    valid = accepted(batch(timestamp_type=1))
    assert valid.header.timestamp_type == 0


# Recompression


@pytest.mark.parametrize("source", Codec)
@pytest.mark.parametrize("target", Codec)
def test_the_topic_s_codec_replaces_the_producer_s(source: Codec, target: Codec) -> None:
    made = records(40, deltas={3: -700})
    view = memoryview(
        batch(made, codec=source, producer_id=9, producer_epoch=1, base_sequence=4, transactional=True)  # type: ignore[arg-type]
    )
    valid = accepted(view, TopicRules(compression_type=NAMES[target]))
    assert valid.header.compression == target
    assert list(iterate_records(valid.buffer)) == made
    assert valid.header.is_transactional
    assert (valid.header.producer_id, valid.header.producer_epoch, valid.header.base_sequence) == (9, 1, 4)
    assert (valid.header.base_timestamp, valid.header.max_timestamp) == (NOW, NOW + 39)
    assert (valid.buffer is view) == (source == target)


def test_recompression_together_with_log_append_time() -> None:
    valid = accepted(batch(), TopicRules(compression_type="lz4", timestamp_type="LogAppendTime"))
    assert (valid.header.compression, valid.header.timestamp_type, valid.header.max_timestamp) == (3, 1, NOW)
    assert list(iterate_records(valid.buffer)) == records()


def test_levels_are_used() -> None:
    made = [Record(n, 0, b"%d" % (n * 7919), b'{"page": "/p/%d"}' % (n % 40)) for n in range(2000)]
    low = accepted(batch(made), TopicRules(compression_type="gzip", compression_gzip_level=1))
    high = accepted(batch(made), TopicRules(compression_type="gzip", compression_gzip_level=9))
    assert len(high.buffer) < len(low.buffer)


@pytest.mark.parametrize(
    "wrong",
    [
        {"timestamp_type": "create"},
        {"compression_type": "brotli"},
        {"compression_gzip_level": 10},
        {"compression_gzip_level": -2},
        {"compression_lz4_level": 0},
        {"compression_lz4_level": 18},
        {"compression_zstd_level": 23},
    ],
)
def test_rules_are_checked_at_birth(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"message\.timestamp\.type|compression\."):
        TopicRules(**wrong)  # type: ignore[arg-type]
