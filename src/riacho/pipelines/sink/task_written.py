"""Which part of an epoch a task is, and what it tells the driver of it."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.datasource import WriterCommitMessage

from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.transaction import Transaction

WRITTEN, SKIPPED, EMPTY = "written", "skipped", "empty"


@dataclass(frozen=True)
class TaskRun:
    """Which part of which epoch a task is."""

    name: SinkName
    epoch: int
    task: int


@dataclass(frozen=True)
class TaskWritten(WriterCommitMessage):
    """What a task tells the driver. `run` is None for a write at least once, `transaction` unless it is to be ended."""

    rows: int
    outcome: str
    run: TaskRun | None = None
    transaction: Transaction | None = None
