"""TxnOffsetCommit, v0-5: offsets of a group, committed within a transaction (KIP-98).

v2: leader epochs. v3: the member and its generation (KIP-447). v4: TRANSACTION_ABORTABLE may be answered. v5: the
offsets partition adds itself to the transaction (KIP-890); before, it makes sure that AddOffsetsToTxn did. The offsets
count when the marker of a commit stands in that partition. Topics that do not exist are refused each on their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.coordination import coordinator_error
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.produce.produce_verification import OVERTAKEN_MAX
from riacho.broker.requests.later import settled
from riacho.groups.operations import TXN_OFFSET_COMMIT
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.batch import NO_SEQUENCE
from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequestTopic
from riacho.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.partition.verification import VerificationGuard
    from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

_ABORTABLE_VERSION = 4
_IMPLICIT_VERSION = 5


async def handle(ctx: BrokerRequestContext, request: TxnOffsetCommitRequest) -> TxnOffsetCommitResponse:
    if not ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return TXN_OFFSET_COMMIT.refused(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return TXN_OFFSET_COMMIT.refused(request, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    accepted, refused = _screened(ctx, request)
    response = TxnOffsetCommitResponse()
    if accepted.topics:
        try:
            response = await _commit(ctx, accepted)
        except KafkaError as error:
            response = TXN_OFFSET_COMMIT.refused(accepted, _response_code(error.code))
    return _joined(response, refused)


def _screened(
    ctx: BrokerRequestContext, request: TxnOffsetCommitRequest
) -> tuple[TxnOffsetCommitRequest, list[TxnOffsetCommitResponseTopic]]:
    """The request for what may be committed, and the answers of the rest."""
    image = ctx.metadata.image
    accepted, refused = [], []
    for topic in request.topics:
        found = image.topics.get(topic.name)
        count, code = 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, topic.name):
            code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif found is not None:
            count = len(found.partitions)
        known = [partition for partition in topic.partitions if 0 <= partition.partition_index < count]
        unknown = [
            TxnOffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=code)
            for partition in topic.partitions
            if not 0 <= partition.partition_index < count
        ]
        if known:
            accepted.append(TxnOffsetCommitRequestTopic(name=topic.name, partitions=known))
        if unknown:
            refused.append(TxnOffsetCommitResponseTopic(name=topic.name, partitions=unknown))
    return replace(request, topics=accepted), refused


async def _commit(ctx: BrokerRequestContext, request: TxnOffsetCommitRequest) -> TxnOffsetCommitResponse:
    version = ctx.version
    hosted = ctx.hosting.replicas.find(CONSUMER_OFFSETS, ctx.coordinators.groups.led_partition_of(request.group_id))
    producers = hosted.log.producer_state.producers
    producer_id, epoch = request.producer_id, request.producer_epoch
    is_implicit = version >= _IMPLICIT_VERSION
    guard: VerificationGuard | None = None
    must_verify = is_implicit or ctx.metadata.values.flag("transaction.partition.verification.enable")
    for _ in range(OVERTAKEN_MAX if must_verify else 0):
        guard = producers.start_verification(producer_id, NO_SEQUENCE, epoch, supports_epoch_bump=is_implicit)
        if guard is not None:
            await _verify(ctx, request, hosted, version)
        if producers.is_verified(producer_id, epoch, guard):
            break
    # From here to the append nothing else has its turn.
    if must_verify and not producers.is_verified(producer_id, epoch, guard):
        raise KafkaError(ErrorCode.INVALID_TXN_STATE, "offsets that are not part of an ongoing transaction")
    producers.check_epoch(producer_id, epoch)
    return await settled(ctx.coordinators.groups.ask(TXN_OFFSET_COMMIT, request))


async def _verify(
    ctx: BrokerRequestContext, request: TxnOffsetCommitRequest, hosted: HostedPartition, version: int
) -> None:
    where = (CONSUMER_OFFSETS, hosted.index)
    errors = await ctx.coordinators.transaction_verifier.ask(
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        [where],
        verify_only=version < _IMPLICIT_VERSION,
        knows_abortable=version >= _ABORTABLE_VERSION,
    )
    code = errors.get(where, ErrorCode.NONE)
    if code is not ErrorCode.NONE:
        raise KafkaError(code)


def _response_code(code: ErrorCode) -> ErrorCode:
    # A retriable error that older clients do not expect here; this one makes them come again, to the same broker.
    if code is ErrorCode.NETWORK_EXCEPTION:
        return ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    return coordinator_error(code)


def _joined(response: TxnOffsetCommitResponse, refused: list[TxnOffsetCommitResponseTopic]) -> TxnOffsetCommitResponse:
    by_name = {topic.name: topic for topic in response.topics}
    for topic in refused:
        same = by_name.get(topic.name)
        if same is None:
            response.topics.append(topic)
        else:
            same.partitions.extend(topic.partitions)
    return response
