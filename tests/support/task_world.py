"""A task with its store, fed with short rows and read back as tuples."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.dropped import Dropped
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec, WindowSpec
from riacho.pipelines.tasks.store import DictStore
from riacho.pipelines.tasks.task import open_task

COUNT = AggregateSpec("N", "COUNT", (), (), "BIGINT")
LIST = AggregateSpec("L", "COLLECT_LIST", ("V",), ("INTEGER",), "ARRAY<INTEGER>")


def window(kind: str, size_ms: int, grace_ms: int = 86_400_000, advance_ms: int | None = None) -> WindowSpec:
    return WindowSpec(kind, size_ms, advance_ms or size_ms, grace_ms, size_ms + grace_ms)


class TaskWorld:
    """Opened anew for every run, so that nothing but the store survives."""

    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self.store = DictStore()
        self.dropped: list[Dropped] = []
        self._seq = 0

    def run(self, *rows: TaskRow) -> list[Change]:
        return list(open_task(self.spec, self.store, self.dropped.append).run(rows))

    def emitted(self, *rows: TaskRow) -> list[tuple[Any, ...]]:
        return [short(change) for change in self.run(*rows)]


def row(key: str | None, time: int, value: object = 0, seq: int = 0) -> TaskRow:
    return TaskRow(None if key is None else json.dumps({"K": key}), json.dumps({"V": value}), time, seq)


def short(change: Change) -> tuple[Any, ...]:
    """(key, result, time), with the window's bounds behind where there are such."""
    key = json.loads(change.key)["K"]
    new = None if change.new is None else json.loads(change.new)
    result = next(iter(new.values())) if new is not None and len(new) == 1 else new
    bounds = () if change.window_start is None else (change.window_start, change.window_end)
    return (key, result, change.time, *bounds)


def olds(changes: Iterable[Change]) -> list[Any]:
    return [None if change.old is None else json.loads(change.old) for change in changes]
