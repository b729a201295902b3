"""Facts about topics and brokers, put together of what the brokers told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import intern
from typing import NamedTuple

from riacho.client.offsets import TopicPartition
from riacho.console.clusters.disks import Disk
from riacho.console.clusters.group_survey import total
from riacho.console.clusters.picture import (
    BrokerFacts,
    GroupFacts,
    PartitionFacts,
    TopicConsumer,
    TopicFacts,
    as_before,
)
from riacho.console.clusters.topic_settings import UNKNOWN, TopicSettings
from riacho.console.clusters.volumes import room_on
from riacho.wire.messages.describe_cluster_response import DescribeClusterResponse
from riacho.wire.messages.metadata_response import MetadataResponseTopic

Offsets = Mapping[TopicPartition, int]
# What Connect's workers keep, by the names that everybody gives these.
_CONNECTS_OWN = frozenset({"connect-configs", "connect-offsets", "connect-status"})


class Layout(NamedTuple):
    """A topic as metadata tells of it: its partitions without offsets and sizes. The answer itself takes several times
    as much, and need not be held while groups are asked for."""

    name: str
    topic_id: bytes
    is_internal: bool
    partitions: tuple[PartitionFacts, ...]


def layouts_of(told: Iterable[MetadataResponseTopic]) -> list[Layout]:
    """By name. One name is one object here, and wherever else it is interned."""
    # Few lists of replicas are of many partitions.
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    found = []
    for topic in told:
        partitions = tuple(
            PartitionFacts(
                p.partition_index,
                None if p.leader_id < 0 else p.leader_id,
                shared.setdefault(nodes := tuple(p.replica_nodes), nodes),
                shared.setdefault(nodes := tuple(p.isr_nodes), nodes),
                shared.setdefault(nodes := tuple(p.offline_replicas), nodes),
            )
            for p in sorted(topic.partitions, key=lambda each: each.partition_index)
        )
        found.append(Layout(intern(topic.name or ""), topic.topic_id, topic.is_internal, partitions))
    found.sort(key=lambda each: each.name)
    return found


def topics_of(
    layouts: Iterable[Layout],
    ends: Offsets,
    first: Offsets,
    sizes: Mapping[TopicPartition, int],
    settings: Mapping[str, TopicSettings],
    groups: Mapping[str, GroupFacts],
    before: Mapping[str, TopicFacts] = {},
) -> dict[str, TopicFacts]:
    """By name, in the order of `layouts`. `before` are those of the picture before."""
    consumers: dict[str, list[TopicConsumer]] = {}
    for group in groups.values():
        for name, lag in group.topics.items():
            consumers.setdefault(name, []).append(TopicConsumer(group.id, lag))
    found: dict[str, TopicFacts] = {}
    for layout in layouts:
        name = layout.name
        partitions = tuple(
            PartitionFacts(*p[:5], first.get(at := (name, p.partition)), ends.get(at), sizes.get(at))
            for p in layout.partitions
        )
        made = _topic(layout, partitions, settings.get(name, UNKNOWN), tuple(consumers.get(name, ())))
        same = as_before(made, before, name)
        found[same.name] = same
    return found


def _topic(
    layout: Layout,
    partitions: tuple[PartitionFacts, ...],
    settings: TopicSettings,
    consumers: tuple[TopicConsumer, ...],
) -> TopicFacts:
    least = settings.min_insync_replicas
    return TopicFacts(
        name=layout.name,
        topic_id=layout.topic_id,
        # Services keep theirs under such names (`_schemas`), and Kafka calls only its own internal.
        is_internal=layout.is_internal or layout.name.startswith("_") or layout.name in _CONNECTS_OWN,
        partitions=partitions,
        replication=max((len(p.replicas) for p in partitions), default=0),
        under_replicated=sum(len(p.in_sync) < len(p.replicas) for p in partitions),
        offline=sum(p.leader is None for p in partitions),
        # More than a partition has replicas is never asked of it: one of one replica takes writes with that one.
        under_min_isr=None if least is None else sum(len(p.in_sync) < min(least, len(p.replicas)) for p in partitions),
        messages=total(_messages(p) for p in partitions),
        size_bytes=total(p.size_bytes for p in partitions),
        cleanup_policy=settings.cleanup_policy,
        retention_ms=settings.retention_ms,
        consumers=consumers,
        lag=total(each.lag for each in consumers),
    )


def _messages(p: PartitionFacts) -> int | None:
    """Offsets between its ends: more than records where some were compacted away or are markers."""
    if p.first_offset is None or p.next_offset is None:
        return None
    return max(p.next_offset - p.first_offset, 0)


def brokers_of(
    described: DescribeClusterResponse, topics: Iterable[TopicFacts], disks: Mapping[int, Disk]
) -> dict[int, BrokerFacts]:
    leaders: dict[int | None, int] = {}
    replicas: dict[int, int] = {}
    in_sync: dict[int, int] = {}
    for topic in topics:
        for p in topic.partitions:
            leaders[p.leader] = leaders.get(p.leader, 0) + 1
            for node in p.replicas:
                replicas[node] = replicas.get(node, 0) + 1
            for node in p.in_sync:
                in_sync[node] = in_sync.get(node, 0) + 1
    found = {}
    for broker in sorted(described.brokers, key=lambda each: each.broker_id):
        disk = disks.get(broker.broker_id)
        directories = () if disk is None else disk.directories
        room = room_on((broker.host, each) for each in directories)
        found[broker.broker_id] = BrokerFacts(
            id=broker.broker_id,
            host=broker.host,
            port=broker.port,
            rack=broker.rack,
            is_fenced=broker.is_fenced,
            leaders=leaders.get(broker.broker_id, 0),
            replicas=replicas.get(broker.broker_id, 0),
            in_sync=in_sync.get(broker.broker_id, 0),
            disk_used_bytes=None if disk is None else sum(each.kafka_bytes for each in directories),
            disk_total_bytes=room.total_bytes,
            disk_free_bytes=room.free_bytes,
            directories=directories,
            disks_as_of_ms=None if disk is None else disk.as_of_ms,
        )
    return found
