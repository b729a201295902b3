"""Figures of a micro-batch, from what Spark says about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.pipelines.connect.runner.progress import end_offset, lag, state_bytes, state_rows
from riacho.pipelines.sql.runner.protocol import Progress


def progress_of(whose: tuple[str, int], progress: Mapping[str, Any]) -> Progress:
    end = end_offset(progress)
    return Progress(
        *whose,
        batch_id=progress["batchId"],
        rows=progress.get("numInputRows") or 0,
        rows_per_second=round(float(progress.get("processedRowsPerSecond") or 0.0), 1),
        batch_ms=(progress.get("durationMs") or {}).get("triggerExecution", 0),
        dropped=_dropped(progress.get("observedMetrics") or {}),
        offsets={topic: dict(each) for topic, each in end.items() if isinstance(each, Mapping)},
        lag=lag(progress),
        state_rows=state_rows(progress),
        state_bytes=state_bytes(progress),
    )


def _dropped(observed: Mapping[str, Any]) -> int:
    total = 0
    for metrics in observed.values():
        total += metrics["dropped"] if isinstance(metrics, Mapping) else getattr(metrics, "dropped", 0)
    return total
