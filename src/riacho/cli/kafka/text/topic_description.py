"""The lines of `kafka-topics --describe`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riacho.base.ids import ZERO_UUID, uuid_text
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.client.cluster import Cluster
from riacho.client.configs import ConfigEntry, describe_configs
from riacho.client.reassignments import Move
from riacho.client.topics import Partition, Topic, describe_topics, list_reassignments
from riacho.metadata.image.config_resource import ConfigSource, ResourceType


def describe(cluster: Cluster, arguments: Arguments, names: Sequence[str]) -> None:
    if not names:
        return
    topics = describe_topics(cluster, names, arguments.need_number("partition-size-limit-per-response"))
    configs = describe_configs(cluster, ResourceType.TOPIC, [topic.name or "" for topic in topics])
    live = frozenset(cluster.live_brokers())
    moves = list_reassignments(cluster, topics)
    lines: list[str] = []
    for topic in topics:
        topic.partitions.sort(key=lambda p: p.partition_index)
        lines += topic_lines(arguments, topic, configs.get(topic.name or "", []), live, moves)
    if lines:
        print("\n".join(lines))


def topic_lines(
    arguments: Arguments,
    topic: Topic,
    configs: list[ConfigEntry],
    live: frozenset[int],
    moves: dict[tuple[str, int], Move],
) -> list[str]:
    name = topic.name or ""
    reports = [
        report
        for report in (
            "under-replicated-partitions",
            "unavailable-partitions",
            "under-min-isr-partitions",
            "at-min-isr-partitions",
        )
        if arguments.has(report)
    ]
    overridden = [entry for entry in configs if entry.config_source != ConfigSource.DEFAULT_CONFIG]
    only_overrides = arguments.has("topics-with-overrides")
    lines = []
    if not reports and (overridden or not only_overrides) and topic.partitions:
        first = topic.partitions[0]
        lines.append(_header(topic, _replication_factor(first, moves.get((name, first.partition_index))), overridden))
    if not only_overrides:
        min_isr = next((int(c.value or 1) for c in configs if c.name == "min.insync.replicas"), 1)
        for partition in topic.partitions:
            move = moves.get((name, partition.partition_index))
            if not reports or any(_is_in(report, partition, move, live, min_isr) for report in reports):
                lines.append(_partition(name, partition, move))
    return lines


def _is_in(report: str, partition: Partition, move: Move | None, live: frozenset[int], min_isr: int) -> bool:
    has_leader, in_sync = partition.leader_id >= 0, len(partition.isr_nodes)
    match report:
        case "under-replicated-partitions":
            return in_sync < _replication_factor(partition, move)
        case "unavailable-partitions":
            return not has_leader or partition.leader_id not in live
        case "under-min-isr-partitions":
            return not has_leader or in_sync < min_isr
        case _:
            return in_sync == min_isr


def _replication_factor(partition: Partition, move: Move | None) -> int:
    """A move counts only while replicas of it are still in the list: it may have ended between two answers."""
    if move and set(partition.replica_nodes) & {*move.adding_replicas, *move.removing_replicas}:
        return len(move.replicas) - len(move.adding_replicas)
    return len(partition.replica_nodes)


def _header(topic: Topic, replication_factor: int, overridden: list[ConfigEntry]) -> str:
    topic_id = "" if topic.topic_id == ZERO_UUID else f"\tTopicId: {uuid_text(topic.topic_id)}"
    configs = ",".join(f"{entry.name}={'null' if entry.value is None else entry.value}" for entry in overridden)
    return (
        f"Topic: {topic.name}{topic_id}\tPartitionCount: {len(topic.partitions)}"
        f"\tReplicationFactor: {replication_factor}\tConfigs: {configs}"
    )


def _partition(name: str, partition: Partition, move: Move | None) -> str:
    moving = ""
    if move is not None:
        moving = f"\tAdding Replicas: {_ids(move.adding_replicas)}\tRemoving Replicas: {_ids(move.removing_replicas)}"
    leader = partition.leader_id if partition.leader_id >= 0 else "none"
    return (
        f"\tTopic: {name}\tPartition: {partition.partition_index}\tLeader: {leader}"
        f"\tReplicas: {_ids(partition.replica_nodes)}\tIsr: {_ids(partition.isr_nodes)}{moving}"
        f"\tElr: {_ids(partition.eligible_leader_replicas)}\tLastKnownElr: {_ids(partition.last_known_elr)}"
    )


def _ids(ids: Iterable[int] | None) -> str:
    return "N/A" if ids is None else ",".join(map(str, ids))
