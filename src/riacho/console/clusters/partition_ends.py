"""Where partitions begin and end: one request of each leader for some thousand partitions."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster
from riacho.client.offsets import TopicPartition, offsets_of_leader
from riacho.console.clusters.by_broker import Gaps, batches

# A broker serves nobody else while it answers one.
PARTITIONS_A_REQUEST_MAX = 2_000


def offsets_at(
    cluster: Cluster, led: dict[int, list[TopicPartition]], time: int, gaps: Gaps
) -> dict[TopicPartition, int]:
    """The offset of each partition at `time` (EARLIEST, LATEST); those that cannot be told are left out."""
    found: dict[TopicPartition, int] = {}
    for leader, partitions in led.items():
        for batch in batches(partitions, PARTITIONS_A_REQUEST_MAX):
            answer = gaps.asked(
                f"The offsets of broker {leader}'s partitions are",
                lambda leader=leader, batch=batch: offsets_of_leader(  # type: ignore[misc]
                    cluster, leader, dict.fromkeys(batch, time)
                ),
            )
            told = answer or {}
            for partition in batch:
                # By the key that was asked with: those of the answer are other objects, to be kept for nothing.
                offset = told.get(partition)
                if offset is not None and offset.error is ErrorCode.NONE and offset.offset >= 0:
                    found[partition] = offset.offset
    return found


def by_leader(partitions: Iterable[tuple[str, int, int | None]]) -> dict[int, list[TopicPartition]]:
    """Of (topic, partition, leader); those without a leader are left out."""
    led: dict[int, list[TopicPartition]] = {}
    for topic, partition, leader in partitions:
        if leader is not None:
            led.setdefault(leader, []).append((topic, partition))
    return led
