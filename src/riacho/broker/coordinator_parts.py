"""The coordinators of a broker (groups, share groups, transactions): how they come, follow the metadata, and go."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.coordinators.marker_writing import MarkerWriter
from riacho.broker.coordinators.transaction_markers import TransactionMarkers
from riacho.broker.coordinators.transaction_runtime import TransactionRuntime
from riacho.broker.produce.transaction_verifier import TransactionVerifier
from riacho.broker.shares.share_coordinator import ShareCoordinator
from riacho.broker.shares.share_groups import ShareGroupRuntime
from riacho.broker.shares.share_lag import ShareLag
from riacho.broker.shares.share_partitions import SharePartitions
from riacho.broker.shares.share_persister import SharePersister
from riacho.groups.config import GroupConfig
from riacho.transactions.config import TransactionConfig

if TYPE_CHECKING:
    from riacho.base.ports import Rng
    from riacho.broker.config import BrokerConfig
    from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
    from riacho.broker.environment import Environment
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.auto_topics import AutoTopics
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.peers.node_peers import NodePeers
    from riacho.broker.quorum.metadata_cache import MetadataCache


@dataclass(frozen=True, slots=True)
class Coordinators:
    groups: GroupRuntime
    share_coordinator: ShareCoordinator
    share_persister: SharePersister
    share_partitions: SharePartitions
    share_groups: ShareGroupRuntime
    transactions: TransactionRuntime
    transaction_markers: TransactionMarkers
    transaction_verifier: TransactionVerifier
    # What other brokers' coordinators have written to the partitions led here.
    marker_writer: MarkerWriter

    def close(self) -> None:
        """Whoever waits for one gets an answer."""
        self.share_groups.close()
        self.share_partitions.close()
        self.share_persister.close()
        self.share_coordinator.close()
        self.groups.close()
        self.transactions.close()
        self.transaction_markers.close()
        self.transaction_verifier.close()


def open_coordinators(
    config: BrokerConfig,
    environment: Environment,
    logs: Logs,
    metadata: MetadataCache,
    replicas: Replicas,
    topics: AutoTopics,
    producer_ids: ProducerIdBlocks,
    new_peers: Callable[[str], NodePeers],
) -> Coordinators:
    """After the replicas: a coordinator reads its state from the partitions that are led here. `new_peers(purpose)`
    makes connections to the other brokers."""
    clock = environment.clock
    groups = GroupRuntime(
        GroupConfig.of(config.get),
        replicas,
        clock,
        topics,
        new_member_suffix=partial(_member_suffix, environment.rng),
        # Made below: nobody joins a group before it is there.
        create_share_state=lambda wanted: share_groups.create_state(wanted),
        commit_timeout_ms=config.get("offsets.commit.timeout.ms"),
        regex_executor=environment.executor("group-regexes"),
    )
    share_coordinator = ShareCoordinator(
        replicas,
        clock,
        topics,
        updates_per_snapshot=config.get("share.coordinator.snapshot.update.records.per.snapshot"),
        commit_timeout_ms=config.get("share.coordinator.write.timeout.ms"),
    )
    share_persister = SharePersister(config.node_id, share_coordinator, new_peers("share-persister"))
    marker_writer = MarkerWriter(replicas, groups, metadata, clock, logs)
    transaction_markers = TransactionMarkers(
        config.node_id, metadata, clock, marker_writer, new_peers("txn-marker-sender")
    )
    transactions = TransactionRuntime(
        TransactionConfig.of(config.get), replicas, clock, topics, producer_ids.take, transaction_markers
    )
    share_groups = ShareGroupRuntime(
        groups, metadata, share_persister, ShareLag(replicas, metadata, new_peers("share-lag"))
    )
    coordinators = Coordinators(
        groups=groups,
        share_coordinator=share_coordinator,
        share_persister=share_persister,
        share_partitions=SharePartitions(
            replicas, metadata, share_persister, clock, sessions_max=config.get("group.share.max.share.sessions")
        ),
        share_groups=share_groups,
        transactions=transactions,
        transaction_markers=transaction_markers,
        transaction_verifier=TransactionVerifier(config.node_id, transactions, new_peers("add-partitions-to-txn")),
        marker_writer=marker_writer,
    )
    _start(coordinators, metadata)
    return coordinators


def _start(coordinators: Coordinators, metadata: MetadataCache) -> None:
    """Load what is led here, and follow the metadata from now on."""
    for runtime in (coordinators.share_coordinator, coordinators.groups, coordinators.transactions):
        runtime.start()
    for part in (
        coordinators.share_coordinator,
        coordinators.share_partitions,
        coordinators.groups,
        coordinators.transactions,
    ):
        metadata.subscribe(part.image_changed)


def _member_suffix(rng: Rng) -> str:
    return str(uuid.UUID(bytes=rng.token(16), version=4))
