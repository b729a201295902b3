"""One call into the shard: when it happens, under which transaction version, and what has been decided so far."""

from __future__ import annotations

from collections.abc import Callable

from riacho.base.coordination import CoordinatorDecision, CoordinatorRecord
from riacho.transactions.config import TransactionConfig
from riacho.transactions.markers import markers_due
from riacho.transactions.records import VALUE_VERSION_1_SINCE, transaction_record, transaction_tombstone
from riacho.transactions.transaction import EPOCH_BUMP_VERSION, Transaction


class DecisionContext:
    __slots__ = ("config", "decision", "last_epochs", "now_ms", "take_producer_id", "transaction_version")

    def __init__(
        self,
        config: TransactionConfig,
        transaction_version: int,
        now_ms: int,
        take_producer_id: Callable[[], int],
    ) -> None:
        """`take_producer_id` gives one that nobody had and nobody else gets, whatever becomes of the decision."""
        self.config = config
        self.transaction_version = transaction_version
        self.now_ms = now_ms
        self.decision = CoordinatorDecision()
        # By transactional id, what of a decision's records is not written down: see `transaction.py`.
        self.last_epochs: dict[str, int] = {}
        self.take_producer_id = take_producer_id

    @property
    def bumps_epoch_at_end(self) -> bool:
        return self.transaction_version >= EPOCH_BUMP_VERSION

    def can_store(self, client_version: int) -> bool:
        """Whether the log has room for what such a client does; Kafka says UNSUPPORTED_VERSION where it has not."""
        return client_version < EPOCH_BUMP_VERSION or self.transaction_version >= VALUE_VERSION_1_SINCE

    def once_applied(self, change: Callable[[], None]) -> None:
        """Change what is not stored when the records are, and not at all if they never will be."""
        self.decision.on_applied.append(change)

    def store(self, transaction: Transaction) -> Transaction:
        self.decision.records.append(transaction_record(transaction, self.transaction_version))
        self.last_epochs[transaction.transactional_id] = transaction.last_producer_epoch
        return transaction

    def store_prepared(self, transaction: Transaction) -> Transaction:
        """What the transaction is to be once its markers are written; without partitions there are none to write."""
        self.store(transaction)
        completed = transaction.completed(self.now_ms)
        if transaction.partitions:
            self.decision.effects.append(markers_due(transaction))
        else:
            self.store(completed)
        return completed

    def remove(self, transactional_id: str) -> CoordinatorRecord:
        tombstone = transaction_tombstone(transactional_id)
        self.decision.records.append(tombstone)
        return tombstone
