"""What a share group knows and does not store: it dies with the process, and a group that is loaded starts without."""

from __future__ import annotations

from collections.abc import Iterable


class LiveShareGroup:
    __slots__ = ("_initializing_since_ms", "is_stale")

    def __init__(self) -> None:
        # Whether topics may have changed since the metadata hash was taken.
        self.is_stale = True
        # Since when the share coordinator is creating the state of a topic's partitions.
        self._initializing_since_ms: dict[bytes, int] = {}

    def hash_taken(self) -> None:
        self.is_stale = False

    def initializing(self, topic_ids: Iterable[bytes], now_ms: int) -> None:
        self._initializing_since_ms.update(dict.fromkeys(topic_ids, now_ms))

    def initialized(self, topic_id: bytes) -> None:
        self._initializing_since_ms.pop(topic_id, None)

    def is_initializing(self, topic_id: bytes, now_ms: int, retry_interval_ms: int) -> bool:
        """Whether it was asked for and the answer may still come."""
        since_ms = self._initializing_since_ms.get(topic_id)
        return since_ms is not None and now_ms - since_ms < retry_interval_ms
