"""Waiting for moves of replicas, with how many bytes of them have arrived."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import NamedTuple

from riacho.cli.kafka.reassignment_states import is_moving
from riacho.cli.progress import progress
from riacho.client.cluster import Cluster
from riacho.client.log_dirs import Replica, describe_log_dirs, find_replicas
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import Move, list_reassignments

_POLL_S = 0.5


class Copied(NamedTuple):
    """What the new replicas have of what the fullest has, in bytes."""

    done: int
    total: int


def wait_for_moves(
    cluster: Cluster, partitions: Collection[TopicPartition], directories: Mapping[Replica, str]
) -> None:
    """Until none of them is under way. A move whose source is gone never ends: Ctrl-C leaves it as it is."""
    finished = 0
    seen: dict[TopicPartition, Copied] = {}
    with progress("Moving", None, in_bytes=True) as bar:
        while True:
            under_way = list_reassignments(cluster, partitions) if partitions else {}
            places = find_replicas(cluster, directories) if directories else {}
            if not under_way and not any(is_moving(place) for place in places.values()):
                return
            # What has arrived is no longer listed as a move, and stays counted.
            finished += sum(seen[partition].total for partition in seen if partition not in under_way)
            seen = copied(cluster, under_way)
            done = sum(each.done for each in seen.values())
            bar.reach(finished + done, finished + sum(each.total for each in seen.values()))
            time.sleep(_POLL_S)


def copied(cluster: Cluster, under_way: Mapping[TopicPartition, Move]) -> dict[TopicPartition, Copied]:
    live = cluster.retry(cluster.live_brokers)
    brokers = {broker for move in under_way.values() for broker in move.replicas if broker in live}
    sizes: dict[Replica, int] = {}
    for broker in sorted(brokers):
        for directory in describe_log_dirs(cluster, broker, under_way):
            for topic in directory.topics:
                for each in topic.partitions:
                    if not each.is_future_key:
                        sizes[Replica(topic.name, each.partition_index, broker)] = each.partition_size
    return {partition: _copied(partition, move, sizes) for partition, move in under_way.items()}


def _copied(partition: TopicPartition, move: Move, sizes: Mapping[Replica, int]) -> Copied:
    whole = max((sizes.get(Replica(*partition, broker), 0) for broker in move.replicas), default=0)
    arrived = [min(sizes.get(Replica(*partition, broker), 0), whole) for broker in move.adding_replicas]
    return Copied(sum(arrived), whole * len(arrived))
