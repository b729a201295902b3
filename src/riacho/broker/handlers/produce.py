"""Produce, v3-13 (0-2 are advertised but refused, KAFKA-18659).

v8: per-record errors (KIP-467). v10: the new leader's endpoint (KIP-951). v13: topic ids (KIP-516).
The records stay the bytes that came in: they are checked, and offset and epoch stamped in place. What takes long to
check leaves the loop for that: `broker/produce/produce_checking.py`.
acks=0 sends no answer, and an error closes the connection, the only sign such a producer can see. acks=1 is answered
after the append. acks=all needs `min.insync.replicas` before the append, and is answered when the high watermark has
passed the batch; so is the retry of an idempotent producer whose first try was written and not yet committed.
A batch that comes before its turn is sent back before it is called out of order: `broker/requests/refused_batches.py`.
Batches of a transaction are put before its coordinator first, unless it is open on that partition already; from v12 on
the coordinator also adds the partition to it (KIP-890): `broker/produce/produce_verification.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.waiting import ParkedProduce
from riacho.broker.produce.produce_answer import add_new_leaders, refusal, refuse
from riacho.broker.produce.produce_checking import Checked, Refused
from riacho.broker.produce.produce_verification import ProduceVerification, check_verified
from riacho.broker.requests.api import CLOSE_CONNECTION, NO_RESPONSE, Silence
from riacho.partition.refused_records import TakesLongError
from riacho.partition.validation import TopicRules, ValidBatch, validate_produced
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.batch import TRANSACTIONAL_BIT, BatchHeader
from riacho.wire.messages.produce_response import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.produce.produce_outcome import ProduceOutcome
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.log.log import Appended
    from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest

_TOPIC_ID_VERSION = 13
_ALL = -1
# Clients of this id may write to internal topics, as Kafka's own admin tools do.
_ADMIN_CLIENT_ID = "__admin_client"

Awaited = list[tuple["HostedPartition", int, PartitionProduceResponse]]


def handle(ctx: RequestContext, request: ProduceRequest) -> Outcome[ProduceResponse | Silence]:
    # Where this takes long, the connection serves nothing else meanwhile, so the context stays this request's.
    return ctx.broker.produce_checking.check(ctx, request, lambda checked: _verify_all(ctx, request, checked))


def _verify_all(ctx: RequestContext, request: ProduceRequest, checked: Checked) -> ProduceOutcome:
    transactional_id = request.transactional_id
    if transactional_id is None:
        return _append_all(ctx, request, checked, None)
    is_allowed = ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, transactional_id)
    may_write = None if ctx.broker.authorizer is None else partial(ctx.allows_topic, AclOperation.WRITE)
    verification = ProduceVerification(ctx.broker, request, ctx.version, is_allowed=is_allowed, may_write=may_write)
    if verification.is_needed:
        return verification.then(lambda: _append_all(ctx, request, checked, verification))
    return _append_all(ctx, request, checked, verification)


def _append_all(
    ctx: RequestContext, request: ProduceRequest, checked: Checked, verification: ProduceVerification | None
) -> ProduceOutcome:
    acks = request.acks
    replicas = ctx.broker.replicas
    now_ms = ctx.broker.clock.now_ms()
    has_no_authorizer = ctx.broker.authorizer is None
    has_failed = False
    awaited: Awaited = []
    topics = []
    for topic in request.topic_data:
        topic_key = topic.topic_id if ctx.version >= _TOPIC_ID_VERSION else topic.name
        is_allowed = has_no_authorizer or ctx.allows_topic(AclOperation.WRITE, topic_key)
        partitions = []
        for data in topic.partition_data:
            try:
                if not is_allowed:
                    raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
                if acks not in (_ALL, 0, 1):
                    raise KafkaError(ErrorCode.INVALID_REQUIRED_ACKS)
                hosted = replicas.find(topic_key, data.index)
                answer, last_offset = _append(ctx, hosted, topic_key, data, acks, now_ms, checked, verification)
                if acks == _ALL and last_offset >= hosted.log.high_watermark:
                    awaited.append((hosted, last_offset, answer))
            except KafkaError as error:
                has_failed = True
                ctx.refused_batches.note(topic_key, data.index, data.records, error, ctx.broker.clock.monotonic_ms())
                answer = refusal(ctx.broker, ctx.version, topic_key, data.index, error)
            partitions.append(answer)
        topics.append(TopicProduceResponse(name=topic.name, topic_id=topic.topic_id, partition_responses=partitions))
    if acks == 0:
        return CLOSE_CONNECTION if has_failed else NO_RESPONSE
    response = ProduceResponse(responses=topics)
    if awaited:
        return _park(ctx, awaited, request.timeout_ms, response)
    if has_failed:
        add_new_leaders(ctx.broker, ctx.version, ctx.listener_name, response)
    return response


def _append(
    ctx: RequestContext,
    partition: HostedPartition,
    topic_key: str | bytes,
    data: PartitionProduceData,
    acks: int,
    now_ms: int,
    checked: Checked,
    verification: ProduceVerification | None,
) -> tuple[PartitionProduceResponse, int]:
    """The partition's answer, and the offset that must be committed before it may leave."""
    counts = partition.counts
    counts.produce_requests += 1
    if not partition.is_leader:
        partition.check_leader()
    if partition.is_internal and ctx.client_id != _ADMIN_CLIENT_ID:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {partition.topic}")
    if acks == _ALL:
        partition.check_enough_replicas()
    rules = partition.rules
    valid = _checked(data, rules, now_ms, ctx.version, checked)
    if valid.header.attributes & TRANSACTIONAL_BIT:
        check_verified(verification, partition, valid.header)
    log = partition.log
    appended = _append_in_turn(ctx, partition, topic_key, valid, now_ms)
    partition.advance()
    counts.bytes_in += valid.header.batch_length
    counts.messages_in += valid.header.record_count
    answer = PartitionProduceResponse(
        index=data.index,
        base_offset=appended.base_offset,
        log_append_time_ms=now_ms if rules.appends_time else -1,
        log_start_offset=log.log_start_offset,
    )
    return answer, appended.last_offset


def _checked(data: PartitionProduceData, rules: TopicRules, now_ms: int, version: int, checked: Checked) -> ValidBatch:
    found = checked.get(id(data))
    if found is None:
        try:
            return validate_produced(data.records, rules, now_ms, version)
        except TakesLongError:
            # It was not ours to check when the request came.
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, "the leader has just changed") from None
    if isinstance(found, Refused):
        raise found.error()
    return found


def _append_in_turn(
    ctx: RequestContext, partition: HostedPartition, topic_key: str | bytes, valid: ValidBatch, now_ms: int
) -> Appended:
    log, header = partition.log, valid.header
    if header.base_sequence > 0 and log.producer_state.producers.get(header.producer_id) is None:
        # Its state may be gone with its records, and then it goes on anywhere.
        _check_turn(ctx, partition, topic_key, header)
    try:
        return log.append(valid.buffer, header, partition.leader_epoch, now_ms)
    except KafkaError as error:
        if error.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            _check_turn(ctx, partition, topic_key, header)
        raise


def _check_turn(ctx: RequestContext, partition: HostedPartition, topic_key: str | bytes, header: BatchHeader) -> None:
    """Send a batch back that may have overtaken those before it."""
    clock_ms = ctx.broker.clock.monotonic_ms()
    is_replicated = not partition.is_alone
    refused = ctx.refused_batches.why_wait(topic_key, partition.index, header, clock_ms, is_replicated=is_replicated)
    if refused is not None:
        raise refused from None


def _park(ctx: RequestContext, awaited: Awaited, timeout_ms: int, response: ProduceResponse) -> ProduceOutcome:
    """The context is the connection's and will be another request's by then: keep what is needed of it."""
    broker, version, listener_name = ctx.broker, ctx.version, ctx.listener_name

    def turn_down(answer: PartitionProduceResponse, partition: HostedPartition, code: ErrorCode) -> None:
        refuse(broker, version, answer, partition.topic, KafkaError(code))

    def finish() -> ProduceResponse:
        add_new_leaders(broker, version, listener_name, response)
        return response

    return ParkedProduce(broker.loop, awaited, timeout_ms, turn_down, finish).deferred
