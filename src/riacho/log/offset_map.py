"""The latest offset of every key in the part of a log that is being compacted, within a budget of memory.

Long keys are kept as a 128-bit digest. What a key costs is an estimate of what Python's objects take.
"""

from __future__ import annotations

from hashlib import blake2b

_DIGEST_SIZE_BYTES = 16
# A dict slot, a bytes object's head and an int.
_ENTRY_SIZE_BYTES = 160


class OffsetMap:
    def __init__(self, size_bytes_max: int) -> None:
        self._offsets: dict[bytes, int] = {}
        self.entries_max = max(1, size_bytes_max // _ENTRY_SIZE_BYTES)
        # The last offset that the map has seen; -1 before the first.
        self.latest_offset = -1

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """False when there is no room for a new key."""
        short = _short(key)
        if short not in self._offsets and len(self._offsets) >= self.entries_max:
            return False
        self._offsets[short] = offset
        return True

    def get(self, key: bytes) -> int:
        """The latest offset of a key; -1 when it has none here."""
        return self._offsets.get(_short(key), -1)


def _short(key: bytes) -> bytes:
    return key if len(key) < _DIGEST_SIZE_BYTES else blake2b(key, digest_size=_DIGEST_SIZE_BYTES).digest()
