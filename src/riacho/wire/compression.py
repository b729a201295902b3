"""The four codecs of a record batch, as Java's client reads and writes them.

Snappy travels in xerial's block framing (Java) or bare (librdkafka): both are read, framing is written. LZ4 frames have
independent blocks: Java refuses linked ones. Zstandard frames may lack their content size, as streams do.

Output is bounded by the caller. No codec states its size reliably, so output buffers grow from a guess to the bound.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from enum import IntEnum

import cramjam

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.lz4_frame import open_plain

Buffer = bytes | bytearray | memoryview


class Codec(IntEnum):
    """The low three bits of a batch's attributes."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


CODEC_NAMES = {"none": Codec.NONE, "uncompressed": Codec.NONE} | {codec.name.lower(): codec for codec in Codec if codec}

# Ranges of compression.<codec>.level (KIP-390); gzip's -1 is "the library's default", zstd's lower bound the library's.
LEVELS = {Codec.GZIP: range(-1, 10), Codec.LZ4: range(1, 18), Codec.ZSTD: range(-131072, 23)}
LEVEL_DEFAULT = {Codec.GZIP: -1, Codec.LZ4: 9, Codec.ZSTD: 3}
_GZIP_LEVEL_OF_LIBRARY = 6
_LZ4_LEVEL_FAST = 1

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + (1).to_bytes(4, "big") * 2
_XERIAL_BLOCK_BYTES = 32 * 1024
_FIRST_GUESS_BYTES_MIN = 16 * 1024
_GROWTH = 8
_MAPPED_SIZE_BYTES_MIN = 1 << 20
# How the codecs say that the output did not fit, as opposed to a broken input.
_OUTPUT_FULL = "failed to write whole buffer"


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """`data` under `codec`; levels have the ranges of `LEVELS` and mean nothing to snappy."""
    match codec:
        case Codec.NONE:
            return bytes(data)
        case Codec.GZIP:
            return bytes(cramjam.gzip.compress(data, level=_level(Codec.GZIP, level)))
        case Codec.SNAPPY:
            return _compress_xerial(data)
        case Codec.LZ4:
            return _compress_lz4(data, _level(Codec.LZ4, level))
        case Codec.ZSTD:
            return bytes(cramjam.zstd.compress(data, level=_level(Codec.ZSTD, level)))
    raise _unknown(codec)


def decompress(codec: int, data: Buffer, size_bytes_max: int) -> bytes:
    """What `data` held. Garbage is CORRUPT_MESSAGE.

    More output than `size_bytes_max` is MESSAGE_TOO_LARGE, which clients do not send again as they would a corrupt one.
    """
    match codec:
        case Codec.NONE:
            if len(data) > size_bytes_max:
                raise _too_large(size_bytes_max)
            return bytes(data)
        case Codec.GZIP:
            return _decompress_growing(cramjam.gzip.decompress_into, data, size_bytes_max)
        case Codec.SNAPPY:
            return _decompress_snappy(memoryview(data), size_bytes_max)
        case Codec.LZ4:
            plain = open_plain(data, size_bytes_max)
            if plain is not None:
                return plain
            return _decompress_growing(cramjam.lz4.decompress_into, data, size_bytes_max)
        case Codec.ZSTD:
            return _decompress_growing(cramjam.zstd.decompress_into, data, size_bytes_max)
    raise _unknown(codec)


def _level(codec: Codec, level: int | None) -> int:
    if level is not None and level != LEVEL_DEFAULT[codec]:
        return level
    match codec:
        case Codec.GZIP:
            return _GZIP_LEVEL_OF_LIBRARY
        case Codec.LZ4:
            # To Java the default stands for the fast compressor, any other level for the high one at that level.
            return _LZ4_LEVEL_FAST
    return LEVEL_DEFAULT[codec]


def _compress_lz4(data: Buffer, level: int) -> bytes:
    compressor = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
    compressor.compress(data if isinstance(data, bytes) else bytes(data))
    return bytes(compressor.finish())


def _compress_xerial(data: Buffer) -> bytes:
    view = memoryview(data)
    parts: list[bytes | cramjam.Buffer] = [_XERIAL_HEADER]
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = cramjam.snappy.compress_raw(view[start : start + _XERIAL_BLOCK_BYTES])
        parts.append(len(block).to_bytes(4, "big"))
        parts.append(block)
    return b"".join(parts)


def _decompress_growing(
    decompress_into: Callable[[Buffer, bytearray | mmap.mmap], int], data: Buffer, size_bytes_max: int
) -> bytes:
    size = min(max(_FIRST_GUESS_BYTES_MIN, len(data) * _GROWTH), size_bytes_max)
    while True:
        output = _room(size)
        try:
            written = decompress_into(data, output)
        except cramjam.DecompressionError as error:
            if str(error) != _OUTPUT_FULL:
                raise _corrupt(str(error)) from None
            if size >= size_bytes_max:
                raise _too_large(size_bytes_max) from None
            size = min(size * _GROWTH, size_bytes_max)
        else:
            return bytes(memoryview(output)[:written]) if isinstance(output, bytearray) else output[:written]


def _room(size: int) -> bytearray | mmap.mmap:
    """Much of it comes from the system, which fills it with zeros as it is used: whoever unpacks in a thread does not
    hold up the others for that."""
    return bytearray(size) if size < _MAPPED_SIZE_BYTES_MIN else mmap.mmap(-1, size)


def _decompress_snappy(view: memoryview, size_bytes_max: int) -> bytes:
    blocks = _xerial_blocks(view) if view[: len(_XERIAL_MAGIC)] == _XERIAL_MAGIC else [view]
    try:
        if sum(map(cramjam.snappy.decompress_raw_len, blocks)) > size_bytes_max:
            raise _too_large(size_bytes_max)
        return b"".join(map(cramjam.snappy.decompress_raw, blocks))
    except cramjam.DecompressionError as error:
        raise _corrupt(str(error)) from None


def _xerial_blocks(view: memoryview) -> list[memoryview]:
    blocks = []
    position, end = len(_XERIAL_HEADER), len(view)
    while position < end:
        start = position + 4
        position = start + int.from_bytes(view[position:start], "big")
        if start > end or position > end:
            raise _corrupt("a snappy block runs past the end")
        blocks.append(view[start:position])
    return blocks


def _corrupt(reason: str) -> KafkaError:
    return KafkaError(ErrorCode.CORRUPT_MESSAGE, f"cannot decompress: {reason}")


def _too_large(size_bytes_max: int) -> KafkaError:
    return KafkaError(ErrorCode.MESSAGE_TOO_LARGE, f"records decompress to more than {size_bytes_max} bytes")


def _unknown(codec: int) -> KafkaError:
    return KafkaError(ErrorCode.CORRUPT_MESSAGE, f"unknown compression codec {codec}")
