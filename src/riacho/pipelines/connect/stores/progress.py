"""How connectors fare: figures of their last micro-batches, as the runner tells them. In the leader's memory only."""

from __future__ import annotations

from dataclasses import dataclass, field

from riacho.pipelines.connect import protocol


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
    state_bytes: int | None = None
    errors: int = 0
    dead_letters: int = 0
    skipped: int = 0
    updated_ms: int | None = None
    # What it is at until its first batch is done.
    doing: str | None = None

    def progressed(self, event: protocol.Progress, now_ms: int) -> None:
        self.batch_id = event.batch_id
        self.batch_rows = event.rows
        self.rows += event.rows
        self.rows_per_second = event.rows_per_second
        self.batch_ms = event.batch_ms
        self.state_rows = event.state_rows
        self.state_bytes = event.state_bytes
        self.lag_by_topic = {topic: sum(found.values()) for topic, found in (event.lag or {}).items()}
        self.lag = None if event.lag is None else sum(self.lag_by_topic.values())
        self.updated_ms = now_ms
        self.doing = None

    def erred(self, event: protocol.Errors) -> None:
        self.errors, self.dead_letters, self.skipped = event.total, event.dead_letters, event.skipped


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
