"""The parts of a node that its metrics tell of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.coordinators.group_runtime import GroupRuntime
    from riacho.broker.fetch.fetch_sessions import FetchSessionCache
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.replication.isr_proposals import IsrProposals
    from riacho.broker.replication.replica_fetchers import ReplicaFetchers
    from riacho.raft.node import RaftNode


@dataclass(frozen=True, slots=True)
class ExposedQuorum:
    """Of every node."""

    metadata: MetadataCache
    raft: RaftNode
    controller: ControllerDriver


@dataclass(frozen=True, slots=True)
class ExposedBroker:
    """Of a node with the role of a broker."""

    node_id: int
    replicas: Replicas
    replica_fetchers: ReplicaFetchers
    isr_proposals: IsrProposals
    fetch_sessions: FetchSessionCache
    groups: GroupRuntime
    # `riacho.metrics.entries.max`
    entries_max: int
