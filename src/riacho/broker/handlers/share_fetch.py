"""ShareFetch, v1-2 (KIP-932): acknowledges what was fetched before, then acquires records for this member.

v2: exact numbers of records (KIP-1206) and renewed holds (KIP-1222). Partitions are those of the session: epoch 0 opens
one, -1 ends it after the acknowledgements, which releases what the member still holds. A fetch that finds too little
waits until records come, are released, or its time is up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.purgatory import ParkedFetch
from riacho.broker.requests.later import settled
from riacho.broker.shares.share_reading import NO_RECORDS, ShareAnswers, ShareReading, current_leader_on_error, refused
from riacho.broker.shares.share_requests import (
    acknowledge_all,
    check_group_request,
    endpoints_of,
    partition_refusal,
    topic_refusals,
)
from riacho.broker.shares.share_state_answers import check_shares_enabled
from riacho.shares.session import FINAL_EPOCH, INITIAL_EPOCH, SessionKey, SharedPartition, ShareSession
from riacho.wire.messages.share_fetch_response import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.share_fetch_request import ShareFetchRequest


async def handle(ctx: BrokerRequestContext, request: ShareFetchRequest) -> ShareFetchResponse:
    listener_name = ctx.listener_name
    wanted = {
        SharedPartition(topic.topic_id, each.partition_index): each.acknowledgement_batches
        for topic in request.topics
        for each in topic.partitions
    }
    batches_of = {partition: batches for partition, batches in wanted.items() if batches}
    try:
        check_shares_enabled(ctx)
        check_group_request(ctx, request)
        _check_renewal(request)
        topics = topic_refusals(ctx, {each.topic_id for each in wanted})
        session = _session(ctx, request, wanted, has_acknowledgements=bool(batches_of))
    except KafkaError as error:
        return ShareFetchResponse(error_code=error.code, error_message=error.detail or None)
    assert request.group_id is not None
    assert request.member_id is not None
    outcomes = await acknowledge_all(
        ctx.coordinators.share_partitions,
        ctx.metadata.image,
        request.group_id,
        request.member_id,
        batches_of,
        topics,
        request.is_renew_ack,
    )
    answers: ShareAnswers = {}
    if request.share_session_epoch == FINAL_EPOCH:
        ctx.coordinators.share_partitions.sessions.remove(session.key)
        await ctx.coordinators.share_partitions.end_session(session)
    elif not request.is_renew_ack:
        answers = await _fetched(ctx, request, session, topics)
    lock_timeout_ms = ctx.coordinators.share_partitions.config_of(request.group_id).limits.record_lock_duration_ms
    for partition, outcome in outcomes.items():
        _add_outcome(ctx.hosting.replicas, answers, partition, outcome)
    response = ShareFetchResponse(acquisition_lock_timeout_ms=lock_timeout_ms, responses=_by_topic(answers))
    leaders = {each.current_leader.leader_id for each in answers.values() if _needs_leader(each)}
    if leaders:
        response.node_endpoints = endpoints_of(ctx.quorum.endpoints.of, leaders, listener_name, NodeEndpoint)
    return response


def _check_renewal(request: ShareFetchRequest) -> None:
    """A request that renews holds must not ask for records."""
    if request.is_renew_ack and (request.max_bytes or request.min_bytes or request.max_records or request.max_wait_ms):
        raise KafkaError(ErrorCode.INVALID_REQUEST)


def _session(
    ctx: BrokerRequestContext,
    request: ShareFetchRequest,
    wanted: Collection[SharedPartition],
    has_acknowledgements: bool,
) -> ShareSession:
    assert request.group_id is not None
    assert request.member_id is not None
    shares = ctx.coordinators.share_partitions
    sessions, key = shares.sessions, SessionKey(request.group_id, request.member_id)
    epoch = request.share_session_epoch
    if epoch == FINAL_EPOCH:
        return sessions.find(key)
    if epoch == INITIAL_EPOCH:
        if has_acknowledgements:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        connection = ctx.connection
        session = sessions.open(key, wanted, connection)
        if connection is not None:
            connection.on_lost[shares] = lambda: shares.connection_gone(connection)
        return session
    session = sessions.advance(key, epoch)
    for partition in wanted:
        session.partitions.setdefault(partition)
    for topic in request.forgotten_topics_data:
        for index in topic.partitions:
            session.partitions.pop(SharedPartition(topic.topic_id, index), None)
    return session


async def _fetched(
    ctx: BrokerRequestContext, request: ShareFetchRequest, session: ShareSession, topics: dict[bytes, KafkaError]
) -> ShareAnswers:
    topics = topics | topic_refusals(ctx, {each.topic_id for each in session.partitions} - topics.keys())
    answers: ShareAnswers = {}
    for partition in session.partitions:
        refusal = partition_refusal(ctx.metadata.image, partition, topics)
        if refusal is not None:
            answers[partition] = refused(ctx.hosting.replicas, partition, refusal)
    reading = ShareReading(
        ctx.coordinators.share_partitions,
        ctx.hosting.replicas,
        ctx.node.clock,
        request,
        session,
        [partition for partition in session.partitions if partition not in answers],
        size_bytes_max=ctx.node.limits.fetch_size_bytes_max,
        is_full=request.share_session_epoch == INITIAL_EPOCH,
    )
    found = reading.attempt(is_last=bool(answers) or request.max_wait_ms <= 0 or not session.partitions)
    if found is None:
        places = [place for share in reading.shares for place in (share.waiting, share.hosted.waiting)]
        parked = ParkedFetch(ctx.node.loop, places, request.max_wait_ms, reading.attempt)
        waited: ShareAnswers = await settled(parked.deferred)
        return answers | waited
    return answers | found


def _add_outcome(
    replicas: Replicas, answers: ShareAnswers, partition: SharedPartition, outcome: KafkaError | None
) -> None:
    answer = answers.get(partition)
    if answer is None:
        answer = answers[partition] = PartitionData(partition_index=partition.partition, records=NO_RECORDS)
    if outcome is None:
        return
    answer.acknowledge_error_code = outcome.code
    answer.acknowledge_error_message = outcome.detail or None
    leader = current_leader_on_error(replicas, partition, outcome.code)
    if leader is not None:
        answer.current_leader = LeaderIdAndEpoch(leader_id=leader[0], leader_epoch=leader[1])


def _needs_leader(answer: PartitionData) -> bool:
    codes = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
    return answer.error_code in codes or answer.acknowledge_error_code in codes


def _by_topic(answers: ShareAnswers) -> list[ShareFetchableTopicResponse]:
    topics: dict[bytes, ShareFetchableTopicResponse] = {}
    for partition, answer in answers.items():
        topic = topics.get(partition.topic_id)
        if topic is None:
            topic = topics[partition.topic_id] = ShareFetchableTopicResponse(topic_id=partition.topic_id)
        topic.partitions.append(answer)
    return list(topics.values())
