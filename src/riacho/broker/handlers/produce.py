"""Produce, v3-13 (0-2 are advertised but refused, KAFKA-18659).

v8: per-record errors (KIP-467). v10: the new leader's endpoint (KIP-951). v13: topic ids (KIP-516).
The records stay the bytes that came in: only the batch header is read, and its offset and epoch stamped in place.
acks=0 sends no answer, and an error closes the connection, the only sign such a producer can see.
Not done here: transactional batches (no transaction coordinator is served yet, so no client can have started one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.api import CLOSE_CONNECTION, NO_RESPONSE
from riacho.partition.validation import InvalidRecordsError, validate_produced
from riacho.wire.messages.produce_response import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from riacho.broker.hosted_partition import HostedPartition
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest

_TOPIC_ID_VERSION = 13
_NEW_LEADER_VERSION = 10
# Clients of this id may write to internal topics, as Kafka's own admin tools do.
_ADMIN_CLIENT_ID = "__admin_client"


def handle(ctx: RequestContext, request: ProduceRequest) -> Any:
    acks = request.acks
    replicas = ctx.broker.replicas
    now_ms = ctx.broker.clock.now_ms()
    has_failed = False
    topics = []
    for topic in request.topic_data:
        topic_key = topic.topic_id if ctx.version >= _TOPIC_ID_VERSION else topic.name
        partitions = []
        for data in topic.partition_data:
            try:
                if acks not in (-1, 0, 1):
                    raise KafkaError(ErrorCode.INVALID_REQUIRED_ACKS)
                partitions.append(_append(ctx, replicas.find(topic_key, data.index), data, now_ms))
            except KafkaError as error:
                has_failed = True
                partitions.append(_refused(ctx, topic_key, data.index, error))
        topics.append(TopicProduceResponse(name=topic.name, topic_id=topic.topic_id, partition_responses=partitions))
    if acks == 0:
        return CLOSE_CONNECTION if has_failed else NO_RESPONSE
    response = ProduceResponse(responses=topics)
    if has_failed and ctx.version >= _NEW_LEADER_VERSION:
        response.node_endpoints = _new_leaders(ctx, response)
    return response


def _append(
    ctx: RequestContext, partition: HostedPartition, data: PartitionProduceData, now_ms: int
) -> PartitionProduceResponse:
    if not partition.is_leader:
        partition.check_leader()
    if partition.is_internal and ctx.client_id != _ADMIN_CLIENT_ID:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {partition.topic}")
    rules = partition.rules
    valid = validate_produced(data.records, rules, now_ms, ctx.version)
    log = partition.log
    appended = log.append(valid.buffer, valid.header, partition.leader_epoch, now_ms)
    partition.advance()
    metrics = ctx.broker.metrics
    metrics.bytes_in += valid.header.batch_length
    metrics.messages_in += valid.header.record_count
    return PartitionProduceResponse(
        index=data.index,
        base_offset=appended.base_offset,
        log_append_time_ms=now_ms if rules.appends_time else -1,
        log_start_offset=log.log_start_offset,
    )


def _refused(ctx: RequestContext, topic_key: str | bytes, index: int, error: KafkaError) -> PartitionProduceResponse:
    ctx.broker.metrics.failed_produce += 1
    refused = PartitionProduceResponse(
        index=index, error_code=error.code, base_offset=-1, error_message=error.detail or None
    )
    if isinstance(error, InvalidRecordsError):
        refused.record_errors = [
            BatchIndexAndErrorMessage(batch_index=at, batch_index_error_message=message)
            for at, message in error.record_errors
        ]
    partition = ctx.broker.replicas.known(topic_key, index)
    is_moved = error.code is ErrorCode.NOT_LEADER_OR_FOLLOWER and ctx.version >= _NEW_LEADER_VERSION
    if is_moved and partition is not None:
        refused.current_leader = LeaderIdAndEpoch(leader_id=partition.leader_id, leader_epoch=partition.leader_epoch)
    return refused


def _new_leaders(ctx: RequestContext, response: ProduceResponse) -> list[NodeEndpoint]:
    leaders = {
        partition.current_leader.leader_id
        for topic in response.responses
        for partition in topic.partition_responses
        if partition.current_leader.leader_id >= 0
    }
    return [
        NodeEndpoint(node_id=leader, host=host, port=port)
        for leader in sorted(leaders)
        for host, port in [ctx.broker.endpoint_of(leader, ctx.listener_name)]
    ]
