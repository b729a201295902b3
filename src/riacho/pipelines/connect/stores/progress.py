"""How connectors fare: figures of their last micro-batches, as the runner tells them. In the leader's memory only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Figures:
    batch_id: int | None = None
    rows: int = 0
    batch_rows: int = 0
    rows_per_second: float | None = None
    batch_ms: float | None = None
    lag: int | None = None
    lag_by_topic: dict[str, int] = field(default_factory=dict)
    state_rows: int = 0
    errors: int = 0
    dead_letters: int = 0
    skipped: int = 0
    updated_ms: int | None = None
    # What it is at until its first batch is done.
    doing: str | None = None

    def progressed(self, event: Mapping[str, Any], now_ms: int) -> None:
        self.batch_id = _number(event.get("batch_id"))
        self.batch_rows = _number(event.get("rows")) or 0
        self.rows += self.batch_rows
        self.rows_per_second = event.get("rows_per_second")
        self.batch_ms = event.get("batch_ms")
        self.state_rows = _number(event.get("state_rows")) or 0
        lag = event.get("lag")
        self.lag_by_topic = {topic: _sum(found) for topic, found in lag.items()} if isinstance(lag, dict) else {}
        self.lag = sum(self.lag_by_topic.values()) if isinstance(lag, dict) else None
        self.updated_ms = now_ms
        self.doing = None

    def erred(self, event: Mapping[str, Any]) -> None:
        self.errors = _number(event.get("total")) or 0
        self.dead_letters = _number(event.get("dead_letters")) or 0
        self.skipped = _number(event.get("skipped")) or 0


class Progress:
    def __init__(self) -> None:
        self._figures: dict[str, Figures] = {}

    def of(self, name: str) -> Figures:
        return self._figures.get(name, Figures())

    def at(self, name: str) -> Figures:
        return self._figures.setdefault(name, Figures())

    def forget(self, name: str) -> None:
        self._figures.pop(name, None)

    def clear(self) -> None:
        self._figures.clear()


def _sum(found: Any) -> int:
    return sum(value for value in found.values() if isinstance(value, int)) if isinstance(found, dict) else 0


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None
