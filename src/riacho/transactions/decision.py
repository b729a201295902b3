"""What a shard of transactions decides, and whether that took the producer id that it was offered."""

from __future__ import annotations

from riacho.base.coordination import CoordinatorDecision


class TransactionDecision(CoordinatorDecision):
    # Nobody else may have the id then, not even if the append fails: its records may be in the log all the same.
    takes_producer_id: bool = False
