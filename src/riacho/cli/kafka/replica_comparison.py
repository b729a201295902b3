"""What the replicas of partitions hold, batch by batch: the rules of kafka-replica-verification, without its network.

Each round gives, for every partition, what each replica answered from the same offset on. Batches are compared up to
each replica's high watermark; as long as all replicas have the next one, the offset moves past it. A checksum that
differs is told and the comparison goes on; batches that end at different offsets cannot be compared any further.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from riacho.client.offsets import TopicPartition
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, read_header
from riacho.wire.schema import Buffer


class Fetched(NamedTuple):
    """A replica's answer for one partition; nothing at all, and no high watermark, where it gave an error."""

    high_watermark: int = -1
    records: Buffer = b""


class Lag(NamedTuple):
    """The partition whose verified offset is furthest behind its high watermark."""

    lag: int
    partition: TopicPartition
    offset: int


class Diverged(Exception):
    """Replicas whose batches end at different offsets."""


class ReplicaComparison:
    def __init__(self, offsets: Mapping[TopicPartition, int]) -> None:
        self.offsets = dict(offsets)

    def compare(self, fetched: Mapping[TopicPartition, Mapping[int, Fetched]]) -> tuple[Lag | None, list[str]]:
        """(the largest lag, what does not match); moves the offsets on. Diverged when there is no going on."""
        worst: Lag | None = None
        mismatches: list[str] = []
        for partition, replicas in fetched.items():
            mismatches += self._compare(partition, replicas)
            offset = self.offsets[partition]
            lag = max(answer.high_watermark for answer in replicas.values()) - offset
            if lag > (worst.lag if worst else -1):
                worst = Lag(lag, partition, offset)
        return worst, mismatches

    def _compare(self, partition: TopicPartition, replicas: Mapping[int, Fetched]) -> list[str]:
        name = f"{partition[0]}-{partition[1]}"
        mismatches = []
        for row in zip(*(_batches(answer) for answer in replicas.values()), strict=False):
            (first, header), *others = zip(replicas, row, strict=True)
            for replica, other in others:
                if other.last_offset != header.last_offset:
                    raise Diverged(
                        f"partition {name}: replica {first}'s offset {header.last_offset} doesn't match replica "
                        f"{replica}'s offset {other.last_offset}"
                    )
                if other.crc != header.crc:
                    mismatches.append(
                        f"partition {name} has unmatched checksum at offset {other.last_offset}; replica {first}'s "
                        f"checksum {header.crc}; replica {replica}'s checksum {other.crc}"
                    )
            self.offsets[partition] = header.next_offset
        return mismatches


def _batches(answer: Fetched) -> Iterator[BatchHeader]:
    """The whole batches of an answer below its high watermark; the last one may be cut off."""
    position = 0
    while len(answer.records) - position >= HEADER_SIZE_BYTES:
        header = read_header(answer.records, position)
        position += header.size_bytes
        if position > len(answer.records) or header.last_offset >= answer.high_watermark:
            return
        yield header
