from __future__ import annotations

import random

import lz4.frame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.compression import Codec, decompress
from riacho.wire.lz4_frame import BLOCK_SIZE_BYTES_MAX, PLAIN_HEAD, NotPlainError, PlainFrame, open_plain
from support.plain_lz4 import plain_lz4

MUCH = 16 << 20
END = bytes(4)


@given(data=st.binary(max_size=400), times=st.integers(1, 800), is_stored=st.booleans())
def test_it_opens_what_a_reader_of_any_frame_opens(data: bytes, times: int, is_stored: bool) -> None:
    made = plain_lz4(data * times, is_stored=is_stored)
    assert lz4.frame.decompress(made) == data * times
    for given_as in (made, bytearray(made), memoryview(made)):
        assert open_plain(given_as, MUCH) == data * times


def test_every_frame_that_is_cut_or_goes_on_is_left_to_the_other_reader() -> None:
    made = plain_lz4(b"brook " * 100)
    for end in range(len(made)):
        assert open_plain(made[:end], MUCH) is None
    assert open_plain(made + b"\0", MUCH) is None


@pytest.mark.parametrize(
    "options",
    [{"store_size": True}, {"content_checksum": True}, {"block_checksum": True}, {"block_linked": True}],
    ids=str,
)
def test_frames_made_otherwise_are_opened_all_the_same(options: dict[str, bool]) -> None:
    data = b"brook and river " * 9_000
    made = lz4.frame.compress(data, **{"store_size": False, "block_linked": False} | options)
    assert open_plain(made, MUCH) is None
    assert decompress(Codec.LZ4, made, MUCH) == data


def test_what_does_not_fit_is_told_by_the_other_reader() -> None:
    made = plain_lz4(b"a" * 100_000)
    assert open_plain(made, 100_000) == b"a" * 100_000
    assert open_plain(made, 99_999) is None
    with pytest.raises(KafkaError) as refused:
        decompress(Codec.LZ4, made, 99_999)
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_a_block_larger_than_the_frame_says_is_damage() -> None:
    """Java's reader has no more room than that for one."""
    made = plain_lz4(b"a" * (BLOCK_SIZE_BYTES_MAX + 1), size_bytes=1 << 20)
    stored = plain_lz4(b"a" * (BLOCK_SIZE_BYTES_MAX + 1), size_bytes=1 << 20, is_stored=True)
    broken = PLAIN_HEAD + (5).to_bytes(4, "little") + b"\xff" * 5 + END
    for each in (made, stored, broken):
        assert open_plain(each, MUCH) is None
        with pytest.raises(KafkaError) as refused:
            decompress(Codec.LZ4, each, MUCH)
        assert refused.value.code is ErrorCode.CORRUPT_MESSAGE


def test_thousands_of_tiny_blocks_are_left_to_the_other_reader() -> None:
    made = plain_lz4(b"ab" * 5_000, size_bytes=2)
    assert open_plain(made, MUCH) is None
    assert decompress(Codec.LZ4, made, MUCH) == b"ab" * 5_000


@settings(deadline=None)
@given(st.data())
def test_windows_begin_with_what_is_kept_of_the_one_before(draw: st.DataObject) -> None:
    size = draw.draw(st.sampled_from([100, 40_000, BLOCK_SIZE_BYTES_MAX]))
    times = draw.draw(st.integers(0, 400_000)) * size // BLOCK_SIZE_BYTES_MAX
    data = (b"brook and river %d " % size * (times // 16 + 1))[:times]
    opened, start, window = PlainFrame(plain_lz4(data, size_bytes=size), MUCH), 0, b""
    while not opened.is_last:
        kept = draw.draw(st.integers(0, len(window)))
        wanted = draw.draw(st.sampled_from([0, 10, kept + 1, BLOCK_SIZE_BYTES_MAX + 1, 200_000]))
        start += len(window) - kept
        window = opened.after(kept, wanted)
        assert window == data[start : start + len(window)]
        assert len(window) > kept
        assert len(window) >= wanted or opened.is_last
    assert start + len(window) == len(data)
    assert opened.after(len(window)) == window


def test_damage_is_told_when_it_is_come_to() -> None:
    made = bytearray(plain_lz4(random.Random(1).randbytes(3 * BLOCK_SIZE_BYTES_MAX), is_stored=True))
    del made[-BLOCK_SIZE_BYTES_MAX:]
    opened = PlainFrame(made, MUCH)
    assert len(opened.after(0)) == len(opened.after(0)) == BLOCK_SIZE_BYTES_MAX
    with pytest.raises(NotPlainError):
        opened.after(0)
