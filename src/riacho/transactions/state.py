"""The states of a transaction, and which of them may follow which.

    Empty ----------> Ongoing ----------> PrepareCommit -----> CompleteCommit
      ^                 |  ^                                        |
      |                 |  +------ the next transaction ------------+
      |                 +---------------> PrepareAbort ------> CompleteAbort
      +---------------- InitProducerId bumps the epoch -------------+

PrepareAbort may also follow Empty and the Complete states: with transactions v2 a producer that is unsure whether
anything was added aborts to be on the safe side (KIP-890). Dead and PrepareEpochFence are never in the log. Kafka holds
them in memory while a tombstone or a fencing abort is being written; here the decision is taken and applied in one go.
"""

from __future__ import annotations

from enum import Enum


class TransactionState(Enum):
    EMPTY = (0, "Empty")
    ONGOING = (1, "Ongoing")
    PREPARE_COMMIT = (2, "PrepareCommit")
    PREPARE_ABORT = (3, "PrepareAbort")
    COMPLETE_COMMIT = (4, "CompleteCommit")
    COMPLETE_ABORT = (5, "CompleteAbort")
    DEAD = (6, "Dead")
    PREPARE_EPOCH_FENCE = (7, "PrepareEpochFence")

    def __init__(self, number: int, label: str) -> None:
        self.number = number
        self.label = label


EMPTY = TransactionState.EMPTY
ONGOING = TransactionState.ONGOING
PREPARE_COMMIT = TransactionState.PREPARE_COMMIT
PREPARE_ABORT = TransactionState.PREPARE_ABORT
COMPLETE_COMMIT = TransactionState.COMPLETE_COMMIT
COMPLETE_ABORT = TransactionState.COMPLETE_ABORT

# No transaction is open: the producer id may be initialised again, and the transactional id may expire.
IDLE = frozenset({EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT})
# Decided, and the markers are on their way: nothing else may happen until they are written.
PREPARED = frozenset({PREPARE_COMMIT, PREPARE_ABORT})

BY_NUMBER = {state.number: state for state in TransactionState}
BY_LABEL = {state.label: state for state in TransactionState}

PREVIOUS: dict[TransactionState, frozenset[TransactionState]] = {
    EMPTY: IDLE,
    ONGOING: IDLE | {ONGOING},
    PREPARE_COMMIT: frozenset({ONGOING}),
    PREPARE_ABORT: IDLE | {ONGOING},
    COMPLETE_COMMIT: frozenset({PREPARE_COMMIT}),
    COMPLETE_ABORT: frozenset({PREPARE_ABORT}),
}
