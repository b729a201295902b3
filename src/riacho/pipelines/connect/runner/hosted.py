"""One run of one connector, in a thread of its own: prepared, started, watched, ended.

    prepare -> (one at a time) open and start the query -> watch it until it ends -> stopped | failed

Queries start one after another: Spark gives Python workers little time to connect back, and a machine on which several
start at once may miss it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connect.protocol import (
    Doing,
    Errors,
    Failed,
    Prepared,
    Progress,
    Running,
    Settings,
    Start,
    Stopped,
)
from riacho.pipelines.connect.runner.progress import end_offset, figures, has_moved, sink_offsets
from riacho.pipelines.connect.runner.query_plan import QueryPlan, secrets_of
from riacho.pipelines.plugin import SourceConnector
from riacho.pipelines.spark.failures import failure, is_late_worker, tells_of_late_worker
from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.query_thread import LATE_MAX, POLL_S, QueryThread, use_own_pool

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

WATCH_S = 0.5
# How long the next query waits for this one to have its first batch planned.
FIRST_TRIGGER_S = 60.0
# Batches of which it is remembered how many rows they had: more than Spark tells of at a time.
_ROWS_KEPT = 100


class Hosted(QueryThread):
    def __init__(
        self,
        start: Start,
        settings: Settings,
        session: Callable[[], SparkSession],
        starting: threading.Lock,
        events: Events,
    ) -> None:
        super().__init__(f"connector-{start.name}")
        self.start = start
        self._settings = settings
        self._session = session
        self._starting = starting
        self._events = events
        self._whose = (start.name, start.generation)
        self._plan: QueryPlan | None = None
        self._errors = (0, 0)
        self._topics: set[str] = set()
        self._rows: dict[int, int] = {}
        self._is_counted = True
        self._failed_with: str | None = None
        self._has_begun = False

    def _run(self) -> None:
        while True:
            try:
                self._run_once()
            except Exception as error:
                if self._may_begin_again(error):
                    continue
                self._fail(error)
            else:
                self._events.send(Stopped(*self._whose))
            finally:
                self._close()
            return

    def _run_once(self) -> None:
        plan = self._plan = QueryPlan.of(self.start, self._settings)
        plan.connector.prepare()
        if not self._has_begun:
            self._events.send(Prepared(*self._whose, self.start.tasks_max))
        plan.await_topics(self._stop.wait, self._session, self._doing)
        query = self._started(plan)
        if query is None:
            return
        # One that is over before its first batch has never run: what it says is the connector's failure, not a task's.
        if query.isActive and not self._has_begun:
            self._has_begun = True
            self._events.send(Running(*self._whose, self.start.tasks_max))
        self._watch(query, WATCH_S, lambda: self._report(plan, query))

    def _may_begin_again(self, error: Exception) -> bool:
        """Spark gives a Python worker ten seconds to say that it is there: on a busy machine that can be too short."""
        if self._plan is not None:
            self._send_reports(self._plan)
        is_late = is_late_worker(error) or tells_of_late_worker(self._failed_with or "")
        if not is_late or self._stop.is_set() or self._late == LATE_MAX:
            return False
        self._late += 1
        self._failed_with = None
        self._events.log("WARN", [f"{self.start.name} begins again, as Spark did not wait for its Python worker."])
        return True

    def _started(self, plan: QueryPlan) -> StreamingQuery | None:
        """None where it has been stopped before it began."""
        if self._starting.locked():
            self._doing("It waits for another connector, which is being started.")
        with self._starting:
            if self._stop.is_set():
                return None
            self._doing("It waits for Spark to start.")
            spark = self._session()
            self._doing("Its query is being planned.")
            self._is_counted = not type(spark).__module__.startswith("pyspark.sql.connect")
            use_own_pool(spark, self.start.name)
            query = plan.writer(spark).start()
            self._doing("Its first batch is on the way, with Spark's Python workers being started.")
            deadline = time.monotonic() + FIRST_TRIGGER_S
            while query.isActive and query.lastProgress is None and time.monotonic() < deadline:
                if self._stop.is_set() or not query.status["message"].startswith("Initializing"):
                    break
                time.sleep(POLL_S)
            return query

    def _report(self, plan: QueryPlan, query: StreamingQuery) -> None:
        recent = self._recent(query)
        # A batch reports before Spark tells of it: reports that are read after are all there.
        self._send_reports(plan)
        for progress in recent:
            if progress["batchId"] > self._last_batch and has_moved(progress, self._is_counted):
                self._last_batch = progress["batchId"]
                self._late = 0
                self._events.send(self._figures(plan, progress))

    def _figures(self, plan: QueryPlan, progress: Any) -> Progress:
        end = end_offset(progress)
        rows = progress.get("numInputRows") or self._rows.get(progress["batchId"], 0)
        if isinstance(plan.connector, SourceConnector):
            return figures(self.start, progress, rows, plan.connector.source_offsets(end), self._topics)
        return figures(self.start, progress, rows, sink_offsets(end), end)

    def _send_reports(self, plan: QueryPlan) -> None:
        bad, letters = self._errors
        for report in plan.reports.take():
            self._rows[report.batch_id] = report.rows
            bad, letters = bad + report.bad, letters + report.dead_letters
            self._topics.update(report.topics)
            self._events.log("ERROR", report.log)
            self._failed_with = report.failure or self._failed_with
        if (bad, letters) != self._errors:
            self._errors = (bad, letters)
            self._events.send(Errors(*self._whose, bad, letters, bad - letters))
        for old in sorted(self._rows)[:-_ROWS_KEPT]:
            del self._rows[old]

    def _fail(self, error: Exception) -> None:
        secrets = self._plan.secrets if self._plan else secrets_of(self.start.configs, None)
        # What the batch function said of itself is nearer to the cause than what Spark makes of it.
        trace = self._failed_with or failure(error, secrets).trace
        self._events.send(Failed(*self._whose, 0 if self._has_begun else None, trace))

    def _doing(self, what: str) -> None:
        self._events.send(Doing(*self._whose, what))

    def _close(self) -> None:
        if self._plan is None:
            return
        try:
            self._plan.connector.close()
        except Exception as error:
            self._events.log("WARN", [f"{self.start.name} did not close well: {failure(error).sentence}"])
