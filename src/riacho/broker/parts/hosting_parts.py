"""What a broker has to host partitions: the replicas, what keeps them in sync, and what serves their readers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
from riacho.broker.fetch.fetch_sessions import FetchSessionCache
from riacho.broker.fetch.fetch_source import FetchSource
from riacho.broker.fetch.replica_selector import selector_for
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.partitions.broken_directories import BrokenDirectories
from riacho.broker.partitions.directory_assignments import DirectoryAssignments
from riacho.broker.partitions.full_directories import FullDirectories
from riacho.broker.partitions.replica_moves import ReplicaMoves
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quotas.replication_quota import ReplicationQuotas
from riacho.broker.replication.fetcher_settings import FetcherWorld
from riacho.broker.replication.isr_proposals import IsrProposals
from riacho.broker.replication.leader_connections import LeaderConnections
from riacho.broker.replication.replica_fetchers import ReplicaFetchers

if TYPE_CHECKING:
    from riacho.broker.parts.membership_parts import MembershipParts
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.parts.quorum_parts import QuorumParts

# A full session cache lets a new session take the place of one unused for this long, as Kafka does.
_SESSION_EVICTION_MS = 120_000


@dataclass(frozen=True, slots=True)
class HostingParts:
    replicas: Replicas
    isr_proposals: IsrProposals
    replica_fetchers: ReplicaFetchers
    replica_moves: ReplicaMoves
    directory_assignments: DirectoryAssignments
    full_directories: FullDirectories
    replication_quotas: ReplicationQuotas
    fetch_source: FetchSource
    auto_topics: AutoTopics
    producer_ids: ProducerIdBlocks

    async def stop(self) -> None:
        """Nothing moves or is fetched any more; what is parked is answered by `replicas.release_waiting`."""
        self.full_directories.close()
        await self.replica_moves.stop()
        await self.replica_fetchers.stop()

    def close(self) -> None:
        self.isr_proposals.close()
        self.directory_assignments.close()


async def open_hosting(node: NodeParts, quorum: QuorumParts, membership: MembershipParts) -> HostingParts:
    """Open the partitions that the metadata place here, and follow the metadata from now on."""
    config, clock, logs, metadata = node.config, node.clock, node.logs, quorum.metadata
    isr_proposals = IsrProposals(
        config.node_id, metadata, clock, logs, membership.channel.send, config.get("replica.lag.time.max.ms")
    )
    replicas = Replicas(
        config.node_id,
        quorum.directories,
        metadata,
        clock,
        logs,
        node.metrics,
        config.get("producer.id.expiration.ms"),
        isr_proposals,
    )
    replication_quotas = ReplicationQuotas(config.node_id, metadata)
    fetchers = _replica_fetchers(node, quorum, replicas, replication_quotas)
    for _ in replicas.load_in_steps():
        await asyncio.sleep(0)
    fetchers.start()
    assignments = DirectoryAssignments(
        config.node_id, quorum.directories, replicas, metadata, membership.channel, membership.lifecycle, logs
    )
    hosting = HostingParts(
        replicas=replicas,
        isr_proposals=isr_proposals,
        replica_fetchers=fetchers,
        replica_moves=ReplicaMoves(quorum.directories, replicas, assignments, metadata, clock, logs),
        directory_assignments=assignments,
        full_directories=FullDirectories(
            quorum.directories, replicas, node.environment.files, clock, logs, fetchers.role_changed
        ),
        replication_quotas=replication_quotas,
        fetch_source=_fetch_source(node, quorum, replicas, replication_quotas),
        auto_topics=AutoTopics(metadata, membership.channel),
        producer_ids=ProducerIdBlocks(config.node_id, membership.lifecycle, membership.channel),
    )
    _join(node, quorum, membership, hosting)
    return hosting


def _replica_fetchers(
    node: NodeParts, quorum: QuorumParts, replicas: Replicas, quotas: ReplicationQuotas
) -> ReplicaFetchers:
    leaders = LeaderConnections(quorum.endpoints, quorum.peers, quorum.metadata, quorum.suspects)
    world = FetcherWorld(
        node.config.node_id,
        node.clock,
        node.logs.error,
        quorum.metadata.own_broker_epoch,
        leaders.connect,
        quotas.follower,
        quorum.suspects.on_contact,
    )
    return ReplicaFetchers(world, replicas, quorum.metadata)


def _fetch_source(
    node: NodeParts, quorum: QuorumParts, replicas: Replicas, replication_quotas: ReplicationQuotas
) -> FetchSource:
    config = node.config
    slots = config.get("max.incremental.fetch.session.cache.slots")
    return FetchSource(
        replicas=replicas,
        sessions=FetchSessionCache(slots, _SESSION_EVICTION_MS, node.environment.rng),
        replica_selector=selector_for(config.get("replica.selector.class")),
        replication_quotas=replication_quotas,
        endpoints=quorum.endpoints,
        metrics=node.metrics,
        clock=node.clock,
        loop=node.loop,
        size_bytes_max=node.limits.fetch_size_bytes_max,
    )


def _join(node: NodeParts, quorum: QuorumParts, membership: MembershipParts, hosting: HostingParts) -> None:
    """Subscribe each part to the others, and to the metadata."""
    replicas, fetchers, assignments = hosting.replicas, hosting.replica_fetchers, hosting.directory_assignments
    for hosted in replicas.all():
        assignments.hosted(hosted)
    for listener in (fetchers.role_changed, assignments.hosted):
        replicas.when_late(listener)
    BrokenDirectories(
        node.config,
        quorum.directories,
        replicas,
        membership.lifecycle,
        node.logs,
        fetchers.gone,
        node.breakdown.happen,
    )
    hosting.replica_moves.start()
    # In this order: a partition has its role before anybody follows its leader.
    for part in (replicas, fetchers, assignments):
        quorum.metadata.subscribe(part.image_changed)
    for follower in (hosting.replication_quotas, quorum.suspects, membership.lifecycle):
        quorum.metadata.subscribe(follower.image_changed)
