"""A record as it goes to the producer."""

from __future__ import annotations

import msgspec

# Where the producer chooses the partition, and where it stamps the time.
ANY_PARTITION = -1
NOW = 0


class Record(msgspec.Struct, gc=False):
    """`value` and `key` are the bytes as they stand in the log."""

    value: bytes | None = None
    key: bytes | None = None
    partition: int = ANY_PARTITION
    timestamp_ms: int = NOW
    headers: list[tuple[str, str | bytes | None]] | None = None

    @property
    def size_bytes(self) -> int:
        return len(self.value or b"") + len(self.key or b"")
