"""The producers of one partition: sequence windows, and the transactions that are open.

Theory of operation
-------------------
An idempotent producer numbers its records. For each producer the partition keeps its epoch and the last five batches,
as many as a client may have in flight. A batch is
- a duplicate, when its epoch is the current one and its sequence range is that of a kept batch: the client gets the
  offsets of the first write;
- accepted, when it continues the last sequence (2^31-1 is followed by 0), when it starts a later epoch at 0, or when
  the producer is not known: its state may have expired or been deleted with the records;
- refused otherwise: OUT_OF_ORDER_SEQUENCE_NUMBER, or INVALID_PRODUCER_EPOCH for an earlier epoch.

`check` only reads; `append_data` and `append_marker` are the writers, live and when a log is loaded.

A transactional batch opens its producer's transaction at its first offset, a control batch (marker) ends it. The last
stable offset is the first offset of the earliest transaction that is open, or whose marker is not yet below the high
watermark: read_committed consumers may not see past it. How a transaction comes to be open only with its coordinator's
knowledge is in `verification.py`.
"""

# Long because: sequences and open transactions are the same producers', and much is the theory of operation.
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.verification import VerificationGuard, Verifications
from riacho.wire.batch import NO_SEQUENCE, TRANSACTIONAL_BIT, BatchHeader

NO_TRANSACTION = -1
NO_PRODUCER_EPOCH = -1
BATCHES_KEPT = 5
_SEQUENCE_MASK = 0x7FFFFFFF


class ProducerBatch(NamedTuple):
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        if self.last_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return (self.last_sequence - self.offset_delta) & _SEQUENCE_MASK

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class CompletedTransaction(NamedTuple):
    producer_id: int
    first_offset: int
    # Where the marker stands.
    last_offset: int
    aborted: bool


class Producer:
    __slots__ = (
        "batches",
        "coordinator_epoch",
        "epoch",
        "last_timestamp",
        "producer_id",
        "transaction_first_offset",
        "window_is_partial",
    )

    def __init__(self, producer_id: int, epoch: int = NO_PRODUCER_EPOCH) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.coordinator_epoch = -1
        self.last_timestamp = -1
        self.transaction_first_offset = NO_TRANSACTION
        self.batches: list[ProducerBatch] = []
        # It came from a snapshot, which has only the last batch.
        self.window_is_partial = False

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_offset(self) -> int:
        return self.batches[-1].last_offset if self.batches else -1

    def find(self, first_sequence: int, last_sequence: int) -> ProducerBatch | None:
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.first_sequence == first_sequence:
                return batch
        return None

    def enter_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch = epoch
            self.batches.clear()
            self.window_is_partial = False


class Producers:
    __slots__ = ("_known", "_open", "_unreplicated", "_verifications")

    def __init__(self) -> None:
        self._known: dict[int, Producer] = {}
        # Producer to first offset, in the order of the first offsets: appends only ever add greater ones.
        self._open: dict[int, int] = {}
        self._unreplicated: list[CompletedTransaction] = []
        self._verifications = Verifications()

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Producer]:
        return iter(self._known.values())

    def get(self, producer_id: int) -> Producer | None:
        return self._known.get(producer_id)

    def check(self, header: BatchHeader) -> ProducerBatch | None:
        """None to accept a batch, the first write of a duplicate, or a KafkaError."""
        known = self._known.get(header.producer_id)
        if known is None:
            if self._verifications:
                self._check_first(header, None)
            return None
        epoch = header.producer_epoch
        if epoch < known.epoch:
            self.check_epoch(header.producer_id, epoch)
        if header.is_control:
            return None
        first = header.base_sequence
        if first != NO_SEQUENCE:
            if epoch != known.epoch:
                expected = 0
            else:
                expected = (known.last_sequence + 1) & _SEQUENCE_MASK
                if first != expected:
                    duplicate = known.find(first, header.last_sequence)
                    if duplicate is not None:
                        return duplicate
            if self._verifications:
                self._check_first(header, known)
            if first != expected and known.epoch != NO_PRODUCER_EPOCH:
                raise KafkaError(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"producer {header.producer_id} epoch {epoch}: sequence {first} where {expected} was due",
                )
        if known.transaction_first_offset != NO_TRANSACTION and not header.is_transactional:
            raise KafkaError(
                ErrorCode.INVALID_TXN_STATE, f"producer {header.producer_id} has a transaction open on this partition"
            )
        return None

    def append_data(self, header: BatchHeader, base_offset: int) -> None:
        """A batch of records stands in the log at `base_offset`."""
        producer_id = header.producer_id
        known = self._known.get(producer_id)
        if known is None:
            known = self._known[producer_id] = Producer(producer_id, header.producer_epoch)
        elif header.producer_epoch != known.epoch:
            known.enter_epoch(header.producer_epoch)
        delta = header.last_offset_delta
        timestamp = header.max_timestamp
        batches = known.batches
        batches.append(ProducerBatch(header.last_sequence, base_offset + delta, delta, timestamp))
        if len(batches) > BATCHES_KEPT:
            del batches[0]
        known.last_timestamp = timestamp
        if header.attributes & TRANSACTIONAL_BIT and known.transaction_first_offset == NO_TRANSACTION:
            known.transaction_first_offset = base_offset
            self._open[producer_id] = base_offset
            self._verifications.end(producer_id)

    # Transactions

    def has_transaction(self, producer_id: int, epoch: int) -> bool:
        """Whether a transaction of this very epoch is open here."""
        known = self._known.get(producer_id)
        return known is not None and known.transaction_first_offset != NO_TRANSACTION and known.epoch == epoch

    def start_verification(
        self, producer_id: int, sequence: int, epoch: int, *, supports_epoch_bump: bool
    ) -> VerificationGuard | None:
        """The guard under which a first transactional write is verified; None when its transaction is open already."""
        if self.has_transaction(producer_id, epoch):
            return None
        return self._verifications.start(producer_id, sequence, epoch, supports_epoch_bump)

    def is_verified(self, producer_id: int, epoch: int, guard: VerificationGuard | None) -> bool:
        """Whether a transactional write may go on: its transaction is open, or nothing came between since `guard`."""
        if guard is not None and self._verifications.get(producer_id) is guard:
            return True
        return self.has_transaction(producer_id, epoch)

    def check_epoch(self, producer_id: int, epoch: int) -> None:
        known = self._known.get(producer_id)
        if known is not None and epoch < known.epoch:
            raise KafkaError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {producer_id} has epoch {known.epoch}, the batch {epoch}",
            )

    def is_duplicate(self, header: BatchHeader) -> bool:
        """Whether a client's batch stands in the log already."""
        known = self._known.get(header.producer_id)
        if known is None or known.epoch != header.producer_epoch:
            return False
        return known.find(header.base_sequence, header.last_sequence) is not None

    def check_marker(
        self, producer_id: int, coordinator_epoch: int, producer_epoch: int | None = None, transaction_version: int = 0
    ) -> None:
        """With version 2 the coordinator raises the epoch before each marker, so one of the producer's own epoch is
        late (KIP-1228), unless it only repeats the marker that ended the transaction."""
        known = self._known.get(producer_id)
        if known is None:
            return
        if producer_epoch is not None:
            is_late = producer_epoch < known.epoch
            if transaction_version >= 2 and producer_epoch == known.epoch:
                is_late = known.transaction_first_offset != NO_TRANSACTION
            if is_late:
                raise KafkaError(
                    ErrorCode.INVALID_PRODUCER_EPOCH,
                    f"producer {producer_id} has epoch {known.epoch}, the marker {producer_epoch}",
                )
        if coordinator_epoch < known.coordinator_epoch:
            raise KafkaError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"coordinator epoch {coordinator_epoch} is behind {known.coordinator_epoch}",
            )

    def append_marker(
        self, header: BatchHeader, offset: int, *, aborted: bool, coordinator_epoch: int
    ) -> CompletedTransaction | None:
        """The transaction that the marker at `offset` ends; None when it had no record on this partition."""
        producer_id = header.producer_id
        known = self._known.get(producer_id)
        if known is None:
            known = self._known[producer_id] = Producer(producer_id)
        known.enter_epoch(header.producer_epoch)
        known.coordinator_epoch = coordinator_epoch
        known.last_timestamp = header.max_timestamp
        # A write that is verified meanwhile would come after the end of its transaction.
        self._verifications.end(producer_id)
        first_offset = known.transaction_first_offset
        if first_offset == NO_TRANSACTION:
            return None
        known.transaction_first_offset = NO_TRANSACTION
        self._open.pop(producer_id, None)
        completed = CompletedTransaction(producer_id, first_offset, offset, aborted)
        self._unreplicated.append(completed)
        return completed

    def _check_first(self, header: BatchHeader, known: Producer | None) -> None:
        """A client's first batch while its transaction is verified."""
        guard = self._verifications.get(header.producer_id)
        first = header.base_sequence
        if guard is None or first == NO_SEQUENCE or header.is_control:
            return
        is_unknown = known is None or not known.batches
        if (guard.supports_epoch_bump and first and is_unknown) or first > guard.lowest_sequence:
            raise KafkaError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {header.producer_id}: sequence {first}, the earliest seen is {guard.lowest_sequence}",
            )

    def stable_offset_after(self, completed: CompletedTransaction) -> int:
        """Where the last stable offset stands once `completed` is behind the high watermark."""
        return next(iter(self._open.values()), completed.last_offset + 1)

    def first_unstable_offset(self) -> int | None:
        open_first = next(iter(self._open.values())) if self._open else None
        if not self._unreplicated:
            return open_first
        ended_first = min(completed.first_offset for completed in self._unreplicated)
        return ended_first if open_first is None else min(ended_first, open_first)

    def advance_high_watermark(self, high_watermark: int) -> None:
        if self._unreplicated:
            self._unreplicated = [done for done in self._unreplicated if done.last_offset >= high_watermark]

    def expire(self, now_ms: int, expiration_ms: int) -> list[int]:
        """Forget producers that were silent for so long and have no transaction open; their ids."""
        expired = [
            known.producer_id
            for known in self._known.values()
            if known.transaction_first_offset == NO_TRANSACTION and now_ms - known.last_timestamp >= expiration_ms
        ]
        for producer_id in expired:
            del self._known[producer_id]
        self._verifications.expire()
        return expired

    def restore(self, producers: Iterable[Producer]) -> None:
        """Start over from a snapshot."""
        self.clear()
        self._known = {known.producer_id: known for known in producers}
        opened = [known for known in self._known.values() if known.transaction_first_offset != NO_TRANSACTION]
        opened.sort(key=lambda known: known.transaction_first_offset)
        self._open = {known.producer_id: known.transaction_first_offset for known in opened}

    def clear(self) -> None:
        self._known = {}
        self._open = {}
        self._unreplicated = []
        self._verifications.clear()
