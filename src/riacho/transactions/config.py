"""The broker settings that rule transactions, under Kafka's names and defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionConfig:
    max_timeout_ms: int = 900_000  # transaction.max.timeout.ms
    id_expiration_ms: int = 7 * DAY_MS  # transactional.id.expiration.ms
    # transaction.abort.timed.out.transaction.cleanup.interval.ms: pause between two looks for timed-out transactions.
    timeout_check_interval_ms: int = 10_000
    # transaction.remove.expired.transaction.cleanup.interval.ms: how often the driver calls `expire_ids`.
    id_expiration_check_interval_ms: int = HOUR_MS
    two_phase_commit: bool = False  # transaction.two.phase.commit.enable (KIP-939)

    def __post_init__(self) -> None:
        if self.max_timeout_ms < 1:
            raise ValueError("transaction.max.timeout.ms is below 1")
        if self.id_expiration_ms < 1:
            raise ValueError("transactional.id.expiration.ms is below 1")
        if self.timeout_check_interval_ms < 1:
            raise ValueError("transaction.abort.timed.out.transaction.cleanup.interval.ms is below 1")
        if self.id_expiration_check_interval_ms < 1:
            raise ValueError("transaction.remove.expired.transaction.cleanup.interval.ms is below 1")

    @classmethod
    def of(cls, get: Callable[[str], Any]) -> TransactionConfig:
        """From the broker's settings, given how to look one up by Kafka's name."""
        return cls(
            max_timeout_ms=get("transaction.max.timeout.ms"),
            id_expiration_ms=get("transactional.id.expiration.ms"),
            timeout_check_interval_ms=get("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            id_expiration_check_interval_ms=get("transaction.remove.expired.transaction.cleanup.interval.ms"),
            two_phase_commit=get("transaction.two.phase.commit.enable"),
        )
