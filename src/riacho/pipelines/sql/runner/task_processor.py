"""A task inside Spark's transformWithState: the only stateful processor there is.

Rows are grouped by bucket, not by key: a bucket is what Kafka Streams calls the partition of a task, so stream time,
grace and order are its own. The state is one map of texts, the same for every statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import StringType, StructField, StructType

from riacho.pipelines.sql.functions.user.loading import install_user_aggregates
from riacho.pipelines.sql.runner.record_columns import Logged
from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.dropped import Dropped
from riacho.pipelines.tasks.merging import in_stream_order
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.spec import TaskSpec
from riacho.pipelines.tasks.task import open_task

_TEXT = StructType([StructField("text", StringType())])
_COLUMNS = ("key", "ws", "we", "old", "new", "ts", "seq", "dropped")


class MapStateStore:
    """Spark's map as a task's store: one call to the JVM each."""

    def __init__(self, state: MapState) -> None:
        self._state = state

    def get(self, key: str) -> str | None:
        found = self._state.getValue((key,))
        return None if found is None else found[0]

    def put(self, key: str, value: str) -> None:
        self._state.updateValue((key,), (value,))

    def delete(self, key: str) -> None:
        self._state.removeKey((key,))

    def items(self) -> Iterator[tuple[str, str]]:
        return ((key[0], value[0]) for key, value in self._state.iterator())


class TaskProcessor(StatefulProcessor):
    def __init__(self, spec: TaskSpec, logged: Logged, modules: Sequence[str]) -> None:
        self._spec = spec
        self._logged = logged
        self._modules = tuple(modules)

    def init(self, handle: StatefulProcessorHandle) -> None:
        install_user_aggregates(self._modules)
        self._store = MapStateStore(handle.getMapState("state", _TEXT, _TEXT))

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        dropped: list[Dropped] = []
        task = open_task(self._spec, self._store, dropped.append)
        for change in task.run(in_stream_order(_task_rows(rows))):
            yield _changed(change)
        if dropped:
            log = self._logged.open(self._spec.kind)
            for each in dropped:
                log.left_out(each.row.row or "", str(each))
                yield _changed_row(each.row.key, None, None, None, None, each.row.time, each.row.seq, str(each))
            log.flush()

    def close(self) -> None:
        """The store is Spark's."""


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
