"""The controller quorum as it tells of itself (DescribeQuorum, KIP-595), and changes of its voters (KIP-853)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from riacho.client.cluster import Cluster, check
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest, Listener
from riacho.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from riacho.wire.messages.describe_quorum_response import DescribeQuorumResponse, ReplicaState
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse

_METADATA_TOPIC = "__cluster_metadata"


class QuorumEndpoint(NamedTuple):
    listener: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.listener}://{host}:{self.port}"


class Quorum(NamedTuple):
    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: list[ReplicaState]
    observers: list[ReplicaState]
    endpoints: dict[int, list[QuorumEndpoint]]

    @property
    def leader(self) -> ReplicaState:
        return next(voter for voter in self.voters if voter.replica_id == self.leader_id)


def describe_quorum(cluster: Cluster) -> Quorum:
    request = DescribeQuorumRequest(
        topics=[TopicData(topic_name=_METADATA_TOPIC, partitions=[PartitionData(partition_index=0)])]
    )

    def work() -> Quorum:
        response = cluster.ask(request, DescribeQuorumResponse, cluster.controller())
        check(response.error_code, response.error_message)
        partition = response.topics[0].partitions[0]
        check(partition.error_code, partition.error_message)
        return Quorum(
            partition.leader_id,
            partition.leader_epoch,
            partition.high_watermark,
            partition.current_voters,
            partition.observers,
            {n.node_id: [QuorumEndpoint(e.name, e.host, e.port) for e in n.listeners] for n in response.nodes},
        )

    return cluster.retry(work)


def add_voter(cluster: Cluster, voter_id: int, directory_id: bytes, endpoints: Sequence[QuorumEndpoint]) -> None:
    request = AddRaftVoterRequest(
        cluster_id=None,
        timeout_ms=cluster.settings.request_timeout_ms,
        voter_id=voter_id,
        voter_directory_id=directory_id,
        listeners=[Listener(name=e.listener, host=e.host, port=e.port) for e in endpoints],
    )

    def work() -> None:
        response = cluster.ask(request, AddRaftVoterResponse, cluster.controller())
        check(response.error_code, response.error_message)

    cluster.retry(work)


def remove_voter(cluster: Cluster, voter_id: int, directory_id: bytes) -> None:
    request = RemoveRaftVoterRequest(cluster_id=None, voter_id=voter_id, voter_directory_id=directory_id)

    def work() -> None:
        response = cluster.ask(request, RemoveRaftVoterResponse, cluster.controller())
        check(response.error_code, response.error_message)

    cluster.retry(work)
