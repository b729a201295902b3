"""Transaction markers: what is to be written where, and what is not written yet.

The Prepare record decides a transaction. Its markers then go to the leaders of all its partitions, over and over until
each has confirmed; the last confirmation completes the transaction. Which ones have confirmed is kept in memory alone:
a coordinator that takes over sends all of them again, and the leaders know the ones they have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from riacho.transactions.state import PREPARE_COMMIT
from riacho.transactions.transaction import Partition, Transaction


@dataclass(frozen=True, slots=True)
class MarkersDue:
    """An effect: write these markers, and report each to `TransactionShard.markers_written`."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool
    partitions: frozenset[Partition]
    # Leaders check the epoch of a marker more strictly from version 2 on (KIP-1228).
    transaction_version: int


@dataclass(frozen=True, slots=True)
class ProducerIdNeeded:
    """An effect: a timed-out transaction has used up its producer id. Call `TransactionShard.abort_timed_out` with a
    fresh one."""

    transactional_id: str


def markers_due(transaction: Transaction, partitions: Iterable[Partition] | None = None) -> MarkersDue:
    """Of a prepared transaction: all its markers, or those for some partitions."""
    return MarkersDue(
        transactional_id=transaction.transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        committed=transaction.state is PREPARE_COMMIT,
        partitions=transaction.partitions if partitions is None else frozenset(partitions),
        transaction_version=transaction.client_version,
    )


class UnwrittenMarkers:
    """By transactional id, the partitions of prepared transactions that have not confirmed their marker."""

    def __init__(self) -> None:
        self._partitions: dict[str, set[Partition]] = {}

    def __len__(self) -> int:
        return len(self._partitions)

    def follow(self, transaction: Transaction) -> None:
        """The transaction has changed."""
        if transaction.is_prepared:
            self._partitions[transaction.transactional_id] = set(transaction.partitions)
        else:
            self.forget(transaction.transactional_id)

    def forget(self, transactional_id: str) -> None:
        self._partitions.pop(transactional_id, None)

    def of(self, transactional_id: str) -> set[Partition]:
        return self._partitions.get(transactional_id, set())

    def written(self, transactional_id: str, partitions: Iterable[Partition]) -> None:
        self.of(transactional_id).difference_update(partitions)
