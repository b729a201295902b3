"""XXH3, 64 bits, seed 0: how Kafka sums up topics in a group's metadata hash.

Written after the published algorithm. It is called once for a topic that changed, not for every request, so plain
Python will do.
"""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_PRIME32_1 = 0x9E3779B1
_PRIME32_2 = 0x85EBCA77
_PRIME32_3 = 0xC2B2AE3D
_PRIME64_1 = 0x9E3779B185EBCA87
_PRIME64_2 = 0xC2B2AE3D27D4EB4F
_PRIME64_3 = 0x165667B19E3779F9
_PRIME64_4 = 0x85EBCA77C2B2AE63
_PRIME64_5 = 0x27D4EB2F165667C5
_PRIME_MX1 = 0x165667919E3779F9
_PRIME_MX2 = 0x9FB21C651E98DF25

# The algorithm's own constant: 192 bytes that belong to it, like the primes.
_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_STRIPE = 64
_STRIPES_PER_BLOCK = (len(_SECRET) - _STRIPE) // 8
_BLOCK = _STRIPE * _STRIPES_PER_BLOCK
_LANES = struct.Struct("<8Q")
_INITIAL = (_PRIME32_3, _PRIME64_1, _PRIME64_2, _PRIME64_3, _PRIME64_4, _PRIME32_2, _PRIME64_5, _PRIME32_1)


def xxh3_64(data: bytes) -> int:
    """Unsigned."""
    size = len(data)
    if size <= 16:
        return _short(data, size)
    if size <= 240:
        return _medium(data, size)
    return _long(data, size)


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _fold(a: int, b: int) -> int:
    """The 128-bit product, its halves mixed."""
    product = a * b
    return (product & _MASK) ^ (product >> 64)


def _avalanche(value: int) -> int:
    value ^= value >> 37
    value = value * _PRIME_MX1 & _MASK
    return value ^ value >> 32


def _xxh64_avalanche(value: int) -> int:
    value ^= value >> 33
    value = value * _PRIME64_2 & _MASK
    value ^= value >> 29
    value = value * _PRIME64_3 & _MASK
    return value ^ value >> 32


def _short(data: bytes, size: int) -> int:
    if size > 8:
        low = _u64(data, 0) ^ _u64(_SECRET, 24) ^ _u64(_SECRET, 32)
        high = _u64(data, size - 8) ^ _u64(_SECRET, 40) ^ _u64(_SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche((size + swapped + high + _fold(low, high)) & _MASK)
    if size >= 4:
        mixed = (_u32(data, size - 4) + (_u32(data, 0) << 32)) ^ _u64(_SECRET, 8) ^ _u64(_SECRET, 16)
        mixed ^= _rotate(mixed, 49) ^ _rotate(mixed, 24)
        mixed = mixed * _PRIME_MX2 & _MASK
        mixed ^= (mixed >> 35) + size
        mixed = mixed * _PRIME_MX2 & _MASK
        return mixed ^ mixed >> 28
    if size:
        combined = data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8
        return _xxh64_avalanche(combined ^ _u32(_SECRET, 0) ^ _u32(_SECRET, 4))
    return _xxh64_avalanche(_u64(_SECRET, 56) ^ _u64(_SECRET, 64))


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _mix16(data: bytes, at: int, secret_at: int) -> int:
    return _fold(_u64(data, at) ^ _u64(_SECRET, secret_at), _u64(data, at + 8) ^ _u64(_SECRET, secret_at + 8))


def _medium(data: bytes, size: int) -> int:
    total = size * _PRIME64_1 & _MASK
    if size <= 128:
        for turn in range((size - 1) // 32, -1, -1):
            total += _mix16(data, 16 * turn, 32 * turn) + _mix16(data, size - 16 * (turn + 1), 32 * turn + 16)
        return _avalanche(total & _MASK)
    for turn in range(8):
        total += _mix16(data, 16 * turn, 16 * turn)
    total = _avalanche(total & _MASK)
    for turn in range(8, size // 16):
        total += _mix16(data, 16 * turn, 16 * (turn - 8) + 3)
    return _avalanche((total + _mix16(data, size - 16, 136 - 17)) & _MASK)


def _accumulate(lanes: list[int], data: bytes, at: int, secret_at: int) -> None:
    values = _LANES.unpack_from(data, at)
    keys = _LANES.unpack_from(_SECRET, secret_at)
    for lane in range(8):
        value = values[lane]
        keyed = value ^ keys[lane]
        lanes[lane ^ 1] = lanes[lane ^ 1] + value & _MASK
        lanes[lane] = lanes[lane] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & _MASK


def _scramble(lanes: list[int]) -> None:
    keys = _LANES.unpack_from(_SECRET, len(_SECRET) - _STRIPE)
    for lane in range(8):
        value = lanes[lane]
        lanes[lane] = (value ^ value >> 47 ^ keys[lane]) * _PRIME32_1 & _MASK


def _long(data: bytes, size: int) -> int:
    lanes = list(_INITIAL)
    blocks = (size - 1) // _BLOCK
    for block in range(blocks):
        for stripe in range(_STRIPES_PER_BLOCK):
            _accumulate(lanes, data, block * _BLOCK + stripe * _STRIPE, stripe * 8)
        _scramble(lanes)
    start = blocks * _BLOCK
    for stripe in range((size - 1 - start) // _STRIPE):
        _accumulate(lanes, data, start + stripe * _STRIPE, stripe * 8)
    _accumulate(lanes, data, size - _STRIPE, len(_SECRET) - _STRIPE - 7)
    total = size * _PRIME64_1 & _MASK
    for pair in range(4):
        total += _fold(
            lanes[2 * pair] ^ _u64(_SECRET, 11 + 16 * pair), lanes[2 * pair + 1] ^ _u64(_SECRET, 19 + 16 * pair)
        )
    return _avalanche(total & _MASK)
