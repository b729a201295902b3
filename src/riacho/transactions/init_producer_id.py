"""InitProducerId for a transactional id: fence whoever used it before, and hand out a producer id and epoch.

A transaction that is open is aborted first. The client gets CONCURRENT_TRANSACTIONS then, as it is while markers are
being written, and comes again. A client that names the producer id and epoch it has (KIP-360) goes on after an error of
its own: it is let through only if nobody has come after it.
"""

from __future__ import annotations

from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.fencing import abort_and_fence
from riacho.transactions.operation import transaction_operation
from riacho.transactions.transaction import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_TIMEOUT_MS,
    Transaction,
    is_exhausted,
)
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse

# Before this version clients know a fenced producer by another code (KIP-588).
_FENCED_SINCE_VERSION = 4


class Expected(NamedTuple):
    """The producer id and epoch that the client has."""

    producer_id: int
    producer_epoch: int


def decide_init_producer_id(
    transaction: Transaction | None, context: DecisionContext, request: InitProducerIdRequest, version: int
) -> InitProducerIdResponse:
    try:
        expected = _expected(request)
        if request.transactional_id is None:
            return InitProducerIdResponse(producer_id=context.take_producer_id(), producer_epoch=0)
        timeout_ms = _timeout_ms(request, context)
        initialised = _initialise(transaction, request.transactional_id, expected, timeout_ms, context)
    except KafkaError as error:
        return init_producer_id_refused(request, _by_version(error.code, version))
    return InitProducerIdResponse(producer_id=initialised.producer_id, producer_epoch=initialised.producer_epoch)


def init_producer_id_refused(request: InitProducerIdRequest, code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=NO_PRODUCER_ID, producer_epoch=NO_PRODUCER_EPOCH)


INIT_PRODUCER_ID = transaction_operation(
    decide_init_producer_id, key=lambda request: request.transactional_id or "", refused=init_producer_id_refused
)


def _by_version(code: ErrorCode, version: int) -> ErrorCode:
    if code is ErrorCode.PRODUCER_FENCED and version < _FENCED_SINCE_VERSION:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code


def _timeout_ms(request: InitProducerIdRequest, context: DecisionContext) -> int:
    if not request.transactional_id:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
    if request.enable2_pc and not context.config.two_phase_commit:
        raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "two-phase commit is not enabled")
    if request.keep_prepared_txn:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, "a prepared transaction cannot be kept")
    if request.enable2_pc:
        return NO_TIMEOUT_MS
    if not 0 < request.transaction_timeout_ms <= context.config.max_timeout_ms:
        raise KafkaError(ErrorCode.INVALID_TRANSACTION_TIMEOUT, f"{request.transaction_timeout_ms} ms")
    return request.transaction_timeout_ms


def _initialise(
    transaction: Transaction | None,
    transactional_id: str,
    expected: Expected | None,
    timeout_ms: int,
    context: DecisionContext,
) -> Transaction:
    if transaction is None:
        # Whatever the client expects: its id has expired here, and it gets a producer id that nobody had.
        created = Transaction(
            transactional_id=transactional_id, producer_id=context.take_producer_id(), timeout_ms=timeout_ms
        )
        return context.store(created.initialised(0, NO_PRODUCER_EPOCH, timeout_ms, context.now_ms))
    if transaction.is_prepared:
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS, "markers are being written")
    if expected is not None and not _is_known(expected, transaction):
        raise KafkaError(ErrorCode.PRODUCER_FENCED, "the producer id is another one's")
    if not transaction.is_idle:
        abort_and_fence(transaction, context)
        raise KafkaError(ErrorCode.CONCURRENT_TRANSACTIONS, "the open transaction is aborted first")
    return context.store(_bumped(transaction, expected, timeout_ms, context))


def _expected(request: InitProducerIdRequest) -> Expected | None:
    has_id = request.producer_id != NO_PRODUCER_ID
    has_epoch = request.producer_epoch != NO_PRODUCER_EPOCH
    if has_id != has_epoch:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "a producer id without an epoch, or the other way round")
    return Expected(request.producer_id, request.producer_epoch) if has_id else None


def _is_known(expected: Expected, transaction: Transaction) -> bool:
    if expected.producer_id == transaction.producer_id:
        return True
    # The client may have missed the answer that gave it another producer id for its last epoch.
    return expected.producer_id == transaction.previous_producer_id and is_exhausted(expected.producer_epoch)


def _bumped(
    transaction: Transaction, expected: Expected | None, timeout_ms: int, context: DecisionContext
) -> Transaction:
    current = transaction.producer_epoch
    is_current = expected is None or expected.producer_epoch == current
    if expected is not None and not is_current:
        if expected.producer_epoch != transaction.last_producer_epoch:
            raise KafkaError(ErrorCode.PRODUCER_FENCED, "the epoch has been bumped since")
        # A repeated request: the client has missed the answer. A newcomer would have cleared the last epoch.
        return transaction.initialised(current, transaction.last_producer_epoch, timeout_ms, context.now_ms)
    last_producer_epoch = NO_PRODUCER_EPOCH if expected is None else current
    if transaction.is_epoch_exhausted:
        return transaction.rotated(context.take_producer_id(), last_producer_epoch, timeout_ms, context.now_ms)
    return transaction.initialised(current + 1, last_producer_epoch, timeout_ms, context.now_ms)
