"""OffsetForLeaderEpoch, v2-4: where an epoch ended, so that a reader can find the point where its log parts from ours.

KIP-101, KIP-279, KIP-320. An epoch we never saw answers with offset -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.offset_for_leader_epoch_response import (
    EpochEndOffset,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.offset_for_leader_epoch_request import (
        OffsetForLeaderEpochRequest,
        OffsetForLeaderPartition,
    )


def handle(ctx: BrokerRequestContext, request: OffsetForLeaderEpochRequest) -> OffsetForLeaderEpochResponse:
    # Brokers ask as what they are, consumers as readers of the topic (KIP-320).
    is_broker = ctx.allows_cluster(AclOperation.CLUSTER_ACTION, is_audited=False)
    topics = []
    for topic in request.topics:
        is_allowed = is_broker or ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.topic)
        partitions = [_answer(ctx, topic.topic, asked, is_allowed) for asked in topic.partitions]
        topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=partitions))
    return OffsetForLeaderEpochResponse(topics=topics)


def _answer(ctx: BrokerRequestContext, topic: str, asked: OffsetForLeaderPartition, is_allowed: bool) -> EpochEndOffset:
    answer = EpochEndOffset(partition=asked.partition)
    try:
        if not is_allowed:
            raise denied(AclResourceType.TOPIC)
        hosted = ctx.hosting.replicas.find(topic, asked.partition)
        hosted.check_leader(asked.current_leader_epoch)
        if asked.leader_epoch == hosted.leader_epoch:
            answer.leader_epoch, answer.end_offset = hosted.leader_epoch, hosted.log.log_end_offset
        else:
            answer.leader_epoch, answer.end_offset = hosted.log.end_offset_for_epoch(asked.leader_epoch)
    except KafkaError as error:
        answer.error_code = error.code
    return answer
