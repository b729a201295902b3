"""AddPartitionsToTxn, v0-5: partitions that a transaction is going to write to (KIP-98).

v0-3 come from producers, for one transaction. v4-5 come from brokers, for many at once: to verify that a partition
belongs to a transaction before its records are taken, or to add it (KIP-890). v2: PRODUCER_FENCED may be answered.
One partition that may not be written to, or does not exist, fails the whole transaction's request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.metadata.image.topic_names import INTERNAL_TOPICS
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType
from riacho.transactions.partitions import ADD_PARTITIONS
from riacho.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic

_BATCHED_VERSION = 4


def handle(ctx: BrokerRequestContext, request: AddPartitionsToTxnRequest) -> Outcome[AddPartitionsToTxnResponse]:
    if ctx.version >= _BATCHED_VERSION:
        return Later.of(_handle_batch(ctx, request))
    transactional_id = request.v3_and_below_transactional_id
    if not ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, transactional_id):
        return ADD_PARTITIONS.refused(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    screened = _screened(
        ctx.metadata.image,
        request.v3_and_below_topics,
        # No client writes to these in a transaction of its own; offsets have their own request.
        lambda topic: topic not in INTERNAL_TOPICS and ctx.allows(AclOperation.WRITE, AclResourceType.TOPIC, topic),
    )
    if screened is not None:
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=screened)
    return ctx.coordinators.transactions.ask(ADD_PARTITIONS, request, ctx.version)


async def _handle_batch(ctx: BrokerRequestContext, request: AddPartitionsToTxnRequest) -> AddPartitionsToTxnResponse:
    if not ctx.allows(AclOperation.CLUSTER_ACTION, AclResourceType.CLUSTER, CLUSTER_NAME):
        return AddPartitionsToTxnResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    image, transactions = ctx.metadata.image, ctx.coordinators.transactions
    outcomes: list[Outcome[AddPartitionsToTxnResult]] = []
    for transaction in request.transactions:
        screened = _screened(image, transaction.topics, lambda _: True)
        outcomes.append(
            transactions.add_partitions_of(transaction)
            if screened is None
            else AddPartitionsToTxnResult(transactional_id=transaction.transactional_id, topic_results=screened)
        )
    # All are decided by now; their commits are waited for one after the other.
    return AddPartitionsToTxnResponse(results_by_transaction=[await settled(outcome) for outcome in outcomes])


def _screened(
    image: MetadataImage, topics: list[AddPartitionsToTxnTopic], may_write: Callable[[str], bool]
) -> list[AddPartitionsToTxnTopicResult] | None:
    """The answer when a partition may not be added; None when all may."""
    results = []
    is_refused = False
    for topic in topics:
        is_allowed = may_write(topic.name)
        partitions = []
        for index in topic.partitions:
            code = ErrorCode.OPERATION_NOT_ATTEMPTED
            if not is_allowed:
                code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            elif image.partition(topic.name, index) is None:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            is_refused = is_refused or code is not ErrorCode.OPERATION_NOT_ATTEMPTED
            partitions.append(AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code))
        results.append(AddPartitionsToTxnTopicResult(name=topic.name, results_by_partition=partitions))
    return results if is_refused else None
