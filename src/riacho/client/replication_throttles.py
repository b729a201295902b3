"""Throttles of moves (KIP-73): which replicas of a topic, and how many bytes a second on a broker. Both have to be
taken away when the moves have ended: brokers keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from riacho.client.cluster import Cluster
from riacho.client.configs import alter_resources
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import Move
from riacho.metadata.image.config_resource import ResourceType

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"
LOG_DIR_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"


class Transfer(NamedTuple):
    """Brokers that a partition is read from, and brokers that it is new to."""

    sources: frozenset[int]
    destinations: frozenset[int]


Transfers = dict[TopicPartition, Transfer]


def transfers(
    under_way: Mapping[TopicPartition, Move],
    proposed: Mapping[TopicPartition, Sequence[int]],
    current: Mapping[TopicPartition, Sequence[int]],
) -> Transfers:
    """What will be moving once the proposal has begun. A partition on the move is read from where it was before."""
    moving = {
        partition: Transfer(frozenset(move.replicas) - frozenset(move.adding_replicas), frozenset(move.adding_replicas))
        for partition, move in under_way.items()
    }
    for partition, replicas in proposed.items():
        known = moving.get(partition)
        sources = known.sources if known else frozenset(current[partition])
        moving[partition] = Transfer(sources, frozenset(replicas) - sources)
    return moving


def throttled_replicas(moving: Transfers) -> dict[str, dict[str, str | None]]:
    """The topic configs, `partition:broker` in the order of their text, as Kafka's tool sets them."""
    configs: dict[str, dict[str, str | None]] = {}
    for topic in sorted({topic for topic, _ in moving}):
        own = [(partition, transfer) for (name, partition), transfer in moving.items() if name == topic]
        leaders = {f"{partition}:{broker}" for partition, transfer in own for broker in transfer.sources}
        followers = {f"{partition}:{broker}" for partition, transfer in own for broker in transfer.destinations}
        configs[topic] = {
            LEADER_REPLICAS: ",".join(sorted(leaders)),
            FOLLOWER_REPLICAS: ",".join(sorted(followers)),
        }
    return configs


def throttle_moves(cluster: Cluster, moving: Transfers, rate: int) -> None:
    alter_resources(cluster, ResourceType.TOPIC, throttled_replicas(moving))
    rates: dict[str, str | None] = {LEADER_RATE: str(rate), FOLLOWER_RATE: str(rate)}
    alter_resources(cluster, ResourceType.BROKER, {str(broker): rates for broker in brokers_of(moving)})


def brokers_of(moving: Transfers) -> list[int]:
    return sorted({broker for transfer in moving.values() for broker in transfer.sources | transfer.destinations})


def clear_rates(cluster: Cluster, brokers: Iterable[int]) -> None:
    rates = dict.fromkeys((LEADER_RATE, FOLLOWER_RATE, LOG_DIR_RATE))
    alter_resources(cluster, ResourceType.BROKER, {str(broker): rates for broker in brokers})


def clear_topics(cluster: Cluster, topics: Iterable[str]) -> None:
    replicas = dict.fromkeys((LEADER_REPLICAS, FOLLOWER_REPLICAS))
    alter_resources(cluster, ResourceType.TOPIC, dict.fromkeys(topics, replicas))
