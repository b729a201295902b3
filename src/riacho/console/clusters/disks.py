"""How much lies on the brokers' disks, and how much room is left: one request a broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from riacho.client.cluster import Cluster
from riacho.client.log_dirs import describe_log_dirs
from riacho.client.offsets import TopicPartition
from riacho.console.clusters.by_broker import Gaps


class Disk(NamedTuple):
    used_bytes: int
    # None where a directory does not tell (before Kafka 3.3).
    free_bytes: int | None
    # Of each replica that it has; one on its way from a directory to another counts once.
    sizes: dict[TopicPartition, int]


def add_sizes(cluster: Cluster, disks: Mapping[int, Disk], led: Mapping[int, list[TopicPartition]], gaps: Gaps) -> None:
    """Of partitions that are new to their leaders since the disks were read."""
    for broker_id, partitions in led.items():
        disk = disks.get(broker_id)
        new = [partition for partition in partitions if disk is not None and partition not in disk.sizes]
        if disk is None or not new:
            continue
        told = gaps.asked(
            f"The disks of broker {broker_id} are",
            lambda b=broker_id, new=new: describe_log_dirs(cluster, b, new),  # type: ignore[misc]
        )
        for directory in told or ():
            for topic in directory.topics:
                disk.sizes.update(((topic.name, p.partition_index), p.partition_size) for p in topic.partitions)


def read_disks(
    cluster: Cluster, broker_ids: Iterable[int], gaps: Gaps, keys: Mapping[TopicPartition, TopicPartition]
) -> dict[int, Disk]:
    """`keys` are the partitions as they are known already: sizes are kept by those."""
    found = {}
    for broker_id in broker_ids:
        told = gaps.asked(
            f"The disks of broker {broker_id} are",
            lambda b=broker_id: describe_log_dirs(cluster, b),  # type: ignore[misc]
        )
        if told is None:
            continue
        used, free = 0, 0
        is_free_known = bool(told)
        sizes: dict[TopicPartition, int] = {}
        for directory in told:
            is_free_known = is_free_known and not directory.error_code and directory.usable_bytes >= 0
            free += max(directory.usable_bytes, 0)
            for topic in directory.topics:
                for p in topic.partitions:
                    used += p.partition_size
                    if not p.is_future_key:
                        key = (topic.name, p.partition_index)
                        sizes[keys.get(key, key)] = p.partition_size
        found[broker_id] = Disk(used, free if is_free_known else None, sizes)
    return found
