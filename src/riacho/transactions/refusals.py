"""The answer of each transaction API when its whole request fails, so that also a half-done one gets an answer."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.transactions.partitions import topic_results
from riacho.transactions.transaction import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from riacho.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from riacho.wire.messages.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTransaction
from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse, AddPartitionsToTxnResult
from riacho.wire.messages.describe_transactions_response import TransactionState
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.end_txn_response import EndTxnResponse
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from riacho.wire.messages.list_transactions_response import ListTransactionsResponse


def init_producer_id_refused(request: InitProducerIdRequest, code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=NO_PRODUCER_ID, producer_epoch=NO_PRODUCER_EPOCH)


def add_partitions_refused(request: AddPartitionsToTxnRequest, code: ErrorCode) -> AddPartitionsToTxnResponse:
    """Up to version 3. A batch is refused one transaction at a time: `add_partitions_of_refused`."""
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=topic_results(request.v3_and_below_topics, code))


def add_partitions_of_refused(request: AddPartitionsToTxnTransaction, code: ErrorCode) -> AddPartitionsToTxnResult:
    return AddPartitionsToTxnResult(
        transactional_id=request.transactional_id, topic_results=topic_results(request.topics, code)
    )


def add_offsets_refused(request: AddOffsetsToTxnRequest, code: ErrorCode) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error_code=code)


def end_refused(request: EndTxnRequest, code: ErrorCode) -> EndTxnResponse:
    return EndTxnResponse(error_code=code)


def describe_refused(transactional_id: str, code: ErrorCode) -> TransactionState:
    return TransactionState(transactional_id=transactional_id, error_code=code)


def list_refused(request: ListTransactionsRequest, code: ErrorCode) -> ListTransactionsResponse:
    return ListTransactionsResponse(error_code=code)
