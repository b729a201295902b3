"""Committed offsets of all groups in a shard: durable state, written by `apply` alone.

Offsets of an open transaction stand aside under their producer until its marker decides (KIP-98); meanwhile a fetch
that asks for stable offsets is told to come back.
"""

from __future__ import annotations

from collections.abc import Iterator

from riacho.groups.records import CommittedOffset, OffsetCommitted

NO_PRODUCER_ID = -1

_ByPartition = dict[int, CommittedOffset]
_ByTopic = dict[str, _ByPartition]
_NOTHING: _ByTopic = {}


class Offsets:
    def __init__(self) -> None:
        self._committed: dict[str, _ByTopic] = {}
        # By producer, in the order of the log: a tombstone in a transaction is kept as one.
        self._pending: dict[int, list[OffsetCommitted]] = {}

    def apply(self, record: OffsetCommitted, producer_id: int = NO_PRODUCER_ID) -> None:
        if producer_id != NO_PRODUCER_ID:
            self._pending.setdefault(producer_id, []).append(record)
        elif record.committed is not None:
            by_topic = self._committed.setdefault(record.group_id, {})
            by_topic.setdefault(record.topic, {})[record.partition] = record.committed
        else:
            self._remove(record.group_id, record.topic, record.partition)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        for record in self._pending.pop(producer_id, []):
            if committed:
                self.apply(record)

    def of_group(self, group_id: str) -> _ByTopic:
        """By topic and partition; not to be changed by the caller."""
        return self._committed.get(group_id, _NOTHING)

    def walk(self, group_id: str) -> Iterator[tuple[str, int, CommittedOffset]]:
        for topic, by_partition in self.of_group(group_id).items():
            for partition, committed in by_partition.items():
                yield topic, partition, committed

    def is_pending(self, group_id: str, topic: str, partition: int) -> bool:
        where = (group_id, topic, partition)
        return any(record[:3] == where for records in self._pending.values() for record in records)

    def has_open_transaction(self, group_id: str) -> bool:
        return any(record.group_id == group_id for records in self._pending.values() for record in records)

    def _remove(self, group_id: str, topic: str, partition: int) -> None:
        by_topic = self._committed.get(group_id, {})
        by_partition = by_topic.get(topic, {})
        by_partition.pop(partition, None)
        if not by_partition:
            by_topic.pop(topic, None)
        if not by_topic:
            self._committed.pop(group_id, None)
        for records in self._pending.values():
            records[:] = [record for record in records if record[:3] != (group_id, topic, partition)]
