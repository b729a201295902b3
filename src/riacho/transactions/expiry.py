"""Transactional ids that nobody has used for `transactional.id.expiration.ms` are removed by tombstones.

The producer that comes back later gets another producer id. An id with an open or a prepared transaction stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.transaction import Transaction

# A decision is one batch: it must stay well below what a partition takes.
BATCH_SIZE_MAX = 256 * 1024
_RECORD_OVERHEAD = 32


def expire_ids(transactions: Iterable[Transaction], context: DecisionContext) -> None:
    expired_before_ms = context.now_ms - context.config.id_expiration_ms
    size = 0
    for transaction in transactions:
        if transaction.is_idle and transaction.last_update_ms <= expired_before_ms:
            size += len(context.remove(transaction.transactional_id).key) + _RECORD_OVERHEAD
            if size >= BATCH_SIZE_MAX:
                return
