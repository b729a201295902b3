"""A task inside Spark's transformWithState: the only stateful processor there is.

Rows are grouped by bucket, not by key: a bucket is what Kafka Streams calls the partition of a task, so stream time,
grace and order are its own. The state is one map of texts, the same for every statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import StringType, StructField, StructType

from riacho.pipelines.sql.functions.user.loading import install_user_aggregates
from riacho.pipelines.sql.runner.record_columns import Logged
from riacho.pipelines.sql.runner.state_store import MapStateStore, store_of
from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.dropped import Dropped
from riacho.pipelines.tasks.foresight import place_of
from riacho.pipelines.tasks.merging import in_stream_order
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.task import open_task

_TEXT = StructType([StructField("text", StringType())])
# Rows whose entries of state are fetched together.
_AHEAD = 2_000
_COLUMNS = ("key", "ws", "we", "old", "new", "ts", "seq", "dropped")


class TaskProcessor(StatefulProcessor):
    def __init__(self, spec: TaskSpec, logged: Logged, modules: Sequence[str]) -> None:
        self._spec = spec
        self._logged = logged
        self._modules = tuple(modules)

    def init(self, handle: StatefulProcessorHandle) -> None:
        install_user_aggregates(self._modules)
        self._store = store_of(handle.getMapState("state", _TEXT, _TEXT))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        dropped: list[Dropped] = []
        task = open_task(self._spec, self._store, dropped.append)
        ahead = _fetched_ahead(self._spec, self._store, in_stream_order(_task_rows(rows)))
        for change in task.run(ahead):
            yield _changed(change)
        self._store.finish()
        if dropped:
            log = self._logged.open(self._spec.kind)
            for each in dropped:
                log.left_out(each.row.row or "", str(each))
                yield _changed_row(each.row.key, None, None, None, None, each.row.time, each.row.seq, str(each))
            log.flush()

    def close(self) -> None:
        """The store is Spark's."""


def _fetched_ahead(spec: TaskSpec, store: MapStateStore, rows: Iterator[TaskRow]) -> Iterator[TaskRow]:
    """The same rows. An entry is fetched before the first row that needs it and never again: from then on the task has
    a newer one."""
    known: set[str] = set()
    while chosen := list(itertools.islice(rows, _AHEAD)):
        places = dict.fromkeys(place for row in chosen if (place := place_of(spec, row)) is not None)
        store.fetch(place for place in places if place not in known)
        known.update(places)
        yield from chosen


def _task_rows(rows: Iterable[Row]) -> Iterator[TaskRow]:
    for row in rows:
        yield TaskRow(
            key=row["key"],
            row=row["row"],
            time=row["ts"],
            seq=row["seq"],
            undo=row["undo"],
            side=row["side"],
            partition=row["part"],
            offset=row["off"],
            window_start=row["ws"],
            window_end=row["we"],
        )


_changed_row = Row(*_COLUMNS)


def _changed(change: Change) -> Row:
    return _changed_row(
        change.key, change.window_start, change.window_end, change.old, change.new, change.time, change.seq, None
    )
