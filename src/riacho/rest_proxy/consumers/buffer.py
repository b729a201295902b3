"""Records that were polled and not handed out yet: bounded, in the order they came.

What belongs to a partition can be dropped, when it is revoked or its position is moved. A batch taken earlier that
comes back (it could not be read), or whose offsets are to be remembered, must not undo that: each drop has a number,
and a batch knows the number at which it was taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

Partition = tuple[str, int]


class Record(Protocol):
    """As confluent-kafka's Message."""

    def __len__(self) -> int: ...
    def topic(self) -> str: ...
    def partition(self) -> int: ...
    def offset(self) -> int: ...
    def key(self) -> bytes | None: ...
    def value(self) -> bytes | None: ...


class Run(NamedTuple):
    """Records that follow each other in one partition: from the one at `start` to the one before `end`."""

    partition: Partition
    start: int
    end: int


class Batch(NamedTuple):
    records: Sequence[Record]
    drops_before: int

    def runs(self, count: int) -> list[Run]:
        """Of the first `count` records. They come in runs of hundreds, so what is done once a run costs nothing."""
        records = self.records[:count]
        numbers = [record.partition() for record in records]
        topics = [record.topic() for record in records]
        found: list[Run] = []
        start = 0
        # Mostly there is but one topic, and comparing numbers is all.
        is_one_topic = topics.count(topics[0]) == count if topics else True
        for _, same in groupby(numbers if is_one_topic else zip(topics, numbers, strict=True)):
            end = start + len(list(same))
            found.append(Run((topics[start], numbers[start]), start, end))
            start = end
        return found


class RecordBuffer:
    def __init__(self, bytes_max: int, records_max: int) -> None:
        self._bytes_max = bytes_max
        self._records_max = records_max
        self._records: deque[Record] = deque()
        self.size_bytes = 0
        self._drops = 0
        # The last drop of each partition; as many as the instance was ever assigned.
        self._dropped: dict[Partition, int] = {}

    def __len__(self) -> int:
        return len(self._records)

    @property
    def is_full(self) -> bool:
        return self.size_bytes >= self._bytes_max or len(self._records) >= self._records_max

    @property
    def room(self) -> int:
        """How many records more it takes."""
        return max(0, self._records_max - len(self._records))

    def add(self, records: Iterable[Record]) -> None:
        for record in records:
            self._records.append(record)
            self.size_bytes += _size(record)

    def take(self, bytes_max: int) -> Batch:
        """Those at the front that fit; at least one if there is any, or a large record would block its reader."""
        if self.size_bytes <= bytes_max:
            taken: Sequence[Record] = list(self._records)
            self._records.clear()
            self.size_bytes = 0
            return Batch(taken, self._drops)
        taken = []
        total = 0
        while self._records and (not taken or total + _size(self._records[0]) <= bytes_max):
            record = self._records.popleft()
            taken.append(record)
            total += _size(record)
        self.size_bytes -= total
        return Batch(taken, self._drops)

    def put_back(self, records: Sequence[Record], batch: Batch) -> None:
        """To the front, but for partitions that were dropped since."""
        for record in reversed(records):
            if self.is_current((record.topic(), record.partition()), batch):
                self._records.appendleft(record)
                self.size_bytes += _size(record)

    def is_current(self, partition: Partition, batch: Batch) -> bool:
        """Whether the partition is still read from where the batch left it."""
        return self._dropped.get(partition, 0) <= batch.drops_before

    def drop(self, partitions: Iterable[Partition]) -> None:
        gone = set(partitions)
        if not gone:
            return
        self._drops += 1
        for partition in gone:
            self._dropped[partition] = self._drops
        self._keep_all_but(gone)

    def _keep_all_but(self, gone: Container[Partition]) -> None:
        kept = [record for record in self._records if (record.topic(), record.partition()) not in gone]
        self._records = deque(kept)
        self.size_bytes = sum(map(_size, kept))


def _size(record: Record) -> int:
    key = record.key()
    return len(record) if key is None else len(record) + len(key)
