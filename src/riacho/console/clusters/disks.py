"""How much lies on the brokers' disks, and how much room is left: one request a broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from riacho.client.cluster import Cluster, error_of
from riacho.client.log_dirs import describe_log_dirs
from riacho.client.offsets import TopicPartition
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.volumes import Directory
from riacho.wire.messages.describe_log_dirs_response import DescribeLogDirsResult


class Disk(NamedTuple):
    as_of_ms: int
    directories: tuple[Directory, ...]
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
    cluster: Cluster, now_ms: int, broker_ids: Iterable[int], gaps: Gaps, keys: Mapping[TopicPartition, TopicPartition]
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
        sizes: dict[TopicPartition, int] = {}
        for directory in told:
            for topic in directory.topics:
                for p in topic.partitions:
                    if not p.is_future_key:
                        key = (topic.name, p.partition_index)
                        sizes[keys.get(key, key)] = p.partition_size
        found[broker_id] = Disk(now_ms, tuple(_directory(each) for each in told), sizes)
    return found


def _directory(told: DescribeLogDirsResult) -> Directory:
    is_known = not told.error_code and told.total_bytes > 0 and told.usable_bytes >= 0
    return Directory(
        path=told.log_dir,
        kafka_bytes=sum(p.partition_size for topic in told.topics for p in topic.partitions),
        topics=len(told.topics),
        error=error_of(told.error_code).name if told.error_code else None,
        total_bytes=told.total_bytes if is_known else None,
        usable_bytes=told.usable_bytes if is_known else None,
    )
