"""Committed offsets of all groups in a shard: durable state, written by `apply` alone.

Offsets of an open transaction stand aside under their producer until its marker decides (KIP-98); meanwhile a fetch
that asks for stable offsets gets UNSTABLE_OFFSET_COMMIT and retries. What counts in the end is the record that stands
last in the log, not the one whose marker does: compaction keeps that record alone, and a reload must come to the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from riacho.groups.classic.records import CommittedOffset, OffsetCommitted

NO_PRODUCER_ID = -1

_ByPartition = dict[int, CommittedOffset]
_ByTopic = dict[str, _ByPartition]
_NOTHING: _ByTopic = {}


class _Pending(NamedTuple):
    # When it was written, in the order of the log.
    number: int
    # None: a later record has come to count, and this one never will.
    record: OffsetCommitted | None


class Offsets:
    def __init__(self) -> None:
        self._committed: dict[str, _ByTopic] = {}
        # By producer, and by group, topic and partition. A tombstone in a transaction is kept as one.
        self._pending: dict[int, dict[tuple[str, str, int], _Pending]] = {}
        self._last_number = 0

    def apply(self, record: OffsetCommitted, producer_id: int = NO_PRODUCER_ID) -> None:
        self._last_number += 1
        if producer_id != NO_PRODUCER_ID:
            where = (record.group_id, record.topic, record.partition)
            self._pending.setdefault(producer_id, {})[where] = _Pending(self._last_number, record)
        else:
            self._materialise(record, self._last_number)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        for number, record in self._pending.pop(producer_id, {}).values():
            if committed and record is not None:
                self._materialise(record, number)

    def _materialise(self, record: OffsetCommitted, number: int) -> None:
        if record.committed is None:
            self._remove(record.group_id, record.topic, record.partition)
            return
        by_topic = self._committed.setdefault(record.group_id, {})
        by_topic.setdefault(record.topic, {})[record.partition] = record.committed
        if self._pending:
            where = (record.group_id, record.topic, record.partition)
            for pending in self._pending.values():
                other = pending.get(where)
                if other is not None and other.number < number:
                    pending[where] = _Pending(other.number, None)

    def group_ids(self) -> Iterable[str]:
        """The groups that have committed something."""
        return self._committed.keys()

    def of_group(self, group_id: str) -> _ByTopic:
        """By topic and partition; not to be changed by the caller."""
        return self._committed.get(group_id, _NOTHING)

    def walk(self, group_id: str) -> Iterator[tuple[str, int, CommittedOffset]]:
        for topic, by_partition in self.of_group(group_id).items():
            for partition, committed in by_partition.items():
                yield topic, partition, committed

    def places(self, group_id: str) -> set[tuple[str, int]]:
        """Topics and partitions for which anything is committed, in a transaction that is open or not."""
        found = {(topic, partition) for topic, partition, _ in self.walk(group_id)}
        for pending in self._pending.values():
            found.update((topic, partition) for group, topic, partition in pending if group == group_id)
        return found

    def is_pending(self, group_id: str, topic: str, partition: int) -> bool:
        where = (group_id, topic, partition)
        return any(where in pending for pending in self._pending.values())

    def has_open_transaction(self, group_id: str) -> bool:
        return any(where[0] == group_id for pending in self._pending.values() for where in pending)

    def _remove(self, group_id: str, topic: str, partition: int) -> None:
        by_topic = self._committed.get(group_id, {})
        by_partition = by_topic.get(topic, {})
        by_partition.pop(partition, None)
        if not by_partition:
            by_topic.pop(topic, None)
        if not by_topic:
            self._committed.pop(group_id, None)
        for pending in self._pending.values():
            pending.pop((group_id, topic, partition), None)
