"""The order in which a Java HashMap tells its entries.

ksqlDB reads maps into HashMaps, so what MAP_KEYS, ENTRIES, a cast to text or TO_JSON_STRING show is in that order, and
people compare it. Entries come by the bucket of their key's hash; those of one bucket in the order they were put.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

DEFAULT_CAPACITY = 16
KEY_CHARACTERS_MAX = 256
"""Keys that are longer keep the order they came in: hashing them would cost more than the order is worth."""


def in_map_order(entries: dict[str, Any], capacity: int = DEFAULT_CAPACITY) -> dict[str, Any]:
    """`capacity` is what the map was made with; it doubles whenever more than three quarters are taken."""
    if len(entries) < 2 or any(len(key) > KEY_CHARACTERS_MAX for key in entries):
        return entries
    mask = _grown(capacity, len(entries)) - 1
    return dict(sorted(entries.items(), key=lambda entry: _spread_hash(entry[0]) & mask))


def sized_capacity(count: int) -> int:
    """Of a map that was made for so many entries: the next power of two."""
    return 1 << max(count - 1, 0).bit_length()


def _grown(capacity: int, count: int) -> int:
    while count > capacity * 3 // 4:
        capacity *= 2
    return capacity


@lru_cache(maxsize=10_000)
def _spread_hash(key: str) -> int:
    units = key.encode("utf-16-be", "surrogatepass")
    found = 0
    for at in range(0, len(units), 2):
        found = (31 * found + (units[at] << 8 | units[at + 1])) & 0xFFFFFFFF
    return found ^ (found >> 16)
