"""What is counted by topic: one set of counters a topic, shared by its partitions here.

A partition holds its topic's counters (`HostedPartition.counts`), so a request adds to them without looking anything
up, and a scrape reads as many as there are topics. Sums over all topics never fall: what a deleted topic had counted is
kept in them.
"""

from __future__ import annotations

_FIELDS = ("bytes_in", "bytes_out", "fetch_requests", "messages_in", "produce_requests")


class TopicCounts:
    """Of producers and consumers; what replicas copy from each other is not in it."""

    __slots__ = _FIELDS

    def __init__(self) -> None:
        self.bytes_in = 0
        self.bytes_out = 0
        self.fetch_requests = 0
        self.messages_in = 0
        self.produce_requests = 0

    def add(self, other: TopicCounts) -> None:
        for field in _FIELDS:
            setattr(self, field, getattr(self, field) + getattr(other, field))


class TopicMetrics:
    def __init__(self) -> None:
        self._by_topic: dict[str, TopicCounts] = {}
        self._gone = TopicCounts()

    def of(self, topic: str) -> TopicCounts:
        found = self._by_topic.get(topic)
        if found is None:
            found = self._by_topic[topic] = TopicCounts()
        return found

    def forget(self, topic: str) -> None:
        """The topic was deleted. One that comes under its name later counts from zero."""
        gone = self._by_topic.pop(topic, None)
        if gone is not None:
            self._gone.add(gone)

    def all(self) -> list[tuple[str, TopicCounts]]:
        return list(self._by_topic.items())

    def total(self) -> TopicCounts:
        """Over all topics since the start."""
        total = TopicCounts()
        total.add(self._gone)
        for counts in self._by_topic.values():
            total.add(counts)
        return total
