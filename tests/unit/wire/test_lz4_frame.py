from __future__ import annotations

import cramjam
import lz4.frame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.compression import Codec, decompress
from riacho.wire.lz4_frame import BLOCK_SIZE_BYTES_MAX, PLAIN_HEAD, open_plain

MUCH = 16 << 20
END = bytes(4)


def block(data: bytes, *, is_stored: bool = False) -> bytes:
    packed = data if is_stored else bytes(cramjam.lz4.compress_block(data, store_size=False))
    return (len(packed) | is_stored << 31).to_bytes(4, "little") + packed


def frame(data: bytes, *, is_stored: bool = False, size: int = BLOCK_SIZE_BYTES_MAX) -> bytes:
    blocks = (block(data[start : start + size], is_stored=is_stored) for start in range(0, len(data), size))
    return PLAIN_HEAD + b"".join(blocks) + END


@given(data=st.binary(max_size=400), times=st.integers(1, 800), is_stored=st.booleans())
def test_it_opens_what_a_reader_of_any_frame_opens(data: bytes, times: int, is_stored: bool) -> None:
    made = frame(data * times, is_stored=is_stored)
    assert lz4.frame.decompress(made) == data * times
    for given_as in (made, bytearray(made), memoryview(made)):
        assert open_plain(given_as, MUCH) == data * times


def test_every_frame_that_is_cut_or_goes_on_is_left_to_the_other_reader() -> None:
    made = frame(b"brook " * 100)
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
    made = frame(b"a" * 100_000)
    assert open_plain(made, 100_000) == b"a" * 100_000
    assert open_plain(made, 99_999) is None
    with pytest.raises(KafkaError) as refused:
        decompress(Codec.LZ4, made, 99_999)
    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_a_block_larger_than_the_frame_says_is_damage() -> None:
    """Java's reader has no more room than that for one."""
    made = frame(b"a" * (BLOCK_SIZE_BYTES_MAX + 1), size=1 << 20)
    stored = frame(b"a" * (BLOCK_SIZE_BYTES_MAX + 1), size=1 << 20, is_stored=True)
    broken = PLAIN_HEAD + (5).to_bytes(4, "little") + b"\xff" * 5 + END
    for each in (made, stored, broken):
        assert open_plain(each, MUCH) is None
        with pytest.raises(KafkaError) as refused:
            decompress(Codec.LZ4, each, MUCH)
        assert refused.value.code is ErrorCode.CORRUPT_MESSAGE


def test_thousands_of_tiny_blocks_are_left_to_the_other_reader() -> None:
    made = frame(b"ab" * 5_000, size=2)
    assert open_plain(made, MUCH) is None
    assert decompress(Codec.LZ4, made, MUCH) == b"ab" * 5_000
