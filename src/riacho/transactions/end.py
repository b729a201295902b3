"""EndTxn: the client commits or aborts its transaction.

The answer leaves when the Prepare record is committed: the outcome is decided then, the markers follow. Version 5 is
transactions v2 (KIP-890): the answer brings the producer id and epoch for the next transaction, and how the epoch of a
request compares to the current one tells a repeated request from the next one.

    v2              abort, again   abort, current   commit, again   commit, current
    Empty           fenced         aborts nothing   fenced          INVALID_TXN_STATE
    Ongoing         fenced         aborts           fenced          commits
    CompleteAbort   done already   aborts nothing   INVALID...      INVALID_TXN_STATE
    CompleteCommit  INVALID...     aborts nothing   done already    INVALID_TXN_STATE

With v1 the epoch stays: a request that fits a Complete state is a repeated one, any other is INVALID_TXN_STATE.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.operation import transaction_operation
from riacho.transactions.partitions import by_version
from riacho.transactions.state import COMPLETE_ABORT, COMPLETE_COMMIT, ONGOING
from riacho.transactions.transaction import (
    EPOCH_BUMP_VERSION,
    NO_PRODUCER_ID,
    PRODUCER_EPOCH_MAX,
    Transaction,
)
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.end_txn_response import EndTxnResponse

_V2_SINCE_VERSION = 5


def decide_end(
    transaction: Transaction | None, context: DecisionContext, request: EndTxnRequest, version: int
) -> EndTxnResponse:
    try:
        if not request.transactional_id:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
        if transaction is None:
            raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING, "the transactional id is not known")
        if version < _V2_SINCE_VERSION:
            _end_v1(transaction, request, context)
            return EndTxnResponse()
        ended = _end_v2(transaction, request, context)
    except KafkaError as error:
        return EndTxnResponse(error_code=by_version(error.code, version))
    return EndTxnResponse(producer_id=ended.producer_id, producer_epoch=ended.producer_epoch)


def end_refused(request: EndTxnRequest, code: ErrorCode) -> EndTxnResponse:
    return EndTxnResponse(error_code=code)


END_TXN = transaction_operation(decide_end, key=lambda request: request.transactional_id, refused=end_refused)


def _end_v1(transaction: Transaction, request: EndTxnRequest, context: DecisionContext) -> None:
    if transaction.producer_id != request.producer_id:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if transaction.producer_epoch != request.producer_epoch:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if transaction.is_prepared:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    if transaction.state is ONGOING:
        prepared = transaction.prepared(committed=request.committed, client_version=0, now_ms=context.now_ms)
        context.store_prepared(prepared)
    elif not _fits(transaction, request):
        raise KafkaError(ErrorCode.INVALID_TXN_STATE, transaction.state.label)


def _end_v2(transaction: Transaction, request: EndTxnRequest, context: DecisionContext) -> Transaction:
    """The transaction as the client has to know it now."""
    if transaction.is_prepared:
        # Whatever the epoch is: it is about to change.
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS)
    is_after_rotation = _is_after_rotation(transaction, request)
    if transaction.producer_id != request.producer_id and not is_after_rotation:
        raise KafkaError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    is_repeated = is_after_rotation or transaction.producer_epoch == request.producer_epoch + 1
    if is_repeated and transaction.state in (COMPLETE_COMMIT, COMPLETE_ABORT):
        if not _fits(transaction, request):
            raise KafkaError(ErrorCode.INVALID_TXN_STATE, transaction.state.label)
        return transaction
    if transaction.producer_epoch != request.producer_epoch:
        raise KafkaError(ErrorCode.PRODUCER_FENCED)
    if request.committed and transaction.state is not ONGOING:
        raise KafkaError(ErrorCode.INVALID_TXN_STATE, transaction.state.label)
    if not context.can_store(EPOCH_BUMP_VERSION):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, "transactions v2 are not enabled")
    # An abort is taken in any state: the client may not know whether a partition has been added on its behalf.
    prepared = transaction.prepared(
        committed=request.committed,
        client_version=EPOCH_BUMP_VERSION,
        now_ms=context.now_ms,
        next_producer_id=context.take_producer_id() if transaction.is_epoch_exhausted else NO_PRODUCER_ID,
    )
    return context.store_prepared(prepared)


def _fits(transaction: Transaction, request: EndTxnRequest) -> bool:
    return transaction.state is (COMPLETE_COMMIT if request.committed else COMPLETE_ABORT)


def _is_after_rotation(transaction: Transaction, request: EndTxnRequest) -> bool:
    """Whether the request is the one that used up the last epoch of the previous producer id."""
    return (
        transaction.previous_producer_id == request.producer_id
        and request.producer_epoch == PRODUCER_EPOCH_MAX - 1
        and transaction.producer_epoch == 0
    )
