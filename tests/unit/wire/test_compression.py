from __future__ import annotations

import gzip

import cramjam
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.compression import CODEC_NAMES, LEVEL_DEFAULT, LEVELS, Codec, compress, decompress

LINES = b"".join(b'{"id": %d, "page": "/p/%d"}\n' % (n * 7919, n % 40) for n in range(4000))
COMPRESSING = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]
LIMIT = 1 << 20


def refused(codec: int, data: bytes, limit: int = LIMIT) -> ErrorCode:
    with pytest.raises(KafkaError) as caught:
        decompress(codec, data, limit)
    return caught.value.code


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("data", [b"", b"x", LINES, bytes(range(256)) * 300], ids=["empty", "one", "lines", "bytes"])
def test_what_goes_in_comes_out_at_the_exact_limit(codec: Codec, data: bytes) -> None:
    assert decompress(codec, compress(codec, data), len(data)) == data
    assert decompress(codec, memoryview(compress(codec, memoryview(data))), LIMIT) == data


@pytest.mark.parametrize("codec", COMPRESSING)
def test_compression_saves_space(codec: Codec) -> None:
    assert len(compress(codec, LINES)) < len(LINES) / 2


@pytest.mark.parametrize("codec", Codec)
def test_one_byte_over_the_limit_is_too_large(codec: Codec) -> None:
    assert refused(codec, compress(codec, LINES), len(LINES) - 1) == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", COMPRESSING)
def test_a_bomb_stops_at_the_limit(codec: Codec) -> None:
    bomb = compress(codec, bytes(32 * LIMIT))
    assert len(bomb) < 2 * LIMIT
    assert refused(codec, bomb) == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", COMPRESSING)
def test_cut_and_foreign_input_is_corrupt(codec: Codec) -> None:
    whole = compress(codec, LINES)
    for cut in (1, 5, len(whole) // 2, len(whole) - 1):
        assert refused(codec, whole[:cut]) == ErrorCode.CORRUPT_MESSAGE
    assert refused(codec, b"\xff" * 64) == ErrorCode.CORRUPT_MESSAGE
    assert refused(codec, b"") == ErrorCode.CORRUPT_MESSAGE


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_codecs_that_do_not_exist_are_corrupt(codec: int) -> None:
    assert refused(codec, b"abc") == ErrorCode.CORRUPT_MESSAGE
    with pytest.raises(KafkaError):
        compress(codec, b"abc")


@pytest.mark.parametrize("codec", LEVELS)
def test_every_end_of_a_level_range_works(codec: Codec) -> None:
    for level in (LEVELS[codec][0], LEVEL_DEFAULT[codec], LEVELS[codec][-1]):
        assert decompress(codec, compress(codec, LINES, level), LIMIT) == LINES


def test_levels_change_the_output() -> None:
    assert len(compress(Codec.GZIP, LINES, 9)) < len(compress(Codec.GZIP, LINES, 1))
    assert len(compress(Codec.ZSTD, LINES, 19)) < len(compress(Codec.ZSTD, LINES, -5))
    assert len(compress(Codec.LZ4, LINES, 12)) < len(compress(Codec.LZ4, LINES))


def test_default_lz4_level_is_the_fast_compressor() -> None:
    assert compress(Codec.LZ4, LINES, LEVEL_DEFAULT[Codec.LZ4]) == compress(Codec.LZ4, LINES, 1)


def test_lz4_blocks_are_independent() -> None:
    flags = compress(Codec.LZ4, LINES)[4]
    assert flags >> 6 == 1, "frame format version"
    assert flags & 0x20, "block independence: Java refuses linked blocks"


def test_linked_lz4_blocks_are_read() -> None:
    linked = bytes(cramjam.lz4.compress(LINES * 4))
    assert not linked[4] & 0x20
    assert decompress(Codec.LZ4, linked, LIMIT) == LINES * 4


def test_snappy_is_written_in_blocks_that_java_reads() -> None:
    framed = compress(Codec.SNAPPY, LINES)
    assert framed[:16] == b"\x82SNAPPY\x00" + b"\x00\x00\x00\x01" * 2
    size = int.from_bytes(framed[16:20], "big")
    assert bytes(cramjam.snappy.decompress_raw(framed[20 : 20 + size])) == LINES[: 32 * 1024]


def test_bare_snappy_is_read() -> None:
    assert decompress(Codec.SNAPPY, bytes(cramjam.snappy.compress_raw(LINES)), LIMIT) == LINES


def test_snappy_claims_are_checked_before_memory_is_taken() -> None:
    assert refused(Codec.SNAPPY, b"\xff\xff\xff\xff\x0f") == ErrorCode.MESSAGE_TOO_LARGE
    header = compress(Codec.SNAPPY, b"")
    assert refused(Codec.SNAPPY, header + b"\xff\xff\xff\xff") == ErrorCode.CORRUPT_MESSAGE
    assert refused(Codec.SNAPPY, header + b"\x00\x00") == ErrorCode.CORRUPT_MESSAGE


def test_zstd_without_content_size_is_read() -> None:
    compressor = cramjam.zstd.Compressor(3)
    compressor.compress(LINES)
    frame = bytes(compressor.finish())
    assert frame[4] & 0xE0 == 0, "no content size and no single segment in the frame header"
    assert decompress(Codec.ZSTD, frame, LIMIT) == LINES


def test_gzip_of_another_writer_and_of_two_members_is_read() -> None:
    assert decompress(Codec.GZIP, gzip.compress(LINES) + gzip.compress(b"tail"), LIMIT) == LINES + b"tail"
    assert gzip.decompress(compress(Codec.GZIP, LINES)) == LINES


def test_names_are_those_of_the_configs() -> None:
    assert CODEC_NAMES == {
        "none": Codec.NONE,
        "uncompressed": Codec.NONE,
        "gzip": Codec.GZIP,
        "snappy": Codec.SNAPPY,
        "lz4": Codec.LZ4,
        "zstd": Codec.ZSTD,
    }
