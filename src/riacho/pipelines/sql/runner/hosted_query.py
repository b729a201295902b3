"""One run of one query, in a thread of its own: started, watched, ended.

Queries start one after another: Spark gives Python workers little time to connect back, and on a machine where several
start at once they may miss it.
"""

from __future__ import annotations

import shutil
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connect.runner.progress import end_offset, lag, state_bytes, state_rows
from riacho.pipelines.pipeline import Pipeline
from riacho.pipelines.spark.failures import failure, is_late_worker
from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.query_thread import LATE_MAX, QueryThread, use_own_pool
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.plan.plan_json import plan_from_json
from riacho.pipelines.sql.plan.steps import SqlStep, StatementPlan
from riacho.pipelines.sql.runner.protocol import (
    Failed,
    Progress,
    Rows,
    Running,
    Settings,
    StartPush,
    StartQuery,
    Stopped,
)
from riacho.pipelines.sql.runner.row_lines import row_lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

WATCH_S = 0.2


class HostedQuery(QueryThread):
    def __init__(
        self,
        start: StartQuery | StartPush,
        settings: Settings,
        session: Callable[[], SparkSession],
        starting: threading.Lock,
        events: Events,
    ) -> None:
        super().__init__(f"query-{start.query_id}")
        self.start = start
        self.settings = settings
        self._session = session
        self._starting = starting
        self.events = events
        self.whose = (start.query_id, start.generation)
        self._forget = False

    def stop(self, forget: bool = False) -> None:
        self._forget = self._forget or forget
        super().stop()

    @abstractmethod
    def started(self, spark: SparkSession, pipeline: Pipeline[SqlStep]) -> StreamingQuery:
        """The query, begun."""

    def pipeline(self, plan: StatementPlan) -> Pipeline[SqlStep]:
        """What is run, all of it: the value that the server shows when it explains the plan."""
        return pipeline_of(plan, self.settings.processing_log_topic, self.start.trigger_ms)

    def _run(self) -> None:
        while True:
            try:
                self._run_once()
            except Exception as error:
                if is_late_worker(error) and not self._stop.is_set() and self._late < LATE_MAX:
                    self._late += 1
                    continue
                found = failure(error)
                event = Failed(*self.whose, found.sentence, found.trace, not found.is_retriable)
                self.events.send(event)
            else:
                self.events.send(Stopped(*self.whose))
            self._clean_up()
            return

    def _run_once(self) -> None:
        plan = plan_from_json(bytes(self.start.plan))
        with self._starting:
            if self._stop.is_set():
                return
            spark = self._session()
            use_own_pool(spark, self.start.query_id)
            _make_active(spark)
            if plan.functions:
                from riacho.pipelines.sql.functions.python_functions import register_python_functions

                register_python_functions(spark, plan.functions, self.settings.modules)
            query = self.started(spark, self.pipeline(plan))
        self.events.send(Running(*self.whose))
        self._watch(query, WATCH_S, lambda: self._report(query))

    def _report(self, query: StreamingQuery) -> None:
        for progress in self._recent(query):
            if progress["batchId"] > self._last_batch and progress.get("numInputRows"):
                self._last_batch = progress["batchId"]
                self._late = 0
                self.events.send(progress_of(self.whose, progress))

    def _clean_up(self) -> None:
        if self._forget and "://" not in self.start.checkpoint:
            shutil.rmtree(self.start.checkpoint, ignore_errors=True)


class PersistentQuery(HostedQuery):
    """Writes to its sink's topic, exactly once."""

    start: StartQuery

    def started(self, spark: SparkSession, pipeline: Pipeline[SqlStep]) -> StreamingQuery:
        from riacho.pipelines.sql.runner.abandoned_start import clear_abandoned_start
        from riacho.pipelines.sql.runner.query_frame import QueryFrame

        clear_abandoned_start(spark, self.start.checkpoint)
        frame = QueryFrame(pipeline, self.settings, self.start.partitions)
        writer = frame.written(spark, self.start.checkpoint).queryName(f"{self.start.query_id}#{self.start.generation}")
        return writer.trigger(processingTime=f"{pipeline.trigger_ms} milliseconds").start()


class PushQuery(HostedQuery):
    """Sends its rows to the server."""

    start: StartPush

    def started(self, spark: SparkSession, pipeline: Pipeline[SqlStep]) -> StreamingQuery:
        from riacho.pipelines.sql.runner.query_frame import QueryFrame

        frame = QueryFrame(pipeline, self.settings, self.start.partitions)
        self._forget = True
        return (
            frame.results(spark)
            .writeStream.queryName(f"{self.start.query_id}#{self.start.generation}")
            .foreachBatch(self._send)
            .option("checkpointLocation", self.start.checkpoint)
            .outputMode(frame.output_mode)
            .trigger(processingTime=f"{pipeline.trigger_ms} milliseconds")
            .start()
        )

    def _send(self, batch: DataFrame, _epoch: int) -> None:
        rows = [row["r"] for row in batch.selectExpr("to_json(struct(k, v, ts, ws, we)) AS r").collect()]
        for line in row_lines(rows):
            self.events.send(Rows(*self.whose, line))


def _make_active(spark: SparkSession) -> None:
    """Spark looks for the format of a sink in the session that is active in this thread: the one that made the session
    has it, others get it by creating a frame."""
    spark.createDataFrame([], "nothing INT")


def progress_of(whose: tuple[str, int], progress: Mapping[str, Any]) -> Progress:
    """Figures of a micro-batch, from what Spark says about it."""
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
