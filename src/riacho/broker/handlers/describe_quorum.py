"""DescribeQuorum, v0-2 (KIP-595): who leads the metadata quorum and how far its members are.

The quorum has one voter, this node. v1: fetch times (KIP-836). v2: directory ids and where nodes listen (KIP-853);
with a fixed voter the directory id is zero, as in Kafka.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.metadata.topic_names import CLUSTER_METADATA
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from riacho.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Listener,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    topics = []
    is_ours = False
    for asked in request.topics:
        partitions = []
        for partition in asked.partitions:
            if asked.topic_name == CLUSTER_METADATA and partition.partition_index == 0:
                is_ours = True
                partitions.append(_quorum(ctx))
            else:
                unknown = PartitionData(
                    partition_index=partition.partition_index,
                    error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                    error_message="This server does not host this topic-partition.",
                )
                partitions.append(unknown)
        topics.append(TopicData(topic_name=asked.topic_name, partitions=partitions))
    return DescribeQuorumResponse(topics=topics, nodes=_nodes(ctx) if is_ours else [])


def _quorum(ctx: RequestContext) -> PartitionData:
    log = ctx.broker.metadata.log
    now_ms = ctx.broker.clock.now_ms()
    me = ReplicaState(
        replica_id=ctx.broker.node_id,
        log_end_offset=log.end_offset,
        last_fetch_timestamp=now_ms,
        last_caught_up_timestamp=now_ms,
    )
    return PartitionData(
        leader_id=ctx.broker.node_id,
        leader_epoch=log.epoch,
        high_watermark=log.end_offset,
        current_voters=[me],
    )


def _nodes(ctx: RequestContext) -> list[Node]:
    return [
        Node(
            node_id=controller_id,
            listeners=[Listener(name=e.name, host=e.host, port=e.port) for e in controller.end_points],
        )
        for controller_id, controller in ctx.broker.metadata.image.controllers.items()
    ]
