"""How far consumer groups have read, and how far behind they are, under kafka-exporter's names.

A group's coordinator tells of it. Where a partition ends is known to whoever leads it or follows in sync: where this
broker is neither, the lag is not known here and left out, since 0 would say that all is read. It then is the
difference of two series, `kafka_topic_partition_current_offset` of the leader and the group's own offset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from riacho.base.metrics import header, label_text, sample
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.consumer.group import ConsumerGroup

if TYPE_CHECKING:
    from riacho.broker.metrics.exposed_parts import ExposedBroker
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.groups.shard import GroupShard


class GroupOffset(NamedTuple):
    """What a group has committed for a partition."""

    group_id: str
    topic: str
    partition: int
    offset: int


def group_lines(broker: ExposedBroker, metadata: MetadataCache) -> Iterator[str]:
    shards, entries_max = broker.groups.loaded_shards(), broker.entries_max
    counted = members_by_group(shards)
    offsets = committed_offsets(shards)
    listed = list(islice(offsets, entries_max))
    left_out = sum(1 for _ in offsets)
    yield header("kafka_consumergroup_members", "gauge", "Members of a consumer group.")
    for group_id, members in counted[:entries_max]:
        yield sample("kafka_consumergroup_members", members, {"consumergroup": group_id})
    yield header("riacho_group_offsets_left_out", "gauge", "Committed offsets that are not told of one by one.")
    yield sample("riacho_group_offsets_left_out", left_out)
    rows = [(_labels(each), each, end_offset(broker, metadata, each.topic, each.partition)) for each in listed]
    yield header("kafka_consumergroup_current_offset", "gauge", "What a group has committed for a partition.")
    yield from (f"kafka_consumergroup_current_offset{labels} {each.offset}" for labels, each, _ in rows)
    lags = [(labels, each, max(end - each.offset, 0)) for labels, each, end in rows if end is not None]
    yield header("kafka_consumergroup_lag", "gauge", "Records of a partition that a group has not read.")
    yield from (f"kafka_consumergroup_lag{labels} {lag}" for labels, _, lag in lags)
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for _, each, lag in lags:
        sums[each.group_id, each.topic] += lag
    # A sum without one of its parts would seem to be less than it is.
    unknown = {(each.group_id, each.topic) for _, each, end in rows if end is None}
    yield header("kafka_consumergroup_lag_sum", "gauge", "Records of a topic that a group has not read.")
    for (group_id, topic), lag in sums.items():
        if (group_id, topic) not in unknown:
            yield sample("kafka_consumergroup_lag_sum", lag, {"consumergroup": group_id, "topic": topic})


def members_by_group(shards: Iterable[GroupShard]) -> list[tuple[str, int]]:
    """Groups of consumers, and how many members each has."""
    return [
        (group_id, len(group.members))
        for shard in shards
        for group_id, group in shard.groups.items()
        if isinstance(group, ClassicGroup | ConsumerGroup)
    ]


def committed_offsets(shards: Iterable[GroupShard]) -> Iterator[GroupOffset]:
    """To be walked at once, as they change."""
    for shard in shards:
        for group_id in shard.offsets.group_ids():
            for topic, partition, committed in shard.offsets.walk(group_id):
                yield GroupOffset(group_id, topic, partition, committed.offset)


def end_offset(broker: ExposedBroker, metadata: MetadataCache, topic: str, index: int) -> int | None:
    """Where a partition's records end for consumers, as far as this broker knows; None where it does not."""
    hosted = broker.replicas.known(topic, index)
    if hosted is None:
        return None
    if hosted.is_leader:
        return hosted.log.high_watermark
    named = metadata.image.topics.get(topic)
    if named is None or index >= len(named.partitions) or broker.node_id not in named.partitions[index].isr:
        return None
    # A follower gets the high watermark with its next fetch; what it has copied is known to be at least that far.
    return hosted.log.log_end_offset


def _labels(each: GroupOffset) -> str:
    return label_text({"consumergroup": each.group_id, "topic": each.topic, "partition": str(each.partition)})
