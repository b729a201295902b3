"""Zigzag varints, as the fields of a record use them: 7 bits a byte, low bits first, small magnitudes short."""

from __future__ import annotations

_VARINT_BYTES_MAX = 5
_VARLONG_BYTES_MAX = 10
_MASK_32 = 0xFFFFFFFF
_MASK_64 = 0xFFFFFFFFFFFFFFFF


def encode_zigzag(value: int) -> bytes:
    """`value` as a varint or varlong, which agree wherever both can hold it. Wraps at 64 bits, as Java does."""
    rest = (value << 1 ^ value >> 63) & _MASK_64
    if rest < 0x80:
        return _ONE_BYTE[rest]
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def decode_varint(data: bytes, position: int) -> tuple[int, int]:
    """(signed 32-bit value, position after it). IndexError past the end, ValueError for more than five bytes."""
    value, position = unsigned_32(data, position)
    return value >> 1 ^ -(value & 1), position


def decode_varlong(data: bytes, position: int) -> tuple[int, int]:
    """(signed 64-bit value, position after it). IndexError past the end, ValueError for more than ten bytes."""
    value, position = unsigned_64(data, position)
    return value >> 1 ^ -(value & 1), position


def unsigned_32(data: bytes, position: int) -> tuple[int, int]:
    """A varint still zigzagged: its lowest bit is the sign."""
    value, position = _unsigned(data, position, _VARINT_BYTES_MAX)
    return value & _MASK_32, position


def unsigned_64(data: bytes, position: int) -> tuple[int, int]:
    """A varlong still zigzagged."""
    value, position = _unsigned(data, position, _VARLONG_BYTES_MAX)
    return value & _MASK_64, position


def _unsigned(data: bytes, position: int, bytes_max: int) -> tuple[int, int]:
    value = shift = 0
    for index in range(position, position + bytes_max):
        byte = data[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, index + 1
        shift += 7
    raise ValueError(f"varint longer than {bytes_max} bytes")


_ONE_BYTE = [bytes([n]) for n in range(0x80)]
