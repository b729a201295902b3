"""Pipelines as people read them: rows of a table, the facts of one, numbers with their units."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

COLUMNS = ("pipeline", "state", "tasks", "rows_s", "batch_ms", "rows", "lag", "state_rows", "errors")

_TROUBLE = ("FAILED", "RESTARTING")


def row(found: Mapping[str, Any]) -> dict[str, object]:
    tasks = found["tasks"]
    running = sum(1 for state in tasks if state == "RUNNING")
    return {
        "pipeline": found["name"],
        "state": worst_state(found),
        "tasks": f"{running}/{len(tasks)}" if tasks else "0",
        "rows_s": found["rows_per_second"],
        "batch_ms": found["batch_ms"],
        "rows": found["rows"],
        "lag": found["lag"],
        "state_rows": found["state_rows"],
        "errors": found["errors"],
    }


def remarks(found: Mapping[str, Any]) -> list[str]:
    """A line for a pipeline that does not work, or not yet: why."""
    state, trace, doing = worst_state(found), found["trace"], found.get("doing")
    reason = doing if state not in _TROUBLE and doing else (trace or "").partition("\n")[0]
    return [f"{found['name']} is {state}: {reason}"] if reason else []


def worst_state(found: Mapping[str, Any]) -> str:
    """A task that failed is a pipeline that does not work, whatever its connector says; and one whose tasks all wait
    has not begun."""
    tasks = found["tasks"]
    if "FAILED" in tasks:
        return "FAILED"
    has_begun = not tasks or any(state != "UNASSIGNED" for state in tasks)
    return str(found["state"]) if has_begun or found["state"] != "RUNNING" else "UNASSIGNED"


def facts(found: Mapping[str, Any], now_ms: int | None = None) -> dict[str, object]:
    lags = ", ".join(f"{topic} {lag}" for topic, lag in sorted(found["lag_by_topic"].items()))
    told: dict[str, object] = {
        "state": worst_state(found),
        "tasks": ", ".join(found["tasks"]) or "none",
        "rate": None if found["rows_per_second"] is None else f"{found['rows_per_second']:g} rows/s",
        "latency": None if found["batch_ms"] is None else f"{found['batch_ms']:g} ms a batch",
        "rows": found["rows"],
        "lag": found["lag"] if not lags else f"{found['lag']} ({lags})",
        "state size": f"{found['state_rows']} rows",
        "errors": f"{found['errors']} ({found['dead_letters']} dead letters, {found['skipped']} left out)",
        "last batch": _age(found["updated_ms"], now_ms),
    }
    return told


def _age(updated_ms: int | None, now_ms: int | None) -> str | None:
    if updated_ms is None:
        return None
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    return f"{max(now - updated_ms, 0) / 1000:.1f} s ago"
