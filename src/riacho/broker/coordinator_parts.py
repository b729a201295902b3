"""The coordinators of a broker (groups, share groups, transactions): how they come, follow the metadata, and go."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.coordinators.marker_writing import MarkerWriter
from riacho.broker.coordinators.transaction_markers import TransactionMarkers
from riacho.broker.coordinators.transaction_runtime import TransactionRuntime
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.produce.transaction_verifier import TransactionVerifier
from riacho.broker.shares.share_coordinator import ShareCoordinator
from riacho.broker.shares.share_groups import ShareGroupRuntime
from riacho.broker.shares.share_lag import ShareLag
from riacho.broker.shares.share_partitions import SharePartitions
from riacho.broker.shares.share_persister import SharePersister
from riacho.groups.config import GroupConfig
from riacho.transactions.config import TransactionConfig

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.metadata.image.image import MetadataImage


def open_coordinators(broker: Broker) -> None:
    """After the replicas: a coordinator reads its state from the partitions that are led here."""
    _open_groups(broker)
    _open_transactions(broker)


def _open_groups(broker: Broker) -> None:
    config, metadata = broker.config, broker.metadata
    broker.groups = groups = GroupRuntime(
        GroupConfig.of(config.get),
        broker.replicas,
        broker.clock,
        broker.auto_topics,
        new_member_suffix=lambda: str(uuid.UUID(bytes=broker.rng.token(16), version=4)),
        commit_timeout_ms=config.get("offsets.commit.timeout.ms"),
        regex_executor=broker.executor("group-regexes"),
    )
    replicas, clock = broker.replicas, broker.clock
    broker.share_coordinator = ShareCoordinator(
        replicas,
        clock,
        broker.auto_topics,
        updates_per_snapshot=config.get("share.coordinator.snapshot.update.records.per.snapshot"),
        commit_timeout_ms=config.get("share.coordinator.write.timeout.ms"),
    )
    broker.share_persister = SharePersister(
        broker.node_id, broker.share_coordinator, NodePeers(broker, "share-persister")
    )
    broker.share_partitions = SharePartitions(
        replicas, metadata, broker.share_persister, clock, sessions_max=config.get("group.share.max.share.sessions")
    )
    broker.share_coordinator.start()
    metadata.subscribe(broker.share_coordinator.image_changed)
    metadata.subscribe(broker.share_partitions.image_changed)
    broker.share_groups = ShareGroupRuntime(
        groups, metadata, broker.share_persister, ShareLag(replicas, metadata, NodePeers(broker, "share-lag"))
    )
    groups.start()
    metadata.subscribe(groups.image_changed)

    def forget_offsets_of_deleted_topics(old: MetadataImage, new: MetadataImage) -> None:
        if new.topics is not old.topics:
            deleted = deleted_topics(old, new)
            if deleted:
                groups.forget_topics(deleted)

    metadata.subscribe(forget_offsets_of_deleted_topics)


def deleted_topics(old: MetadataImage, new: MetadataImage) -> set[str]:
    """Also those whose name has been given to another topic since."""
    gone = old.topics.keys() - new.topics.keys()
    return gone | {
        name
        for name, topic in new.topics.items()
        if (before := old.topics.get(name)) is not None and before is not topic and before.id != topic.id
    }


def _open_transactions(broker: Broker) -> None:
    broker.marker_writer = MarkerWriter(broker.replicas, broker.groups, broker.metadata, broker.clock, broker.logs)
    broker.transaction_markers = TransactionMarkers(
        broker.node_id, broker.metadata, broker.clock, broker.marker_writer, NodePeers(broker, "txn-marker-sender")
    )
    broker.transaction_verifier = TransactionVerifier(broker)
    broker.transactions = TransactionRuntime(
        TransactionConfig.of(broker.config.get),
        broker.replicas,
        broker.clock,
        broker.auto_topics,
        broker.producer_ids.take,
        broker.transaction_markers,
    )
    broker.transactions.start()
    broker.metadata.subscribe(broker.transactions.image_changed)


def close_coordinators(broker: Broker) -> None:
    """Whoever waits for one gets an answer."""
    for part in (
        broker.share_groups,
        broker.share_partitions,
        broker.share_persister,
        broker.share_coordinator,
        broker.groups,
        broker.transactions,
        broker.transaction_markers,
        broker.transaction_verifier,
    ):
        part.close()
