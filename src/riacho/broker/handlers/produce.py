"""Produce, v3-13 (0-2 are advertised but refused, KAFKA-18659).

v8: per-record errors (KIP-467). v10: the new leader's endpoint (KIP-951). v13: topic ids (KIP-516).
The records stay the bytes that came in: they are checked, and offset and epoch stamped in place
(`broker/produce/append_produced.py`). What takes long to check leaves the loop for that:
`broker/produce/produce_checking.py`.
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
from riacho.broker.counters.client_counts import PRODUCED
from riacho.broker.partitions.purgatory import ParkedProduce
from riacho.broker.produce.append_produced import append_produced
from riacho.broker.produce.produce_checking import Checked
from riacho.broker.produce.produce_verification import ProduceVerification, check_verified
from riacho.broker.requests.api import CLOSE_CONNECTION, NO_RESPONSE, Silence
from riacho.partition.refused_records import TakesLongError
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.produce_response import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.produce.produce_outcome import ProduceOutcome
    from riacho.broker.requests.later import Outcome
    from riacho.wire.batch import BatchHeader
    from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest

_TOPIC_ID_VERSION = 13
_ALL = -1
# Clients of this id may write to internal topics, as Kafka's own admin tools do.
_ADMIN_CLIENT_ID = "__admin_client"

Awaited = list[tuple["HostedPartition", int, PartitionProduceResponse]]


def handle(ctx: BrokerRequestContext, request: ProduceRequest) -> Outcome[ProduceResponse | Silence]:
    # Where this takes long, the connection serves nothing else meanwhile, so the context stays this request's.
    return ctx.produce.checking.check(ctx, request, lambda checked: _verify_all(ctx, request, checked))


def _verify_all(ctx: BrokerRequestContext, request: ProduceRequest, checked: Checked) -> ProduceOutcome:
    transactional_id = request.transactional_id
    if transactional_id is None:
        return _append_all(ctx, request, checked, None)
    is_allowed = ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, transactional_id)
    may_write = None if ctx.authorizer is None else partial(ctx.allows_topic, AclOperation.WRITE)
    verification = ProduceVerification(
        ctx.produce.verifier, request, ctx.version, is_allowed=is_allowed, may_write=may_write
    )
    if verification.is_needed:
        return verification.then(lambda: _append_all(ctx, request, checked, verification))
    return _append_all(ctx, request, checked, verification)


def _append_all(
    ctx: BrokerRequestContext, request: ProduceRequest, checked: Checked, verification: ProduceVerification | None
) -> ProduceOutcome:
    acks = request.acks
    replicas = ctx.hosting.replicas
    checks = RequestChecks(ctx, verification)
    now_ms = ctx.node.clock.now_ms()
    has_no_authorizer = ctx.authorizer is None
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
                answer, last_offset = _append(ctx, hosted, data, acks, now_ms, checked, checks)
                if acks == _ALL and last_offset >= hosted.log.high_watermark:
                    awaited.append((hosted, last_offset, answer))
            except KafkaError as error:
                has_failed = True
                ctx.refused_batches.note(topic_key, data.index, data.records, error, ctx.node.clock.monotonic_ms())
                answer = ctx.produce.refusals.refusal(ctx.version, topic_key, data.index, error)
            partitions.append(answer)
        topics.append(TopicProduceResponse(name=topic.name, topic_id=topic.topic_id, partition_responses=partitions))
    if acks == 0:
        return CLOSE_CONNECTION if has_failed else NO_RESPONSE
    response = ProduceResponse(responses=topics)
    if awaited:
        return _park(ctx, awaited, request.timeout_ms, response, has_failed)
    if has_failed:
        ctx.produce.refusals.add_new_leaders(ctx.version, ctx.listener_name, response)
    return response


def _append(
    ctx: BrokerRequestContext,
    partition: HostedPartition,
    data: PartitionProduceData,
    acks: int,
    now_ms: int,
    checked: Checked,
    checks: RequestChecks,
) -> tuple[PartitionProduceResponse, int]:
    """The partition's answer, and the offset that must be committed before it may leave."""
    found = checked.get(id(data))
    try:
        appended = append_produced(partition, data.records, found, acks == _ALL, ctx.version, now_ms, checks)
    except TakesLongError:
        # It was not ours to check when the request came.
        raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, "the leader has just changed") from None
    client = ctx.node.metrics.clients.of(PRODUCED, ctx.principal, ctx.client_id, partition.topic)
    client.bytes += 0 if data.records is None else len(data.records)
    client.messages += appended.last_offset - appended.base_offset + 1
    answer = PartitionProduceResponse(
        index=data.index,
        base_offset=appended.base_offset,
        log_append_time_ms=now_ms if partition.rules.appends_time else -1,
        log_start_offset=partition.log.log_start_offset,
    )
    return answer, appended.last_offset


class RequestChecks:
    """What a request's batches must pass, by what its client is and what its coordinator said (`append_checks.py`)."""

    __slots__ = ("_ctx", "_verification")

    def __init__(self, ctx: BrokerRequestContext, verification: ProduceVerification | None) -> None:
        self._ctx = ctx
        self._verification = verification

    def check_internal_topic(self, partition: HostedPartition) -> None:
        if self._ctx.client_id != _ADMIN_CLIENT_ID:
            raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {partition.topic}")

    def check_transaction(self, partition: HostedPartition, header: BatchHeader) -> None:
        check_verified(self._verification, partition, header)

    def check_turn(self, partition: HostedPartition, header: BatchHeader) -> None:
        """Send a batch back that may have overtaken those before it."""
        ctx = self._ctx
        topic_key = partition.topic_id if ctx.version >= _TOPIC_ID_VERSION else partition.topic
        refused = ctx.refused_batches.why_wait(
            topic_key, partition.index, header, ctx.node.clock.monotonic_ms(), is_replicated=not partition.is_alone
        )
        if refused is not None:
            raise refused from None


def _park(
    ctx: BrokerRequestContext, awaited: Awaited, timeout_ms: int, response: ProduceResponse, has_failed: bool
) -> ProduceOutcome:
    """The context is the connection's and will be another request's by then: keep what is needed of it."""
    refusals, version, listener_name = ctx.produce.refusals, ctx.version, ctx.listener_name

    def turn_down(answer: PartitionProduceResponse, partition: HostedPartition, code: ErrorCode) -> None:
        nonlocal has_failed
        has_failed = True
        refusals.refuse(version, answer, partition.topic, KafkaError(code))

    def finish() -> ProduceResponse:
        if has_failed:
            refusals.add_new_leaders(version, listener_name, response)
        return response

    return ParkedProduce(ctx.node.loop, awaited, timeout_ms, turn_down, finish).deferred
