"""What a record of a share-partition can be, and what a consumer can say of one it holds (KIP-932)."""

from __future__ import annotations

from enum import IntEnum


class RecordState(IntEnum):
    """With the numbers that the share coordinator stores. ACQUIRED is never stored."""

    AVAILABLE = 0
    ACQUIRED = 1
    ACKNOWLEDGED = 2
    ARCHIVED = 4

    @property
    def is_terminal(self) -> bool:
        """Nobody will get this record any more."""
        return self >= RecordState.ACKNOWLEDGED


class AcknowledgeType(IntEnum):
    """GAP is an offset without a record; RENEW asks for more time and changes nothing else (KIP-1222)."""

    GAP = 0
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4


STATE_AFTER = {
    AcknowledgeType.GAP: RecordState.ARCHIVED,
    AcknowledgeType.ACCEPT: RecordState.ACKNOWLEDGED,
    AcknowledgeType.RELEASE: RecordState.AVAILABLE,
    AcknowledgeType.REJECT: RecordState.ARCHIVED,
}
