"""ShareAcknowledge, v1-2 (KIP-932): what became of records that a member holds.

v2: renewed holds (KIP-1222). Each partition has its own outcome. The epoch is that of the member's session, which -1
ends: what it still holds is released.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.shares.share_reading import current_leader_on_error
from riacho.broker.shares.share_requests import acknowledge_all, check_group_request, endpoints_of, topic_refusals
from riacho.broker.shares.share_state_answers import check_shares_enabled
from riacho.shares.session import FINAL_EPOCH, INITIAL_EPOCH, SessionKey, SharedPartition
from riacho.wire.messages.share_acknowledge_response import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.shares.session import ShareSession
    from riacho.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest


async def handle(ctx: BrokerRequestContext, request: ShareAcknowledgeRequest) -> ShareAcknowledgeResponse:
    listener_name = ctx.listener_name
    batches_of = {
        SharedPartition(topic.topic_id, each.partition_index): each.acknowledgement_batches
        for topic in request.topics
        for each in topic.partitions
    }
    try:
        check_shares_enabled(ctx)
        check_group_request(ctx, request)
        topics = topic_refusals(ctx, {each.topic_id for each in batches_of})
        session = _session(ctx, request)
    except KafkaError as error:
        return ShareAcknowledgeResponse(error_code=error.code, error_message=error.detail or None)
    assert request.group_id is not None
    assert request.member_id is not None
    shares = ctx.coordinators.share_partitions
    outcomes = await acknowledge_all(
        shares, ctx.metadata.image, request.group_id, request.member_id, batches_of, topics, request.is_renew_ack
    )
    if request.share_session_epoch == FINAL_EPOCH:
        shares.sessions.remove(session.key)
        await shares.end_session(session)
    leaders = set()
    results: dict[bytes, ShareAcknowledgeTopicResponse] = {}
    for partition, outcome in outcomes.items():
        answer = PartitionData(partition_index=partition.partition)
        if outcome is not None:
            answer.error_code, answer.error_message = outcome.code, outcome.detail or None
            leader = current_leader_on_error(ctx.hosting.replicas, partition, outcome.code)
            if leader is not None:
                answer.current_leader = LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1])
                leaders.add(leader[0])
        topic = results.setdefault(partition.topic_id, ShareAcknowledgeTopicResponse(topic_id=partition.topic_id))
        topic.partitions.append(answer)
    return ShareAcknowledgeResponse(
        acquisition_lock_timeout_ms=shares.config_of(request.group_id).limits.record_lock_duration_ms,
        responses=list(results.values()),
        node_endpoints=endpoints_of(ctx.quorum.endpoints.of, leaders, listener_name, NodeEndpoint),
    )


def _session(ctx: BrokerRequestContext, request: ShareAcknowledgeRequest) -> ShareSession:
    assert request.group_id is not None
    assert request.member_id is not None
    sessions = ctx.coordinators.share_partitions.sessions
    key, epoch = SessionKey(request.group_id, request.member_id), request.share_session_epoch
    if epoch == INITIAL_EPOCH:
        raise KafkaError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
    return sessions.find(key) if epoch == FINAL_EPOCH else sessions.advance(key, epoch)
