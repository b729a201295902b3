"""An open transaction is aborted by the coordinator itself, and its producer fenced by a higher epoch.

That is so when another producer comes with the same transactional id, and when the transaction takes too long. Kafka
calls the moment between the two PrepareEpochFence; nothing can come in between here.
"""

from __future__ import annotations

from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.transaction import EPOCH_BUMP_VERSION, NO_PRODUCER_ID, Transaction


def abort_and_fence(transaction: Transaction, context: DecisionContext) -> None:
    if context.bumps_epoch_at_end:
        # The abort bumps the epoch anyway. One bump is enough to fence.
        prepared = transaction.prepared(
            committed=False,
            client_version=EPOCH_BUMP_VERSION,
            now_ms=context.now_ms,
            next_producer_id=context.take_producer_id() if transaction.is_epoch_exhausted else NO_PRODUCER_ID,
        )
    else:
        prepared = transaction.fenced().prepared(committed=False, client_version=0, now_ms=context.now_ms)
    context.store_prepared(prepared)


def needs_producer_id(transaction: Transaction, context: DecisionContext) -> bool:
    """Whether aborting it takes a fresh producer id."""
    return context.bumps_epoch_at_end and transaction.is_epoch_exhausted
