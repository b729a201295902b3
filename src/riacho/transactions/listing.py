"""DescribeTransactions and ListTransactions: reads of the coordinator's state.

A list may be narrowed by state, producer id, how long the transaction has been open (KIP-994), and a pattern of the
transactional id (KIP-1152). The pattern comes from a client, so it is one of those that match in linear time, and a
small one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.base.pattern import compile_pattern
from riacho.transactions.state import BY_LABEL
from riacho.transactions.transaction import Partition, Transaction
from riacho.wire.messages.describe_transactions_response import TopicData
from riacho.wire.messages.describe_transactions_response import TransactionState as DescribedTransaction
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from riacho.wire.messages.list_transactions_response import TransactionState as ListedTransaction

# It is run on the loop, over every transactional id: one of this size takes less than a millisecond for each.
_PATTERN_MEMORY_BYTES_MAX = 64 << 10


def describe_transaction(
    transaction: Transaction | None, transactional_id: str, unwritten: Iterable[Partition]
) -> DescribedTransaction:
    """`unwritten` are the partitions that still wait for a marker; a prepared transaction has no others any more."""
    if not transactional_id:
        return describe_refused(transactional_id, ErrorCode.INVALID_REQUEST)
    if transaction is None:
        return describe_refused(transactional_id, ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
    return DescribedTransaction(
        transactional_id=transactional_id,
        transaction_state=transaction.state.label,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_start_time_ms=transaction.start_ms,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        topics=_topics(unwritten if transaction.is_prepared else transaction.partitions),
    )


def describe_refused(transactional_id: str, code: ErrorCode) -> DescribedTransaction:
    return DescribedTransaction(transactional_id=transactional_id, error_code=code)


def _topics(partitions: Iterable[Partition]) -> list[TopicData]:
    by_topic: dict[str, list[int]] = defaultdict(list)
    for topic, partition in sorted(partitions):
        by_topic[topic].append(partition)
    return [TopicData(topic=topic, partitions=numbers) for topic, numbers in by_topic.items()]


def unknown_states(request: ListTransactionsRequest) -> list[str]:
    """The state filters that name no state; the answer tells them."""
    return [label for label in dict.fromkeys(request.state_filters) if label not in BY_LABEL]


class TransactionFilter:
    """One ListTransactions request. To be used for all shards, so that its pattern is compiled, and paid for, once."""

    def __init__(self, request: ListTransactionsRequest, now_ms: int) -> None:
        """KafkaError INVALID_REGULAR_EXPRESSION for a pattern that cannot be used."""
        self._states = frozenset(request.state_filters)
        self._producer_ids = frozenset(request.producer_id_filters)
        self._duration_ms = request.duration_filter
        self._now_ms = now_ms
        self._pattern = _compiled(request.transactional_id_pattern)

    def list(self, transactions: Iterable[Transaction]) -> list[ListedTransaction]:
        return [
            ListedTransaction(
                transactional_id=each.transactional_id,
                producer_id=each.producer_id,
                transaction_state=each.state.label,
            )
            for each in transactions
            if self._includes(each)
        ]

    def _includes(self, transaction: Transaction) -> bool:
        if self._producer_ids and transaction.producer_id not in self._producer_ids:
            return False
        if self._states and transaction.state.label not in self._states:
            return False
        if self._duration_ms >= 0 and self._now_ms - transaction.start_ms <= self._duration_ms:
            return False
        return self._pattern is None or self._pattern.fullmatch(transaction.transactional_id) is not None


def _compiled(pattern: str | None) -> Any:
    # Empty means none, as in Kafka.
    return compile_pattern(pattern, _PATTERN_MEMORY_BYTES_MAX, "TransactionalIdPattern") if pattern else None
