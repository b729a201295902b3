"""Partitions one by one for Prometheus, under the names that dashboards for JMX exporter and kafka-exporter ask for.

A log is exported by every broker that has a copy; whatever is true of the partition as such, by its leader alone, so
that sums over all brokers are right. At most `riacho.metrics.entries.max` partitions are exported; the others are
counted in one gauge. Everything is read into rows first: the format wants a metric's lines together, and between two
lines the loop may turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from riacho.base.metrics import header, label_text, sample

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache

_READ_PER_STEP = 250


class _Copy(NamedTuple):
    """A log of this broker."""

    labels: str
    size_bytes: int
    log_start_offset: int
    log_end_offset: int
    segments: int


class _Led(NamedTuple):
    """A partition that this broker leads."""

    labels: str
    topic: str
    partition: int
    high_watermark: int
    log_start_offset: int
    leader: int
    is_preferred: bool
    replicas: int
    in_sync: int
    is_under_min_isr: bool

    @property
    def is_under_replicated(self) -> bool:
        return self.in_sync < self.replicas


_COPY_METRICS: tuple[tuple[str, str, Callable[[_Copy], int]], ...] = (
    ("kafka_log_log_size", "Bytes of the partition's segments here.", lambda row: row.size_bytes),
    ("kafka_log_log_logstartoffset", "Its first offset here.", lambda row: row.log_start_offset),
    ("kafka_log_log_logendoffset", "The offset that its next record here will get.", lambda row: row.log_end_offset),
    ("kafka_log_log_numlogsegments", "Its segments here.", lambda row: row.segments),
)
_LED_METRICS: tuple[tuple[str, str, Callable[[_Led], int]], ...] = (
    ("kafka_cluster_partition_replicascount", "Replicas of a partition.", lambda row: row.replicas),
    ("kafka_cluster_partition_insyncreplicascount", "Replicas in sync.", lambda row: row.in_sync),
    ("kafka_cluster_partition_underreplicated", "1: replicas are out of sync.", lambda row: row.is_under_replicated),
    ("kafka_cluster_partition_underminisr", "1: no acks=all writes are taken.", lambda row: row.is_under_min_isr),
    ("kafka_topic_partition_current_offset", "Where committed records end.", lambda row: row.high_watermark),
    ("kafka_topic_partition_oldest_offset", "Where records begin.", lambda row: row.log_start_offset),
    ("kafka_topic_partition_leader", "The broker that leads.", lambda row: row.leader),
    ("kafka_topic_partition_leader_is_preferred", "1: the first replica leads.", lambda row: row.is_preferred),
    ("kafka_topic_partition_replicas", "Replicas of a partition.", lambda row: row.replicas),
    ("kafka_topic_partition_in_sync_replica", "Replicas in sync.", lambda row: row.in_sync),
    (
        "kafka_topic_partition_under_replicated_partition",
        "1: replicas are out of sync.",
        lambda row: row.is_under_replicated,
    ),
)


def partition_lines(
    node_id: int, replicas: Replicas, metadata: MetadataCache, entries_max: int
) -> Iterator[str | None]:
    """None where there is time for others, and no line yet."""
    listed = list(islice(replicas.all(), entries_max))
    copies: list[_Copy] = []
    led: list[_Led] = []
    for start in range(0, len(listed), _READ_PER_STEP):
        read = listed[start : start + _READ_PER_STEP]
        copies += [_copy(hosted) for hosted in read]
        led += [_led(node_id, hosted) for hosted in read if hosted.is_leader]
        yield None
    yield header("riacho_partitions_left_out", "gauge", "Partitions here that are not told of one by one.")
    yield sample("riacho_partitions_left_out", replicas.partition_count() - len(listed))
    for name, about, value in _COPY_METRICS:
        yield header(name, "gauge", about)
        yield from (f"{name}{row.labels} {value(row)}" for row in copies)
    for name, about, of_led in _LED_METRICS:
        yield header(name, "gauge", about)
        yield from (f"{name}{row.labels} {int(of_led(row))}" for row in led)
    yield from _topics(metadata, led)


def _topics(metadata: MetadataCache, led: Iterable[_Led]) -> Iterator[str]:
    """A topic is exported by the leader of its first partition."""
    topics = metadata.image.topics
    yield header("kafka_topic_partitions", "gauge", "Partitions of a topic.")
    for row in led:
        topic = topics.get(row.topic)
        if row.partition == 0 and topic is not None:
            yield sample("kafka_topic_partitions", len(topic.partitions), {"topic": row.topic})


def _labels(hosted: HostedPartition) -> str:
    return label_text({"topic": hosted.topic, "partition": str(hosted.index)})


def _copy(hosted: HostedPartition) -> _Copy:
    log = hosted.log
    return _Copy(_labels(hosted), log.size_bytes, log.log_start_offset, log.log_end_offset, len(log.segments))


def _led(node_id: int, hosted: HostedPartition) -> _Led:
    leadership = hosted.leadership
    replicas = (node_id,) if leadership is None else tuple(leadership.replicas)
    return _Led(
        _labels(hosted),
        hosted.topic,
        hosted.index,
        hosted.log.high_watermark,
        hosted.log.log_start_offset,
        hosted.leader_id,
        replicas[0] == hosted.leader_id,
        len(replicas),
        1 if leadership is None else len(leadership.isr),
        not hosted.has_enough_replicas,
    )
