"""What the group coordinator sees of the cluster's topics.

Cores must not read the metadata image (a sibling room), so the broker hands them this view of it. Every view is one
moment: a decision asks a single view and never sees half a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol


class TopicsView(Protocol):
    @property
    def version(self) -> int:
        """Grows with every change of the cluster's metadata."""
        ...

    def names(self) -> Iterable[str]: ...

    def topic_id(self, name: str) -> bytes | None: ...

    def name_of(self, topic_id: bytes) -> str | None: ...

    def partition_count(self, name: str) -> int:
        """0 for a topic that does not exist."""
        ...

    def racks(self, name: str, partition: int) -> frozenset[str]:
        """Where the replicas of a partition are, as far as their brokers say."""
        ...


class TopicChanges(NamedTuple):
    """What is different from the view before: the topics that came, went, grew or moved."""

    names: frozenset[str]
    has_created: bool


class FixedTopics:
    """A view by itself: of no topics, before the broker knows any, or of those that a test names."""

    def __init__(self, topics: Mapping[str, tuple[bytes, int]] | None = None, version: int = 0) -> None:
        """`topics` has for each name its id and its number of partitions."""
        self._topics = dict(topics or {})
        self._names = {topic_id: name for name, (topic_id, _) in self._topics.items()}
        self.version = version

    def names(self) -> Iterator[str]:
        return iter(self._topics)

    def topic_id(self, name: str) -> bytes | None:
        found = self._topics.get(name)
        return None if found is None else found[0]

    def name_of(self, topic_id: bytes) -> str | None:
        return self._names.get(topic_id)

    def partition_count(self, name: str) -> int:
        found = self._topics.get(name)
        return 0 if found is None else found[1]

    def racks(self, name: str, partition: int) -> frozenset[str]:
        return frozenset()


NO_TOPICS = FixedTopics()
