"""The records of a service's log: as they are read back from it, and as a decision asks for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One committed record of the log. Offsets grow but have holes: markers, aborted writes, compaction."""

    key: bytes | None
    value: bytes | None
    offset: int
    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class Append:
    """A record to be written; `value` None is a tombstone, which needs a key."""

    key: bytes | None
    value: bytes | None
