"""How far a reader may see: followers everything, consumers what is committed, read_committed what is also decided.

The offsets, in order: last stable offset <= high watermark <= log end.
"""

from __future__ import annotations

from typing import Protocol

# Whatever is below 0 reads as a consumer does.
CONSUMER = -1
# What kafka-replica-verification says, and a controller that asks where logs end: any replica answers it.
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
    if is_follower(replica_id):
        return log.log_end_offset
    return log.last_stable_offset if isolation_level == READ_COMMITTED else log.high_watermark
