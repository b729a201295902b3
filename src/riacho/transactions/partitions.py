"""AddPartitionsToTxn and AddOffsetsToTxn: partitions join the transaction, the first of them opens it.

Up to version 3 a producer adds the partitions that it is about to write to. From version 4 on brokers ask: either to
verify that a producer of transactions v1 has added a partition, or to add it on behalf of one of v2 (KIP-890). Offsets
are added as the partition of the offsets topic that their group belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.errors import ErrorCode
from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.operation import transaction_operation
from riacho.transactions.state import ONGOING
from riacho.transactions.transaction import EPOCH_BUMP_VERSION, Partition, Transaction
from riacho.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from riacho.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from riacho.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from riacho.wire.messages.add_partitions_to_txn_response import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

OFFSETS_TOPIC = "__consumer_offsets"
# Before this version clients know a fenced producer by another code (KIP-588).
_FENCED_SINCE_VERSION = 2


def decide_add_partitions(
    transaction: Transaction | None, context: DecisionContext, request: AddPartitionsToTxnRequest, version: int
) -> AddPartitionsToTxnResponse:
    """Version 0-3, of a client."""
    code = add(
        transaction,
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
        _partitions(request.v3_and_below_topics),
        0,
        context,
    )
    return add_partitions_refused(request, by_version(code, version))


def add_partitions_refused(request: AddPartitionsToTxnRequest, code: ErrorCode) -> AddPartitionsToTxnResponse:
    """A batch is refused one transaction at a time: `add_partitions_of_refused`."""
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=topic_results(request.v3_and_below_topics, code))


def decide_add_partitions_of(
    transaction: Transaction | None, context: DecisionContext, request: AddPartitionsToTxnTransaction
) -> AddPartitionsToTxnResult:
    """Version 4-5, one transaction of a broker's batch."""
    code = add(
        transaction,
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        _partitions(request.topics),
        EPOCH_BUMP_VERSION,
        context,
    )
    return add_partitions_of_refused(request, code)


def decide_verify_partitions(
    transaction: Transaction | None, context: DecisionContext, request: AddPartitionsToTxnTransaction
) -> AddPartitionsToTxnResult:
    """The same, where nothing is to be added."""
    results = _verify(transaction, request)
    return AddPartitionsToTxnResult(transactional_id=request.transactional_id, topic_results=results)


def add_partitions_of_refused(request: AddPartitionsToTxnTransaction, code: ErrorCode) -> AddPartitionsToTxnResult:
    return AddPartitionsToTxnResult(
        transactional_id=request.transactional_id, topic_results=topic_results(request.topics, code)
    )


def decide_add_offsets(
    transaction: Transaction | None,
    context: DecisionContext,
    request: AddOffsetsToTxnRequest,
    offsets_partition: int,
    version: int,
) -> AddOffsetsToTxnResponse:
    """`offsets_partition` is where the group's offsets are."""
    code = add(
        transaction,
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        frozenset({(OFFSETS_TOPIC, offsets_partition)}),
        0,
        context,
    )
    return add_offsets_refused(request, by_version(code, version))


def add_offsets_refused(request: AddOffsetsToTxnRequest, code: ErrorCode) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error_code=code)


ADD_PARTITIONS = transaction_operation(
    decide_add_partitions,
    key=lambda request: request.v3_and_below_transactional_id,
    refused=add_partitions_refused,
)
ADD_PARTITIONS_OF = transaction_operation(
    decide_add_partitions_of, key=lambda request: request.transactional_id, refused=add_partitions_of_refused
)
VERIFY_PARTITIONS = transaction_operation(
    decide_verify_partitions,
    key=lambda request: request.transactional_id,
    refused=add_partitions_of_refused,
    writes=False,
)
ADD_OFFSETS = transaction_operation(
    decide_add_offsets, key=lambda request: request.transactional_id, refused=add_offsets_refused
)


def add(
    transaction: Transaction | None,
    transactional_id: str,
    producer_id: int,
    producer_epoch: int,
    partitions: frozenset[Partition],
    client_version: int,
    context: DecisionContext,
) -> ErrorCode:
    if not transactional_id:
        return ErrorCode.INVALID_REQUEST
    if transaction is None:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    # Before all else: with transactions v2 the client may have its new epoch before the markers are written.
    if transaction.is_prepared:
        return ErrorCode.CONCURRENT_TRANSACTIONS
    code = producer_error(transaction, producer_id, producer_epoch)
    if code is not ErrorCode.NONE:
        return code
    if transaction.state is ONGOING and partitions <= transaction.partitions:
        return ErrorCode.NONE
    if not context.can_store(client_version):
        return ErrorCode.UNSUPPORTED_VERSION
    context.store(transaction.extended(partitions, client_version, context.now_ms))
    return ErrorCode.NONE


def producer_error(transaction: Transaction, producer_id: int, producer_epoch: int) -> ErrorCode:
    if transaction.producer_id != producer_id:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    if transaction.producer_epoch != producer_epoch:
        return ErrorCode.PRODUCER_FENCED
    return ErrorCode.NONE


def by_version(code: ErrorCode, version: int) -> ErrorCode:
    if code is ErrorCode.PRODUCER_FENCED and version < _FENCED_SINCE_VERSION:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


def topic_results(topics: Iterable[AddPartitionsToTxnTopic], code: ErrorCode) -> list[AddPartitionsToTxnTopicResult]:
    """The same for every partition."""
    return [
        AddPartitionsToTxnTopicResult(
            name=topic.name,
            results_by_partition=[
                AddPartitionsToTxnPartitionResult(partition_index=partition, partition_error_code=code)
                for partition in topic.partitions
            ],
        )
        for topic in topics
    ]


def _verify(
    transaction: Transaction | None, request: AddPartitionsToTxnTransaction
) -> list[AddPartitionsToTxnTopicResult]:
    code = _verify_error(transaction, request)
    if code is not ErrorCode.NONE or transaction is None:
        return topic_results(request.topics, code)
    results = topic_results(request.topics, ErrorCode.NONE)
    for topic in results:
        for each in topic.results_by_partition:
            if (topic.name, each.partition_index) not in transaction.partitions:
                each.partition_error_code = ErrorCode.TRANSACTION_ABORTABLE
    return results


def _verify_error(transaction: Transaction | None, request: AddPartitionsToTxnTransaction) -> ErrorCode:
    if not request.transactional_id:
        return ErrorCode.INVALID_REQUEST
    if transaction is None:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    code = producer_error(transaction, request.producer_id, request.producer_epoch)
    if code is ErrorCode.NONE and transaction.is_prepared:
        return ErrorCode.CONCURRENT_TRANSACTIONS
    return code


def _partitions(topics: Iterable[AddPartitionsToTxnTopic]) -> frozenset[Partition]:
    return frozenset((topic.name, partition) for topic in topics for partition in topic.partitions)
