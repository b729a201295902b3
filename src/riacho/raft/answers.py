"""The answers of the quorum's APIs: one topic, one partition, and whom to ask instead."""

from __future__ import annotations

from typing import Any, NamedTuple

from riacho.base.ids import METADATA_TOPIC_ID
from riacho.wire.messages import (
    begin_quorum_epoch_response as begin,
)
from riacho.wire.messages import (
    end_quorum_epoch_response as end,
)
from riacho.wire.messages import fetch_response as fetch
from riacho.wire.messages import fetch_snapshot_response as fetch_snapshot
from riacho.wire.messages import vote_response as vote

TOPIC = "__cluster_metadata"
PARTITION = 0


class LeaderInfo(NamedTuple):
    """Whom the answering node takes for the leader; host empty when the address is not known."""

    leader_id: int
    epoch: int
    host: str = ""
    port: int = 0


def sole_partition(request: Any) -> Any | None:
    """The part of a request about the metadata partition; None when it asks for anything else."""
    if len(request.topics) != 1 or len(request.topics[0].partitions) != 1:
        return None
    topic, partition = request.topics[0], request.topics[0].partitions[0]
    name = getattr(topic, "topic_name", None) or getattr(topic, "name", None) or getattr(topic, "topic", None)
    is_ours = name == TOPIC or getattr(topic, "topic_id", None) == METADATA_TOPIC_ID
    index = getattr(partition, "partition_index", None)
    if index is None:
        index = partition.partition
    return partition if is_ours and index == PARTITION else None


def vote_response(leader: LeaderInfo, error_code: int, is_granted: bool = False) -> vote.VoteResponse:
    partition = vote.PartitionData(
        error_code=error_code, leader_id=leader.leader_id, leader_epoch=leader.epoch, vote_granted=is_granted
    )
    return vote.VoteResponse(
        topics=[vote.TopicData(topic_name=TOPIC, partitions=[partition])],
        node_endpoints=[vote.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)]
        if leader.host
        else [],
    )


def begin_response(leader: LeaderInfo, error_code: int) -> begin.BeginQuorumEpochResponse:
    partition = begin.PartitionData(error_code=error_code, leader_id=leader.leader_id, leader_epoch=leader.epoch)
    return begin.BeginQuorumEpochResponse(
        topics=[begin.TopicData(topic_name=TOPIC, partitions=[partition])],
        node_endpoints=[begin.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)]
        if leader.host
        else [],
    )


def end_response(leader: LeaderInfo, error_code: int) -> end.EndQuorumEpochResponse:
    partition = end.PartitionData(error_code=error_code, leader_id=leader.leader_id, leader_epoch=leader.epoch)
    return end.EndQuorumEpochResponse(
        topics=[end.TopicData(topic_name=TOPIC, partitions=[partition])],
        node_endpoints=[end.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)]
        if leader.host
        else [],
    )


def fetch_response(
    leader: LeaderInfo, error_code: int, high_watermark: int = -1, log_start_offset: int = -1
) -> fetch.FetchResponse:
    partition = fetch.PartitionData(
        error_code=error_code,
        high_watermark=high_watermark,
        log_start_offset=log_start_offset,
        current_leader=fetch.LeaderIdAndEpoch(leader_id=leader.leader_id, leader_epoch=leader.epoch),
        records=b"",
    )
    return fetch.FetchResponse(
        responses=[fetch.FetchableTopicResponse(topic=TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[partition])],
        node_endpoints=[fetch.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)]
        if leader.host
        else [],
    )


def fetch_snapshot_response(
    leader: LeaderInfo, error_code: int, snapshot_id: tuple[int, int] = (0, 0), position: int = 0
) -> fetch_snapshot.FetchSnapshotResponse:
    partition = fetch_snapshot.PartitionSnapshot(
        error_code=error_code,
        snapshot_id=fetch_snapshot.SnapshotId(end_offset=snapshot_id[0], epoch=snapshot_id[1]),
        current_leader=fetch_snapshot.LeaderIdAndEpoch(leader_id=leader.leader_id, leader_epoch=leader.epoch),
        position=position,
        unaligned_records=b"",
    )
    return fetch_snapshot.FetchSnapshotResponse(
        topics=[fetch_snapshot.TopicSnapshot(name=TOPIC, partitions=[partition])],
        node_endpoints=[fetch_snapshot.NodeEndpoint(node_id=leader.leader_id, host=leader.host, port=leader.port)]
        if leader.host
        else [],
    )


def leader_in(response: Any) -> LeaderInfo | None:
    """Whom a response names as the leader of which epoch; None when it says nothing of it."""
    parts = getattr(response, "topics", None) or getattr(response, "responses", None)
    if not parts or not parts[0].partitions:
        return None
    partition = parts[0].partitions[0]
    named = getattr(partition, "current_leader", partition)
    host, port = next(
        ((each.host, each.port) for each in response.node_endpoints if each.node_id == named.leader_id), ("", 0)
    )
    return LeaderInfo(named.leader_id, named.leader_epoch, host, port)
