from __future__ import annotations

import struct

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import (
    CRC_START,
    HEADER_SIZE_BYTES,
    BatchHeader,
    crc32c,
    crc_is_valid,
    iterate_headers,
    read_header,
    seal,
    stamp,
)
from riacho.wire.records import Record, build_batch

T = 1_700_000_000_000


def batch_of(count: int, **fields: int) -> bytearray:
    return build_batch([Record(n, n, b"k", b"v") for n in range(count)], base_timestamp=T, **fields)  # type: ignore[arg-type]


def test_crc32c_is_castagnoli_s() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_header_is_61_bytes_with_the_crc_over_what_follows_byte_21() -> None:
    batch = batch_of(2)
    assert HEADER_SIZE_BYTES == 61
    assert struct.unpack_from(">I", batch, 17)[0] == crc32c(bytes(batch[CRC_START:]))


def test_every_field_has_its_place() -> None:
    fields = BatchHeader(1 << 40, 49, 3, 2, 0xDEADBEEF, 0x35, 9, T, T + 9, 1 << 50, 12, 77, 10)
    packed = struct.pack(">qiibIhiqqqhii", *fields)
    header = read_header(b"xx" + packed, 2)
    assert header == fields
    assert (header.size_bytes, header.last_offset, header.next_offset) == (61, (1 << 40) + 9, (1 << 40) + 10)
    assert (header.compression, header.timestamp_type) == (5, 0)
    assert header.is_transactional
    assert header.is_control
    assert not header.has_delete_horizon
    assert header.has_producer


@pytest.mark.parametrize(
    ("base", "delta", "last"), [(0, 4, 4), (2**31 - 1, 0, 2**31 - 1), (2**31 - 1, 1, 0), (2**31 - 3, 5, 2), (-1, 5, -1)]
)
def test_sequences_wrap_at_31_bits(base: int, delta: int, last: int) -> None:
    header = read_header(batch_of(1))._replace(base_sequence=base, last_offset_delta=delta)
    assert header.last_sequence == last


def test_stamp_leaves_the_crc_valid() -> None:
    batch = bytearray(b"head") + batch_of(3)
    stamp(batch, 1 << 33, 9, position=4)
    header = read_header(batch, 4)
    assert (header.base_offset, header.partition_leader_epoch, header.last_offset) == (1 << 33, 9, (1 << 33) + 2)
    assert crc_is_valid(batch, 4, header)
    assert batch[:4] == b"head"


def test_any_flipped_bit_after_the_crc_is_seen_until_sealed() -> None:
    batch = batch_of(3)
    for position in range(CRC_START, len(batch)):
        batch[position] ^= 1
        assert not crc_is_valid(batch, 0, read_header(batch))
        batch[position] ^= 1
    batch[-1] ^= 1
    seal(batch)
    assert crc_is_valid(batch, 0, read_header(batch))


def test_seal_of_one_batch_among_others() -> None:
    one, two = batch_of(1), batch_of(2)
    log = one + two
    log[len(one) - 1] ^= 1
    seal(log, 0, len(one))
    assert crc_is_valid(log, 0, read_header(log))
    assert log[len(one) :] == two


def test_walk_over_batches_ends_at_a_torn_tail() -> None:
    log = batch_of(2, base_offset=5) + batch_of(3, base_offset=7)
    positions = [(position, header.base_offset) for position, header in iterate_headers(log)]
    assert positions == [(0, 5), (len(batch_of(2)), 7)]
    for torn in (log[:-1], log + log[:60], log + b"\x00"):
        whole = list(iterate_headers(torn))
        assert [p for p, _ in whole] == [p for p, _ in positions][: len(whole)]
    assert len(list(iterate_headers(log[:-1]))) == 1
    assert list(iterate_headers(b"")) == []


@pytest.mark.parametrize("length", [48, 0, -12, -(2**31)])
def test_a_length_below_the_header_s_own_is_corrupt(length: int) -> None:
    batch = batch_of(1)
    struct.pack_into(">i", batch, 8, length)
    with pytest.raises(KafkaError) as caught:
        list(iterate_headers(batch))
    assert caught.value.code == ErrorCode.CORRUPT_MESSAGE
