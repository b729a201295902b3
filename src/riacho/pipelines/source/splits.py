"""How many offsets a micro-batch has, and how their range is cut into tasks: by the numbers alone.

A sink that writes exactly once knows a task by its place in the batch, so a batch that is read again after a failure
must be cut the same way: the cut depends on the start, the end and the options, and never on sizes or time. The
arithmetic is that of Spark's own Kafka connector.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pyspark.sql.datasource import InputPartition

from riacho.client.offsets import TopicPartition
from riacho.pipelines.source.positions import Offsets


class OffsetRange(NamedTuple):
    topic: str
    partition: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class Split(InputPartition):
    """One task's range, as Spark carries it to a worker."""

    def __init__(self, range_: OffsetRange) -> None:
        super().__init__(tuple(range_))

    @property
    def range(self) -> OffsetRange:
        return OffsetRange(*self.value)


def ranges(start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]) -> list[OffsetRange]:
    """In order of topic and partition. A partition that has no start is new and read from its beginning."""
    return [OffsetRange(*key, start.get(key, 0), end[key]) for key in sorted(end)]


def split(
    wanted: Sequence[OffsetRange], partitions_min: int | None = None, records_max: int | None = None
) -> list[OffsetRange]:
    """At most `records_max` offsets each, and at least `partitions_min` of them where there are so many offsets."""
    whole = [r for r in wanted if r.size > 0]
    cut = whole if records_max is None else [p for r in whole for p in _cut(r, math.ceil(r.size / records_max))]
    if partitions_min is None or len(cut) >= partitions_min:
        return cut
    total = sum(r.size for r in cut)
    # Ranges too small to be cut take no part in how the others share the rest.
    small = [_share(r.size, total, partitions_min) == 1 for r in cut]
    large_total = sum(r.size for r, is_small in zip(cut, small, strict=True) if not is_small)
    parts = max(partitions_min - sum(small), 1)
    return [
        piece
        for r, is_small in zip(cut, small, strict=True)
        for piece in _cut(r, 1 if is_small else _share(r.size, large_total, parts))
    ]


def _share(size: int, total: int, parts: int) -> int:
    return max(math.floor(size / total * parts + 0.5), 1)


def _cut(r: OffsetRange, parts: int) -> list[OffsetRange]:
    pieces = []
    start = r.start
    for part in range(parts):
        end = start + (r.end - start) // (parts - part)
        if end > start:
            pieces.append(r._replace(start=start, end=end))
        start = end
    return pieces


def limited(start: Mapping[TopicPartition, int], latest: Mapping[TopicPartition, int], offsets_max: int) -> Offsets:
    """How far each partition goes in one micro-batch (maxOffsetsPerTrigger), shared by how much each has waiting. About
    `offsets_max` in all, as Spark's own connector counts: no waiting partition is left with nothing."""
    waiting = {key: end - start.get(key, 0) for key, end in latest.items() if end > start.get(key, 0)}
    total = sum(waiting.values())
    if not total:
        return dict(latest)
    return {key: _limited(key, end, start, waiting, total, offsets_max) for key, end in latest.items()}


def _limited(
    key: TopicPartition,
    end: int,
    start: Mapping[TopicPartition, int],
    waiting: Mapping[TopicPartition, int],
    total: int,
    offsets_max: int,
) -> int:
    if key not in waiting:
        return end
    share = offsets_max * (waiting[key] / total)
    return min(end, start.get(key, 0) + (math.ceil(share) if share < 1 else math.floor(share)))
