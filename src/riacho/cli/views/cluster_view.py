"""A cluster at a glance: who is there, who leads what, whose replicas are in sync, which node is the controller."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.quorum import describe_quorum
from riacho.wire.messages.metadata_response import MetadataResponse


class Share(NamedTuple):
    """What one broker has of the partitions."""

    leaders: int
    replicas: int
    in_sync: int

    @property
    def behind(self) -> int:
        return self.replicas - self.in_sync


class ClusterView(NamedTuple):
    live: frozenset[int]
    topics: int
    partitions: int
    # Partitions as `topic-0`.
    leaderless: list[str]
    out_of_sync: list[str]
    shares: dict[int, Share]
    # None when there is none now, or the broker cannot tell.
    controller_id: int | None

    def share(self, node_id: int) -> Share:
        return self.shares.get(node_id, Share(0, 0, 0))

    def is_in_sync_on(self, node_id: int) -> bool:
        """Whether this broker is in the cluster and every replica that it has is in sync."""
        return node_id in self.live and not self.share(node_id).behind

    def behind_besides(self, node_id: int) -> int:
        """How many replicas on other brokers are not in sync."""
        return sum(share.behind for other, share in self.shares.items() if other != node_id)


def view_cluster(cluster: Cluster, *, with_controller: bool = True) -> ClusterView:
    """As the broker that answers sees it."""
    return view_metadata(cluster.metadata(), _controller_id(cluster) if with_controller else None)


def view_metadata(metadata: MetadataResponse, controller_id: int | None) -> ClusterView:
    leaders: Counter[int] = Counter()
    replicas: Counter[int] = Counter()
    in_sync: Counter[int] = Counter()
    leaderless: list[str] = []
    out_of_sync: list[str] = []
    for topic in metadata.topics:
        for partition in topic.partitions:
            name = f"{topic.name}-{partition.partition_index}"
            replicas.update(partition.replica_nodes)
            in_sync.update(set(partition.isr_nodes) & set(partition.replica_nodes))
            if partition.leader_id < 0:
                leaderless.append(name)
            else:
                leaders[partition.leader_id] += 1
            if not set(partition.replica_nodes) <= set(partition.isr_nodes):
                out_of_sync.append(name)
    return ClusterView(
        live=frozenset(broker.node_id for broker in metadata.brokers),
        topics=len(metadata.topics),
        partitions=sum(len(topic.partitions) for topic in metadata.topics),
        leaderless=sorted(leaderless),
        out_of_sync=sorted(out_of_sync),
        shares={node_id: Share(leaders[node_id], replicas[node_id], in_sync[node_id]) for node_id in replicas},
        controller_id=controller_id,
    )


def _controller_id(cluster: Cluster) -> int | None:
    try:
        leader_id = describe_quorum(cluster).leader_id
    except KafkaError:
        return None
    return leader_id if leader_id >= 0 else None


def some_of(names: list[str], shown: int = 3) -> str:
    """`a, b, c and 5 more`."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
