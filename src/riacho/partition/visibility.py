"""How far a reader may see: followers everything, consumers what is committed, read_committed what is also decided.

The offsets, in order: last stable offset <= high watermark <= log end.
"""

from __future__ import annotations

from typing import Protocol

CONSUMER = -1
# kafka-replica-verification and its like: a consumer that reads whatever is there.
DEBUGGING_CONSUMER = -2
READ_COMMITTED = 1


class Offsets(Protocol):
    """A log, as far as this is concerned."""

    log_end_offset: int

    @property
    def high_watermark(self) -> int: ...

    @property
    def last_stable_offset(self) -> int: ...


def is_follower(replica_id: int) -> bool:
    return replica_id >= 0


def visible_end(log: Offsets, replica_id: int, isolation_level: int) -> int:
    """The offset at which this reader's view of the log ends."""
    if replica_id != CONSUMER:
        return log.log_end_offset
    return log.last_stable_offset if isolation_level == READ_COMMITTED else log.high_watermark
