"""All transactional ids of one partition of the transaction topic.

Requests, timeouts and news of written markers go in with the time they happen at; decisions come out. The driver
appends a decision's records, gives each back to `apply`, and sends the replies when the records are committed. Effects
are work for the driver: `MarkersDue`, `ProducerIdNeeded`. No request is ever parked: a client that comes while
markers are being written gets CONCURRENT_TRANSACTIONS and retries.

Stored are the `transactions`: `apply` alone writes them. The log holds everything but three things, which are live.
Which markers have been confirmed: they are sent again after a fail-over. The epoch before the last bump: see
`transaction.py`. And timers, which follow from when transactions started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from riacho.base.coordination import NO_PRODUCER_ID, CoordinatorDecision
from riacho.base.errors import ErrorCode
from riacho.base.operation import reading
from riacho.transactions.config import TransactionConfig
from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.expiry import expire_ids
from riacho.transactions.fencing import abort_and_fence, needs_producer_id
from riacho.transactions.listing import TransactionFilter, describe_refused, describe_transaction
from riacho.transactions.markers import MarkersDue, ProducerIdNeeded, UnwrittenMarkers, markers_due
from riacho.transactions.records import parse_record
from riacho.transactions.timeouts import Timeouts
from riacho.transactions.transaction import NO_PRODUCER_EPOCH, Partition, Transaction
from riacho.wire.messages.describe_transactions_response import TransactionState as DescribedTransaction
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from riacho.wire.messages.list_transactions_response import TransactionState as ListedTransaction

__all__ = ["MarkersDue", "ProducerIdNeeded", "TransactionShard"]


class TransactionShard:
    def __init__(
        self, config: TransactionConfig, transaction_version: Callable[[], int], take_producer_id: Callable[[], int]
    ) -> None:
        """`transaction_version` tells the level of the feature that is in force now. `take_producer_id` is called where
        a fresh producer id is needed: the driver has one at hand when it asks for what may need one."""
        self._config = config
        self._transaction_version = transaction_version
        self._take_producer_id = take_producer_id
        self._timeouts = Timeouts(config.timeout_check_interval_ms)
        self._unwritten = UnwrittenMarkers()
        # Of the decision that is about to be applied.
        self._last_epochs: Mapping[str, int] = {}
        self.transactions: dict[str, Transaction] = {}

    # Reads. What clients want changed is decided by the functions that the `Operation`s name.

    def describe(self, transactional_id: str) -> DescribedTransaction:
        return describe_transaction(
            self.transactions.get(transactional_id), transactional_id, self._unwritten.of(transactional_id)
        )

    def list_by(self, wanted: TransactionFilter) -> list[ListedTransaction]:
        return wanted.list(self.transactions.values())

    def list(self, request: ListTransactionsRequest, now_ms: int) -> list[ListedTransaction]:
        """KafkaError INVALID_REGULAR_EXPRESSION for a pattern that cannot be used."""
        return self.list_by(TransactionFilter(request, now_ms))

    # Markers

    def markers_written(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Iterable[Partition],
        now_ms: int,
    ) -> CoordinatorDecision:
        """The leaders of these partitions have confirmed, or there are no such partitions any more. The producer id
        and epoch are those of the markers: news of an earlier transaction changes nothing."""
        context = self.new_context(now_ms)
        transaction = self.transactions.get(transactional_id)
        if (
            transaction is not None
            and transaction.is_prepared
            and (transaction.producer_id, transaction.producer_epoch) == (producer_id, producer_epoch)
        ):
            written = frozenset(partitions)
            context.once_applied(lambda: self._unwritten.written(transactional_id, written))
            if self._unwritten.of(transactional_id) <= written:
                context.store(transaction.completed(now_ms))
        return context.decision

    def is_due(self, due: MarkersDue) -> bool:
        """Whether the end that these markers tell of is still being carried out."""
        transaction = self.transactions.get(due.transactional_id)
        return (
            transaction is not None
            and transaction.is_prepared
            and (transaction.producer_id, transaction.producer_epoch) == (due.producer_id, due.producer_epoch)
        )

    # Time

    def next_deadline_ms(self) -> int | None:
        return self._timeouts.next_ms()

    def expire(self, now_ms: int) -> CoordinatorDecision:
        """Abort the open transactions that take too long."""
        context = self.new_context(now_ms)
        for transactional_id in self._timeouts.pop_due(now_ms):
            transaction = self.transactions[transactional_id]
            # Looked at again after a while, in case that the records are not appended, or there is no producer id.
            self._timeouts.postpone(transaction, now_ms)
            if needs_producer_id(transaction, context):
                context.decision.effects.append(ProducerIdNeeded(transactional_id))
            else:
                abort_and_fence(transaction, context)
        return context.decision

    def abort_timed_out(self, transactional_id: str, now_ms: int) -> CoordinatorDecision:
        """`ProducerIdNeeded`, and one is at hand. Nothing happens to a transaction that has ended meanwhile."""
        context = self.new_context(now_ms)
        transaction = self.transactions.get(transactional_id)
        deadline_ms = None if transaction is None else transaction.deadline_ms
        if transaction is not None and deadline_ms is not None and deadline_ms < now_ms:
            abort_and_fence(transaction, context)
        return context.decision

    def expire_ids(self, now_ms: int) -> CoordinatorDecision:
        """Forget transactional ids that nobody has used for long. As many as fit a batch: to be called again while
        there are records."""
        context = self.new_context(now_ms)
        expire_ids(self.transactions.values(), context)
        return context.decision

    # Durable state

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        """Take in a record of the log: the only writer of durable state, live and on reload."""
        record = parse_record(key, value)
        if record is None:
            return
        transactional_id, transaction = record
        if transaction is None:
            self.transactions.pop(transactional_id, None)
            self._unwritten.forget(transactional_id)
            self._timeouts.forget(transactional_id)
            return
        last_epoch = self._last_epochs.get(transactional_id, NO_PRODUCER_EPOCH)
        if last_epoch != NO_PRODUCER_EPOCH:
            transaction = msgspec.structs.replace(transaction, last_producer_epoch=last_epoch)
        self.transactions[transactional_id] = transaction
        self._unwritten.follow(transaction)
        self._timeouts.follow(transaction)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """The transaction topic's records are never part of a transaction themselves."""

    def finish_loading(self, now_ms: int) -> CoordinatorDecision:
        """The whole log is applied: what was decided by the last coordinator is carried out by this one."""
        context = self.new_context(now_ms)
        for transaction in self.transactions.values():
            if not transaction.is_prepared:
                continue
            if transaction.partitions:
                context.decision.effects.append(markers_due(transaction))
            else:
                context.store(transaction.completed(now_ms))
        return context.decision

    def abandon(self, code: ErrorCode) -> CoordinatorDecision:
        """Nobody waits in this shard."""
        return CoordinatorDecision()

    def new_context(self, now_ms: int) -> DecisionContext:
        """Another decision begins."""
        context = DecisionContext(self._config, self._transaction_version(), now_ms, self._take_producer_id)
        self._last_epochs = context.last_epochs
        return context


DESCRIBE_TRANSACTION = reading(
    TransactionShard.describe, key=lambda transactional_id: transactional_id, refused=describe_refused
)
