"""The work of one Spark task of a JDBC sink: its records in one database transaction, all of them or none.

Values that the database refuses are reported one by one (`Rejected`) and the rest goes in; trouble that may pass (a
lost connection, a deadlock) has the whole transaction done again, `max.retries` times.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connectors.jdbc.changes import DELETE, WRITE, Change, changes, runs
from riacho.pipelines.connectors.jdbc.database import Database, database
from riacho.pipelines.connectors.jdbc.markers import BatchMark, OffsetRanges, write_markers, written
from riacho.pipelines.connectors.jdbc.tables import Layout
from riacho.pipelines.plugin import Rejected

if TYPE_CHECKING:
    import pyarrow as pa

INSERT = "insert"
UPSERT = "upsert"
UPDATE = "update"
INSERT_MODES = (INSERT, UPSERT, UPDATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSettings:
    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    quoting: str = "always"
    zone: str = "UTC"
    insert_mode: str = INSERT
    may_delete: bool = False
    table_format: str = "${topic}"
    batch_size: int = 3_000
    retries_max: int = 10
    backoff_s: float = 3.0

    def database(self) -> Database:
        return database(self.url, self.user, self.password, self.quoting)

    def table(self, topic: str) -> str:
        return self.table_format.replace("${topic}", topic)


class TaskWriter:
    """Called by Spark with the Arrow batches of one task; gives back what was refused."""

    def __init__(self, settings: WriterSettings, layout: Layout, connector: str, batch_id: int) -> None:
        self.settings = settings
        self.layout = layout
        self.connector = connector
        self.batch_id = batch_id

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        query_id = (context and context.getLocalProperty("sql.streaming.queryId")) or ""
        task = context.partitionId() if context else 0
        mark = BatchMark(self.connector, query_id, self.batch_id)
        records = [change for batch in batches for change in changes(batch, self.layout, self.settings.may_delete)]
        refused = self.write(records, mark, task) if records else []
        columns = zip(*((each.topic, each.partition, each.offset, each.message) for each in refused), strict=True)
        types = (pa.string(), pa.int32(), pa.int64(), pa.string())
        if refused:
            arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, ["topic", "partition", "offset", "message"])

    def write(self, records: Sequence[Change], mark: BatchMark, task: int) -> list[Rejected]:
        """ConnectError when it cannot be done."""
        found = self.settings.database()
        for attempt in range(self.settings.retries_max + 1):
            try:
                return self._transaction(found, records, mark, task)
            except Exception as error:
                if found.is_passing(error) and attempt < self.settings.retries_max:
                    time.sleep(self.settings.backoff_s)
                elif isinstance(error, found.errors):
                    raise found.failure(error) from None
                else:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _transaction(self, found: Database, records: Sequence[Change], mark: BatchMark, task: int) -> list[Rejected]:
        connection = found.connect()
        try:
            # A task that Spark has given up on may still be at work: the one in its place waits for it.
            found.begin(connection, self.settings.zone, f"{mark.connector}/{mark.query_id}/{task}")
            refused = self._change_tables(_Session(found, connection, self.settings), records, mark)
            connection.commit()
            return refused
        finally:
            with suppress(found.errors):
                connection.close()

    def _change_tables(self, session: _Session, records: Sequence[Change], mark: BatchMark) -> list[Rejected]:
        is_marked = self.settings.insert_mode == INSERT
        done = written(session.database, session.connection, mark) if is_marked else OffsetRanges()
        refused = [_rejected(each, each.refusal) for each in records if each.refusal is not None]
        wanted = [
            each
            for each in records
            if each.refusal is None and not done.covers(each.topic, each.partition, each.offset)
        ]
        for run in runs(wanted, self.settings.batch_size):
            refused += session.execute(run, self.layout)
        if is_marked:
            write_markers(session.database, session.connection, mark, _ranges(records, done, refused))
        return refused


class _Session:
    """Statements within the transaction of a task."""

    def __init__(self, database: Database, connection: Any, settings: WriterSettings) -> None:
        self.database = database
        self.connection = connection
        self.settings = settings

    def execute(self, run: Sequence[Change], layout: Layout) -> list[Rejected]:
        """All at once; where one is refused, one after the other, so that only that one is left out."""
        statement = self._statement(run[0], layout)
        error = self._attempt(statement, run)
        if error is None:
            return []
        if len(run) == 1:
            return [_rejected(run[0], str(self.database.failure(error)))]
        failed = [(each, self._attempt(statement, [each])) for each in run]
        return [_rejected(each, str(self.database.failure(wrong))) for each, wrong in failed if wrong is not None]

    def _attempt(self, statement: str, run: Sequence[Change]) -> Exception | None:
        self.connection.execute("SAVEPOINT riacho_run")
        try:
            self.connection.cursor().executemany(statement, [self._parameters(each) for each in run])
        except Exception as error:
            if not self.database.is_of_the_row(error):
                raise
            self.connection.execute("ROLLBACK TO SAVEPOINT riacho_run")
            return error
        self.connection.execute("RELEASE SAVEPOINT riacho_run")
        return None

    def _statement(self, change: Change, layout: Layout) -> str:
        table = self.settings.table(change.routed)
        keys = [cell.name for cell in layout.keys]
        others = [cell.name for cell in layout.others]
        if change.kind == DELETE:
            return self.database.delete(table, keys)
        match self.settings.insert_mode:
            case "upsert":
                return self.database.upsert(table, keys + others, keys)
            case "update":
                return self.database.update(table, others, keys)
            case _:
                return self.database.insert(table, keys + others)

    def _parameters(self, change: Change) -> list[Any]:
        if change.kind == DELETE:
            values = change.keys
        elif change.kind == WRITE and self.settings.insert_mode == UPDATE:
            values = change.others + change.keys
        else:
            values = change.keys + change.others
        return [self.database.bound(value, self.settings.zone) for value in values]


def _ranges(records: Sequence[Change], done: OffsetRanges, refused: Sequence[Rejected]) -> OffsetRanges:
    """What was written by this transaction: neither what was there nor what was refused."""
    left_out = {(each.topic, each.partition, each.offset) for each in refused}
    ranges = OffsetRanges()
    for each in records:
        place = (each.topic, each.partition, each.offset)
        if place in left_out or done.covers(*place):
            ranges.leave_out(each.topic, each.partition)
        else:
            ranges.add(*place)
    return ranges


def _rejected(change: Change, message: str | None) -> Rejected:
    return Rejected(change.topic, change.partition, change.offset, message or "")
