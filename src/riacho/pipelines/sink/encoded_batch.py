"""A record batch that is encoded, and where it goes: all that who ends an epoch needs, without Arrow and numpy."""

from __future__ import annotations

from typing import NamedTuple


class TopicPartition(NamedTuple):
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Batch(NamedTuple):
    topic_partition: TopicPartition
    data: bytearray
    rows: int
