"""One transactional id: who its producer is, and how far its transaction has come.

A value. Each step gives a new one, to be written to the log; a step that the states do not allow is a programming
error. What a client may ask for in which state is decided elsewhere: `init_producer_id.py`, `partitions.py`, `end.py`.

Epochs. A producer is fenced by a higher epoch of the same producer id. Epoch 32767 is never given to a client, so that
the last one a client may have can still be fenced; a client that has used up 32766 gets another producer id. With
transactions v2 every end of a transaction bumps the epoch, already in the Prepare record, and the markers carry the
bumped one: data of an ended transaction that arrives late is fenced by it (KIP-890). With v1 the markers carry the
producer's own epoch. When the bump uses up the producer id, the next one waits in `next_producer_id` until the markers
of the old one are written.

`last_producer_epoch` is the epoch before the latest bump, by which a repeated InitProducerId is known (KIP-360). It is
not in the log: only the coordinator that bumped the epoch knows it, as in Kafka.
"""

from __future__ import annotations

from typing import Any

import msgspec

from riacho.transactions.state import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    IDLE,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    PREPARED,
    PREVIOUS,
    TransactionState,
)

Partition = tuple[str, int]

NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
PRODUCER_EPOCH_MAX = 32_767
# The first transaction version whose end bumps the epoch.
EPOCH_BUMP_VERSION = 2
# The timeout of a producer that takes part in a two-phase commit: none (KIP-939).
NO_TIMEOUT_MS = 2_147_483_647


def is_exhausted(producer_epoch: int) -> bool:
    return producer_epoch >= PRODUCER_EPOCH_MAX - 1


class Transaction(msgspec.Struct, frozen=True, kw_only=True):
    transactional_id: str
    producer_id: int
    producer_epoch: int = NO_PRODUCER_EPOCH
    last_producer_epoch: int = NO_PRODUCER_EPOCH
    previous_producer_id: int = NO_PRODUCER_ID
    next_producer_id: int = NO_PRODUCER_ID
    timeout_ms: int
    state: TransactionState = EMPTY
    partitions: frozenset[Partition] = frozenset()
    start_ms: int = -1
    last_update_ms: int = -1
    # By which transaction version the client spoke when it last changed the state.
    client_version: int = 0

    @property
    def is_idle(self) -> bool:
        return self.state in IDLE

    @property
    def is_prepared(self) -> bool:
        return self.state in PREPARED

    @property
    def is_epoch_exhausted(self) -> bool:
        return is_exhausted(self.producer_epoch)

    @property
    def bumps_epoch_at_end(self) -> bool:
        return self.client_version >= EPOCH_BUMP_VERSION

    @property
    def deadline_ms(self) -> int | None:
        """The last moment of an open transaction; None when there is no such moment."""
        if self.state is not ONGOING or self.timeout_ms == NO_TIMEOUT_MS:
            return None
        return self.start_ms + self.timeout_ms

    # InitProducerId

    def initialised(self, producer_epoch: int, last_producer_epoch: int, timeout_ms: int, now_ms: int) -> Transaction:
        return self._step(
            EMPTY,
            now_ms,
            producer_epoch=producer_epoch,
            last_producer_epoch=last_producer_epoch,
            timeout_ms=timeout_ms,
            partitions=frozenset(),
            start_ms=-1,
        )

    def rotated(self, producer_id: int, last_producer_epoch: int, timeout_ms: int, now_ms: int) -> Transaction:
        """The epochs of the producer id are used up: go on with another one."""
        return self._step(
            EMPTY,
            now_ms,
            producer_id=producer_id,
            producer_epoch=0,
            last_producer_epoch=last_producer_epoch,
            timeout_ms=timeout_ms,
            partitions=frozenset(),
            start_ms=-1,
        )

    # AddPartitionsToTxn, AddOffsetsToTxn

    def extended(self, partitions: frozenset[Partition], client_version: int, now_ms: int) -> Transaction:
        return self._step(
            ONGOING,
            now_ms,
            partitions=self.partitions | partitions,
            start_ms=self.start_ms if self.state is ONGOING else now_ms,
            client_version=client_version,
        )

    # EndTxn, and aborts by the coordinator

    def prepared(
        self, *, committed: bool, client_version: int, now_ms: int, next_producer_id: int = NO_PRODUCER_ID
    ) -> Transaction:
        producer_epoch, last_producer_epoch = self.producer_epoch, self.last_producer_epoch
        if client_version >= EPOCH_BUMP_VERSION:
            last_producer_epoch = producer_epoch
            producer_epoch = min(producer_epoch + 1, PRODUCER_EPOCH_MAX)
        return self._step(
            PREPARE_COMMIT if committed else PREPARE_ABORT,
            now_ms,
            producer_epoch=producer_epoch,
            last_producer_epoch=last_producer_epoch,
            next_producer_id=next_producer_id,
            # An abort of nothing has to start at some time too.
            start_ms=self.start_ms if self.state is ONGOING else now_ms,
            client_version=client_version,
        )

    def fenced(self) -> Transaction:
        """With transactions v1 the coordinator bumps the epoch before it aborts for reasons of its own."""
        return msgspec.structs.replace(
            self,
            producer_epoch=min(self.producer_epoch + 1, PRODUCER_EPOCH_MAX),
            last_producer_epoch=NO_PRODUCER_EPOCH,
        )

    def completed(self, now_ms: int) -> Transaction:
        """All markers are written."""
        producer_id, producer_epoch = self.producer_id, self.producer_epoch
        if self.bumps_epoch_at_end and self.next_producer_id != NO_PRODUCER_ID:
            producer_id, producer_epoch = self.next_producer_id, 0
        return self._step(
            COMPLETE_COMMIT if self.state is PREPARE_COMMIT else COMPLETE_ABORT,
            now_ms,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            next_producer_id=NO_PRODUCER_ID,
            partitions=frozenset(),
        )

    def _step(self, state: TransactionState, now_ms: int, **changes: Any) -> Transaction:
        assert self.state in PREVIOUS[state], f"{self.transactional_id}: {self.state.label} to {state.label}"
        return msgspec.structs.replace(
            self, state=state, last_update_ms=now_ms, previous_producer_id=self.producer_id, **changes
        )
