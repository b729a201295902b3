"""What a node knows of the cluster's health, for Prometheus: the quorum, its leader, and the partitions led here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.metrics.exposed_parts import ExposedQuorum
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.replication.replica_fetchers import ReplicaFetchers

Gauge = tuple[str, float, str]


def quorum_gauges(quorum: ExposedQuorum) -> Iterable[Gauge]:
    image, node, is_active = quorum.metadata.image, quorum.raft, quorum.controller.is_active
    yield "riacho_active_controller", int(is_active), "Whether this node is the active controller."
    yield "riacho_quorum_leader_id", node.leader_id, "Who leads the metadata quorum; -1 for nobody."
    yield "riacho_quorum_epoch", node.epoch, "The epoch of the metadata quorum."
    yield "riacho_metadata_offset", image.end_offset, "How far the metadata are applied here."
    fenced = sum(registered.is_fenced for registered in image.brokers.values())
    yield "riacho_registered_brokers", len(image.brokers), "Brokers on record."
    yield "riacho_fenced_brokers", fenced, "Brokers on record that are not in service."
    if is_active:
        leaderless = sum(p.leader < 0 for topic in image.topics.values() for p in topic.partitions)
        yield "riacho_offline_partitions", leaderless, "Partitions without a leader; only the controller tells."


def replication_gauges(replicas: Replicas, fetchers: ReplicaFetchers) -> Iterable[Gauge]:
    under_replicated = under_min_isr = 0
    for hosted in replicas.all():
        leadership = hosted.leadership
        if hosted.is_leader and leadership is not None:
            under_replicated += len(leadership.isr) < len(leadership.replicas)
            under_min_isr += not hosted.has_enough_replicas
    yield "riacho_under_replicated_partitions", under_replicated, "Partitions led here with replicas out of sync."
    yield "riacho_under_min_isr_partitions", under_min_isr, "Partitions led here that take no acks=all writes."
    yield "riacho_followed_partitions", fetchers.followed_count(), "Partitions copied from other brokers."
    yield "riacho_replica_max_lag", fetchers.max_lag(), "Records that the slowest copy here is behind."
    yield "riacho_replicated_bytes_in", fetchers.fetched_size_bytes, "Record bytes copied from other brokers."
