"""Throttles of moves as kafka-reassign-partitions sets, tells and clears them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riacho.client import replication_throttles as throttles
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_resources
from riacho.client.offsets import TopicPartition
from riacho.client.replication_throttles import Transfers
from riacho.metadata.image.config_resource import ResourceType


def throttle_moves(cluster: Cluster, moving: Transfers, rate: int) -> None:
    throttles.throttle_moves(cluster, moving, rate)
    print(f"The inter-broker throttle limit was set to {rate} B/s")


def throttle_log_dirs(cluster: Cluster, brokers: Iterable[int], rate: int) -> None:
    rates: dict[str, str | None] = {throttles.LOG_DIR_RATE: str(rate)}
    alter_resources(cluster, ResourceType.BROKER, {str(broker): rates for broker in sorted(set(brokers))})
    print(f"The replica-alter-dir throttle limit was set to {rate} B/s")


def clear_throttles(cluster: Cluster, partitions: Iterable[tuple[TopicPartition, Sequence[int]]]) -> None:
    """All of them: which brokers took part in earlier moves is no longer known."""
    listed = list(partitions)
    nodes = cluster.retry(cluster.live_brokers)
    brokers = sorted({*nodes, *(broker for _, replicas in listed for broker in replicas)})
    print(f"Clearing broker-level throttles on broker{_s(brokers)} {','.join(map(str, brokers))}", flush=True)
    throttles.clear_rates(cluster, brokers)
    topics = sorted({topic for (topic, _), _ in listed})
    print(f"Clearing topic-level throttles on topic{_s(topics)} {','.join(topics)}", flush=True)
    throttles.clear_topics(cluster, topics)


def _s(items: Sequence[object]) -> str:
    return "" if len(items) == 1 else "s"
