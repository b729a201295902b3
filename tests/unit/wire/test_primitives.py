"""Unsigned varints and sections of unknown tags."""

from __future__ import annotations

import pytest

from riacho.wire.primitives import (
    WireError,
    read_string_length,
    read_unsigned_varint,
    skip_tagged_fields,
    write_string_length,
    write_unsigned_varint,
)

VARINTS = [
    (0, b"\x00"),
    (1, b"\x01"),
    (127, b"\x7f"),
    (128, b"\x80\x01"),
    (300, b"\xac\x02"),
    (16_383, b"\xff\x7f"),
    (16_384, b"\x80\x80\x01"),
    (2**31 - 1, b"\xff\xff\xff\xff\x07"),
    (2**32 - 1, b"\xff\xff\xff\xff\x0f"),
]


@pytest.mark.parametrize(("value", "encoded"), VARINTS)
def test_varints_both_ways(value: int, encoded: bytes) -> None:
    out = bytearray(b"..")
    write_unsigned_varint(out, value)
    assert out == b".." + encoded
    assert read_unsigned_varint(out + b"more", 2) == (value, len(out))


def test_a_varint_of_six_bytes_is_refused() -> None:
    with pytest.raises(WireError, match="longer than 5"):
        read_unsigned_varint(b"\x80\x80\x80\x80\x80\x01", 0)


def test_padded_varints_are_read() -> None:
    assert read_unsigned_varint(b"\x81\x80\x00", 0) == (1, 3)


@pytest.mark.parametrize("value", [-1, 2**32])
def test_values_outside_32_bits_are_refused(value: int) -> None:
    with pytest.raises(WireError):
        write_unsigned_varint(bytearray(), value)


def test_string_lengths_are_bounded_both_ways() -> None:
    out = bytearray()
    write_string_length(out, 0x8000)
    assert read_string_length(out, 0) == (0x8000, 3)
    with pytest.raises(WireError, match="32768"):
        write_string_length(out, 0x8001)
    with pytest.raises(WireError, match="32768"):
        read_string_length(b"\x81\x80\x02", 0)


def test_sections_of_tags_are_passed_over() -> None:
    section = b"\x02\x05\x03abc\x80\x01\x00"
    assert skip_tagged_fields(b"." + section + b"rest", 1, 100) == 1 + len(section)


@pytest.mark.parametrize("size", [4, 5, 127])
def test_a_tag_longer_than_the_buffer_is_refused(size: int) -> None:
    buffer = bytes((1, 5, size)) + b"abc"
    with pytest.raises(WireError, match="ends before"):
        skip_tagged_fields(buffer, 0, len(buffer))


def test_a_tag_may_end_with_the_buffer() -> None:
    assert skip_tagged_fields(b"\x01\x05\x03abc", 0, 6) == 6
