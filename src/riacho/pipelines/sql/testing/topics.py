"""Topics in memory, one partition each, as Kafka Streams' test driver has them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TopicRecord:
    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(slots=True)
class MemoryTopic:
    name: str
    partitions: int = 1
    replicas: int = 1
    records: list[TopicRecord] = field(default_factory=list)


class MemoryTopics:
    def __init__(self) -> None:
        self._topics: dict[str, MemoryTopic] = {}

    def find(self, name: str) -> MemoryTopic | None:
        return self._topics.get(name)

    def names(self) -> list[str]:
        return list(self._topics)

    def create(self, name: str, partitions: int = 1, replicas: int = 1) -> MemoryTopic:
        """Unless it is there."""
        return self._topics.setdefault(name, MemoryTopic(name, partitions, replicas))

    def delete(self, name: str) -> None:
        self._topics.pop(name, None)

    def append(self, name: str, record: TopicRecord) -> None:
        self.create(name).records.append(record)

    def records(self, name: str) -> list[TopicRecord]:
        found = self._topics.get(name)
        return [] if found is None else found.records
