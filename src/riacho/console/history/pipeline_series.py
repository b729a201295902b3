"""Pipelines over time: the busiest of them one by one, each with rate, latency, state and lag. No clock, no network.

The rate is of the time between two steps, however often others look meanwhile. What is told of the last batch holds
while a pipeline runs; of one that rests nobody knows how long a batch would take, or how far behind it is by now: that
is a gap.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.console.history.measuring import Busiest, series
from riacho.console.services.pipelines import PipelineRow, Running

PIPELINES_MAX = 28
SERIES_EACH = 5
_RUNNING = "RUNNING"

Key = tuple[str, str]


class PipelineSeries:
    def __init__(self) -> None:
        self._busiest = Busiest(PIPELINES_MAX)
        # How much each had read at the step before.
        self._rows: dict[Key, int] = {}
        self._at_ms = 0

    def step(self, running: Running, now_ms: int) -> dict[str, float | None]:
        present = {(row.kind, row.name): row for row in running.items if row.kind not in running.stale}
        rates = {key: self._rate(key, row, now_ms) for key, row in present.items()}
        self._rows = {key: row.rows for key, row in present.items() if row.rows is not None}
        self._at_ms = now_ms
        activity = {_id(key): (rates[key] or 0.0) + (row.state == _RUNNING) for key, row in present.items()}
        chosen = self._busiest.choose(activity, activity)
        return {
            name: value
            for key, row in present.items()
            if _id(key) in chosen
            for name, value in _figures(row, rates[key])
        }

    def _rate(self, key: Key, row: PipelineRow, now_ms: int) -> float | None:
        """None at the first step, and where the counter began anew."""
        before = self._rows.get(key)
        if row.rows is None or before is None or row.rows < before or now_ms <= self._at_ms:
            return None
        return (row.rows - before) * 1000 / (now_ms - self._at_ms)


def _id(key: Key) -> str:
    return " ".join(key)


def _figures(row: PipelineRow, rate: float | None) -> Iterable[tuple[str, float | None]]:
    labels = {"kind": row.kind, "name": row.name}
    is_running = row.state == _RUNNING
    yield series("pipeline_rows_per_s", labels), rate
    yield series("pipeline_batch_ms", labels), row.batch_ms if is_running else None
    yield series("pipeline_state_rows", labels), row.state_rows
    yield series("pipeline_state_bytes", labels), row.state_bytes
    yield series("pipeline_lag", labels), row.lag if is_running else None
