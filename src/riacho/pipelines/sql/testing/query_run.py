"""One statement's query over records in memory: the steps of its plan, tasks here, projections by whoever runs arms.

A run is a generator: it yields an `Arm` and is sent that arm's rows. So many cases can be under way at once, and their
arms go to Spark together.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TypeAlias

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.plan.steps import Decode, Project, StatementPlan, Task
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.records.record_encoder import RecordEncoder
from riacho.pipelines.sql.testing.arms import Arm, ResultRow, SourceRow
from riacho.pipelines.sql.testing.topics import TopicRecord
from riacho.pipelines.tasks.changes import Change
from riacho.pipelines.tasks.rows import TaskRow
from riacho.pipelines.tasks.store import DictStore
from riacho.pipelines.tasks.task import Task as RunningTask
from riacho.pipelines.tasks.task import open_task

ArmRun: TypeAlias = Generator[Arm, list[ResultRow], list[TopicRecord]]


class QueryRun:
    """State stays between runs, as it does between micro-batches."""

    def __init__(self, plan: StatementPlan, registry: RegistryAccess) -> None:
        self.plan = plan
        self._decoders = {read.topic: RecordDecoder(read, registry) for read in plan.reads}
        self._encoder = RecordEncoder(plan.write, registry)
        self._tasks: dict[int, RunningTask] = {
            at: open_task(step.spec, DictStore()) for at, step in enumerate(plan.steps) if isinstance(step, Task)
        }
        self.positions: dict[str, int] = {}

    def run(self, read: Decode, records: Sequence[tuple[int, TopicRecord]]) -> ArmRun:
        """Of records of one topic with their offsets; gives what goes to the sink's topic."""
        rows: Sequence[SourceRow] | Sequence[Change] = self._decoded(read, records)
        projects: list[Project] = []
        for at, step in enumerate(self.plan.steps):
            if isinstance(step, Project):
                projects.append(step)
                continue
            if not rows:
                return []
            results = yield Arm(rows, projects, is_for_task=True)
            rows = _numbered(self._tasks[at].run([_task_row(row) for row in in_order(results)]))
            projects = []
        if not rows:
            return []
        results = yield Arm(rows, projects, is_for_task=False)
        return self._encoded(in_order(results))

    def _decoded(self, read: Decode, records: Sequence[tuple[int, TopicRecord]]) -> list[SourceRow]:
        """Records that cannot be read are left out, as a query does. KsqlError for one that ends it."""
        decoder = self._decoders[read.topic]
        rows = []
        for seq, (offset, record) in enumerate(records):
            try:
                found = decoder.decode(record.key, record.value, record.timestamp_ms)
            except CodecError:
                continue
            rows.append(
                SourceRow(
                    found.key,
                    found.value,
                    found.timestamp_ms,
                    offset,
                    record.headers,
                    found.window_start,
                    found.window_end,
                    seq,
                )
            )
        return rows

    def _encoded(self, rows: Sequence[ResultRow]) -> list[TopicRecord]:
        records = []
        for row in rows:
            try:
                key, value, timestamp_ms = self._encoder.encode(row.key, row.row, row.ts, row.ws, row.we)
            except CodecError:
                continue
            records.append(TopicRecord(key, value, timestamp_ms, row.headers))
        return records


def in_order(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """An undo before an add of the same record."""
    return sorted(rows, key=lambda row: (row.seq, row.undo is None))


def _task_row(row: ResultRow) -> TaskRow:
    return TaskRow(row.key, row.row, row.ts, row.seq, row.undo, row.side or "", 0, row.off, row.ws, row.we)


def _numbered(changes: Iterable[Change]) -> list[Change]:
    """In the order in which a task gave them."""
    return [change._replace(seq=seq) for seq, change in enumerate(changes)]
