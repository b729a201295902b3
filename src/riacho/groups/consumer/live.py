"""What a consumer group knows and does not store: it dies with the process, and a group that is loaded starts without.

Nothing here is true of the group; it only says when to look again. So a group without it is slower, never wrong.
"""

from __future__ import annotations


class LiveConsumerGroup:
    __slots__ = ("metadata_deadline_ms", "rebalance_epochs")

    def __init__(self) -> None:
        # Until when the metadata hash need not be looked at again.
        self.metadata_deadline_ms = 0
        # The epoch in which each member was asked to let go of partitions: its rebalance timer is for that one alone.
        self.rebalance_epochs: dict[str, int] = {}

    def has_metadata_expired(self, now_ms: int) -> bool:
        return now_ms >= self.metadata_deadline_ms

    def watch_metadata_until(self, deadline_ms: int) -> None:
        self.metadata_deadline_ms = deadline_ms
