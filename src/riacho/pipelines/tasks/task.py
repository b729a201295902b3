"""A task: rows in, changes out, state in a store. Pure: what runs it gives rows in their order and keeps the store.

    task = open_task(spec, store)
    for change in task.run(rows): ...

A task belongs to one bucket, and the store has only that bucket's state; stream time is the bucket's, as in Kafka
Streams it is a task's. State is written when a run has come to its end, so a run is read to its end or counts for
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from riacho.pipelines.tasks.aggregate import StreamAggregate, TableAggregate
from riacho.pipelines.tasks.changes import Change, last_of_each
from riacho.pipelines.tasks.dropped import OnDropped, ignore
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.materialise import Materialise
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.session import SessionAggregate
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.window import WindowAggregate


class _Operator(Protocol):
    def changes(self, rows: Iterable[TaskRow]) -> Iterator[Change]: ...

    def flush(self) -> None: ...


class Task:
    def __init__(self, spec: TaskSpec, operator: _Operator) -> None:
        self.spec = spec
        self._operator = operator

    def run(self, rows: Iterable[TaskRow]) -> Iterator[Change]:
        """Of one micro-batch. TaskError where the statement cannot go on."""
        changes = self._operator.changes(rows)
        yield from changes if self.spec.emit_every_change else last_of_each(changes)
        self._operator.flush()


def open_task(spec: TaskSpec, store: Store, on_dropped: OnDropped = ignore) -> Task:
    return Task(spec, _operator(spec, store, on_dropped))


def _operator(spec: TaskSpec, store: Store, on_dropped: OnDropped) -> _Operator:
    match spec.kind:
        case "materialise":
            return Materialise(store, on_dropped)
        case "aggregate" if spec.is_over_table:
            return TableAggregate(spec, store, on_dropped)
        case "aggregate":
            return StreamAggregate(spec, store, on_dropped)
        case "window":
            return WindowAggregate(spec, store, on_dropped)
        case "session":
            return SessionAggregate(spec, store, on_dropped)
        case _:
            raise TaskError(f"There is no task of kind {spec.kind}.")
