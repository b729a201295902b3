"""The writers that Spark calls: `write` in the tasks, `commit` and `abort` on the driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from riacho.pipelines.late_pandas import put_off_pandas
from riacho.pipelines.sink.epoch import abort_epoch, commit_epoch
from riacho.pipelines.sink.errors import SinkError, as_sink_errors
from riacho.pipelines.sink.frame_columns import check_schema
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import AT_LEAST_ONCE, DELIVERY, EXACTLY_ONCE, SINK_ID, SinkOptions, parse_options
from riacho.pipelines.sink.task_written import TaskRun, TaskWritten
from riacho.pipelines.worker_heap import settle

if TYPE_CHECKING:
    import pyarrow as pa

_QUERY_ID = "sql.streaming.queryId"
_BATCH_ID = "streaming.sql.batchId"
QUERY_ID = "riacho.query.id"
BATCH_ID = "riacho.batch.id"
# A streaming query has one sink of its own, which needs no name.
_STREAM_SINK = "stream"


def batch_writer(options: Mapping[str, str], schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
    if overwrite:
        raise SinkError("Topics are only ever appended to: write with mode('append').")
    parsed = _checked(options, schema)
    if parsed.delivery == EXACTLY_ONCE and parsed.sink_id is None:
        raise SinkError(
            f"{DELIVERY}={EXACTLY_ONCE} needs the option {SINK_ID} in a batch write: a name that tells this write from "
            "others of the same micro-batch."
        )
    return BatchWriter(parsed)


def stream_writer(options: Mapping[str, str], schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:
    """`overwrite` stands for complete mode: the whole result is written with each epoch, as the official one does."""
    parsed = _checked(options, schema)
    if parsed.delivery != AT_LEAST_ONCE:
        parsed.check_transactional()
    return StreamWriter(parsed)


def _checked(options: Mapping[str, str], schema: StructType) -> SinkOptions:
    parsed = parse_options(options)
    check_schema(schema, parsed.topic)
    return parsed


class BatchWriter(DataSourceArrowWriter):
    def __init__(self, options: SinkOptions) -> None:
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskWritten:
        # Not for those who make a writer or end its epoch: that is Arrow and numpy.
        from riacho.pipelines.sink.task import write_at_least_once, write_in_transaction

        put_off_pandas()
        settle("write")
        options, context = self._options, _context()
        sink_id = options.sink_id if options.delivery != AT_LEAST_ONCE else None
        if sink_id is None:
            return as_sink_errors(lambda: write_at_least_once(options, iterator, context.partitionId()))
        run = _run(context, options, sink_id)
        if run is not None:
            options.check_transactional()
            return as_sink_errors(lambda: write_in_transaction(options, iterator, run))
        if options.delivery == EXACTLY_ONCE:
            raise SinkError(
                f"{DELIVERY}={EXACTLY_ONCE} is for streaming queries: write from foreachBatch, or leave it away; on "
                f"Spark Connect, where a write is not told its query, give {QUERY_ID} and {BATCH_ID} too."
            )
        return as_sink_errors(lambda: write_at_least_once(options, iterator, context.partitionId()))

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        settle("commit")
        as_sink_errors(lambda: commit_epoch(self._options, messages))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        abort_epoch(self._options, messages)


class StreamWriter(DataSourceStreamArrowWriter):
    def __init__(self, options: SinkOptions) -> None:
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskWritten:
        # Not for those who make a writer or end its epoch: that is Arrow and numpy.
        from riacho.pipelines.sink.task import write_at_least_once, write_in_transaction

        put_off_pandas()
        settle("write")
        options, context = self._options, _context()
        if options.delivery == AT_LEAST_ONCE:
            return as_sink_errors(lambda: write_at_least_once(options, iterator, context.partitionId()))
        run = _run(context, options, options.sink_id or _STREAM_SINK)
        if run is None:
            raise SinkError("Spark did not tell the task its query and epoch, so exactly-once cannot be kept.")
        return as_sink_errors(lambda: write_in_transaction(options, iterator, run))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        as_sink_errors(lambda: commit_epoch(self._options, messages))

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        abort_epoch(self._options, messages)


def _context() -> TaskContext:
    context = TaskContext.get()
    assert context is not None, "written outside of a task"
    return context


def _run(context: TaskContext, options: SinkOptions, sink_id: str) -> TaskRun | None:
    """None outside of a streaming query."""
    # On Spark Connect the writes of foreachBatch run on threads that know nothing of its query: it says so itself.
    given = dict(options.properties)
    query_id = context.getLocalProperty(_QUERY_ID) or given.get(QUERY_ID)
    batch_id = context.getLocalProperty(_BATCH_ID) or given.get(BATCH_ID)
    if not query_id or not batch_id:
        return None
    return TaskRun(SinkName(query_id, sink_id), int(batch_id), context.partitionId())
