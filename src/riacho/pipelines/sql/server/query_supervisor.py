"""Keeps the persistent queries of the catalogue running, on the instance that leads.

Each change of the catalogue, and each event of the runner, is followed by a look at what should run and what does:

    not there    -> started      CREATE ... AS SELECT, INSERT INTO, RESUME, a server that has begun to lead
    there, gone from the catalogue, or paused  -> stopped; of one that is gone the checkpoint is deleted
    failed for what may pass (a broker that is away, a runner that died)  -> started again, after a growing pause
    failed otherwise  -> ERROR with the sentence, until it is terminated, replaced, or paused and resumed

The state that is shown is what the runner said last: a query says RUNNING from its first start on and only while a
runner has it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from riacho.base.backoff import Backoff
from riacho.pipelines.pipeline import DEFAULT_TRIGGER_MS
from riacho.pipelines.spark_child.child import ChildEnded
from riacho.pipelines.spark_child.messages import Log, Ready
from riacho.pipelines.spark_child.runners import Ended, RunnerEvent, Runners
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryState
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.plan.plan_json import plan_to_json
from riacho.pipelines.sql.runner.protocol import (
    AnyCommand,
    AnyEvent,
    CheckpointsDeleted,
    DeleteCheckpoints,
    Evaluated,
    Failed,
    Progress,
    Rows,
    Running,
    StartQuery,
    Stopped,
    StopQuery,
)
from riacho.pipelines.sql.server.checkpoints import Checkpoints, part
from riacho.pipelines.sql.server.command_state import CommandState

_log = logging.getLogger("riacho.ksql")
_runner_log = logging.getLogger("riacho.ksql.runner")
SESSION = ""
_LEVELS = logging.getLevelNamesMapping()
_BACKOFF = Backoff(1_000, 60_000)
_LOOK_S = 0.25
# A runner without queries is let go after so long.
_IDLE_S = 60.0
_ERRORS_KEPT = 10
_DELETED_AT_ONCE = 500
# A query that has run so long without failing starts its pauses from the beginning.
_SETTLED_S = 60.0
STARTING, RUNNING, ERROR, STOPPING, PAUSED = "CREATED", "RUNNING", "ERROR", "STOPPING", "PAUSED"


@dataclass(frozen=True, slots=True)
class QueryError:
    """`kind` is USER, SYSTEM or UNKNOWN, as ksqlDB names them."""

    at_ms: int
    kind: str
    sentence: str


@dataclass(slots=True)
class Job:
    """One query as far as it is run here. `restart_at` is when one that failed is tried again; None: it is not."""

    query: PersistentQuery
    generation: int = 1
    status: str = STARTING
    errors: deque[QueryError] = field(default_factory=lambda: deque(maxlen=_ERRORS_KEPT))
    progress: Progress | None = None
    progress_at_s: float | None = None
    rows: int = 0
    dropped: int = 0
    failures: int = 0
    """In a row."""
    failed: int = 0
    restart_at: float | None = None
    started_at: float = 0.0
    is_wanted: bool = True
    checkpoint: str = ""


class QuerySupervisor:
    """`lead` when this instance begins to lead, `rest` when it no longer does; `jobs` are for whoever shows them."""

    def __init__(
        self,
        state: CommandState,
        runners: Runners[AnyEvent],
        checkpoints: Checkpoints,
        *,
        trigger_ms: int = DEFAULT_TRIGGER_MS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._state = state
        self._runners = runners
        self._checkpoints = checkpoints
        self.trigger_ms = trigger_ms
        self._clock = clock
        self.host = ""
        self.jobs: dict[str, Job] = {}
        self.on_rows: Callable[[Rows], None] = lambda rows: None
        self.on_evaluated: Callable[[Evaluated], None] = lambda answer: None
        self.on_push_end: Callable[[Failed | Stopped], None] = lambda end: None
        self.on_runner_end: Callable[[], None] = lambda: None
        self._generations: dict[str, int] = {}
        # Names of checkpoints that the runner was sent to delete.
        self._deleting: tuple[str, ...] = ()
        self._is_leading = False
        self._spark_ui: str | None = None
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._idle_since: float | None = None
        self.is_needed_elsewhere: Callable[[], bool] = lambda: False

    def start(self) -> None:
        self._tasks = [
            asyncio.create_task(self._listen(), name="ksql-runner-events"),
            asyncio.create_task(self._keep(), name="ksql-queries"),
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._runners.close()

    def lead(self) -> None:
        self._is_leading = True
        self._wake.set()

    def rest(self) -> None:
        """At once: another instance runs the same queries now."""
        self._is_leading = False
        self._runners.kill_all()
        self._runners.deafen()
        self._deleting = ()
        self.jobs.clear()
        self.on_runner_end()

    def status_of(self, query: PersistentQuery) -> str:
        """As it is shown. An instance that does not lead knows only what was asked for."""
        if query.state is QueryState.PAUSED:
            return PAUSED
        job = self.jobs.get(query.query_id)
        if job is None:
            return STARTING if self._is_leading else RUNNING
        return job.status

    @property
    def spark_ui(self) -> str | None:
        """The address of Spark's own pages; None where there are none, or Spark does not run."""
        return self._spark_ui if SESSION in self._runners.sessions else None

    def changed(self) -> None:
        """The catalogue has changed."""
        self._wake.set()

    async def send(self, command: AnyCommand) -> None:
        """To the runner, which is started where there is none; ends of what is not there need none. KsqlError."""
        self._wake.set()
        try:
            if isinstance(command, StopQuery):
                await self._runners.send_if_running(SESSION, command)
            else:
                await self._runners.send(SESSION, command)
        except ChildEnded as end:
            raise KsqlError(str(end)) from None

    def checkpoint(self, query_id: str) -> str:
        return self._checkpoints.path(self._state.checkpoints.get(query_id, query_id))

    async def _keep(self) -> None:
        while True:
            self._wake.clear()
            try:
                if self._is_leading:
                    await self._reconcile()
                    await self._clean_up()
                self._rest_when_idle()
            except Exception:
                # The next look is for all queries: what failed with one of them must not end it.
                _log.exception("queries could not be looked after")
            try:
                async with asyncio.timeout(_LOOK_S if self.jobs or self._runners.sessions else None):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _clean_up(self) -> None:
        """Checkpoints of queries that were terminated, once nothing writes there any more."""
        abandoned = self._state.abandoned
        if not abandoned:
            return
        used = {job.checkpoint for job in self.jobs.values()}
        free = [name for name in abandoned if self._checkpoints.path(name) not in used]
        if self._checkpoints.is_local:
            await asyncio.to_thread(self._checkpoints.delete, free)
            self._deleted(free)
        elif free:
            await self._delete_by_runner(free)

    async def _delete_by_runner(self, names: Sequence[str]) -> None:
        """A lot at a time. Where no runner is they wait for the next one, of this server or its successor."""
        if self._deleting or SESSION not in self._runners.sessions:
            return
        lot = tuple(names[:_DELETED_AT_ONCE])
        with suppress(ChildEnded):
            command = DeleteCheckpoints(self._checkpoints.location, tuple(map(part, lot)))
            await self._runners.send(SESSION, command)
            self._deleting = lot

    def _deleted(self, names: Iterable[str]) -> None:
        for name in names:
            self._state.abandoned.pop(name, None)

    async def _reconcile(self) -> None:
        wanted = {
            query_id: query
            for query_id, query in self._state.catalogue.queries.items()
            if query.state is QueryState.RUNNING
        }
        for query_id, job in list(self.jobs.items()):
            if query_id not in wanted and job.is_wanted:
                await self._stop(job)
        now = self._clock()
        for query_id, query in wanted.items():
            if not self._is_leading:
                return
            known = self.jobs.get(query_id)
            if known is None:
                await self._start(query, Job(query))
            elif known.restart_at is not None and known.restart_at <= now:
                await self._start(query, known)

    async def _start(self, query: PersistentQuery, job: Job) -> None:
        if self._is_replacing(query):
            return
        generation = self._generations.get(query.query_id, 0) + 1
        self._generations[query.query_id] = generation
        job.query, job.generation, job.status, job.restart_at = query, generation, STARTING, None
        job.is_wanted, job.started_at, job.checkpoint = True, self._clock(), self.checkpoint(query.query_id)
        self.jobs[query.query_id] = job
        source = self._state.catalogue.find(query.reads[0]) if query.reads else None
        command = StartQuery(
            query_id=query.query_id,
            generation=generation,
            plan=msgspec.Raw(plan_to_json(query.plan)),
            checkpoint=job.checkpoint,
            partitions=1 if source is None else source.partitions,
            trigger_ms=self.trigger_ms,
        )
        try:
            await self._runners.send(SESSION, command)
        except ChildEnded as end:
            self._failed(job, str(end), is_user_error=False)
        if self.jobs.get(query.query_id) is not job:
            # Since then another instance leads. A runner that was about to begin has begun after `rest` ended all.
            self._runners.kill_all()
            self.on_runner_end()

    def _is_replacing(self, query: PersistentQuery) -> bool:
        """Whether another run still has the checkpoint that this one goes on with."""
        checkpoint = self.checkpoint(query.query_id)
        return any(job.query.query_id != query.query_id and job.checkpoint == checkpoint for job in self.jobs.values())

    async def _stop(self, job: Job) -> None:
        """Its checkpoint goes with it, unless it is only paused, or another query goes on with it."""
        forget = job.checkpoint in {self._checkpoints.path(name) for name in self._state.abandoned}
        job.is_wanted, job.status, job.restart_at = False, STOPPING, None
        if SESSION in self._runners.sessions:
            await self._runners.send(SESSION, StopQuery(job.query.query_id, job.generation, forget))
            return
        self.jobs.pop(job.query.query_id, None)

    def _rest_when_idle(self) -> None:
        if self.jobs or self.is_needed_elsewhere() or SESSION not in self._runners.sessions:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = self._clock()
        elif self._clock() - self._idle_since > _IDLE_S:
            self._runners.quit(SESSION)
            self._deleting = ()

    async def _listen(self) -> None:
        while True:
            received = await self._runners.events.get()
            try:
                if self._runners.is_current(received):
                    self._hear(received)
            except Exception:
                _log.exception("event of the runner could not be taken")
            self._wake.set()

    def _hear(self, received: RunnerEvent[AnyEvent]) -> None:
        match received.event:
            case Ended(trace):
                self._runner_ended(received, trace)
            case Ready(spark, master, ui):
                self._spark_ui = ui
                _log.info("spark is ready version=%s master=%s ui=%s", spark, master, ui or "none")
            case Log(level, message):
                _runner_log.log(_LEVELS.get(level, logging.INFO), "%s", message)
            case Rows() as rows:
                self.on_rows(rows)
            case CheckpointsDeleted():
                self._deleted(self._deleting)
                self._deleting = ()
            case Evaluated() as answer:
                self.on_evaluated(answer)
            case Running() | Progress() | Failed() | Stopped() as event:
                self._of_query(event)

    def _of_query(self, event: Running | Progress | Failed | Stopped) -> None:
        job = self.jobs.get(event.query_id)
        if job is None or job.generation != event.generation:
            if isinstance(event, Failed | Stopped):
                self.on_push_end(event)
            return
        match event:
            case Running():
                job.status = RUNNING if job.is_wanted else STOPPING
            case Progress():
                job.progress, job.progress_at_s = event, self._clock()
                job.rows += event.rows
                job.dropped += event.dropped
                if self._clock() - job.started_at > _SETTLED_S:
                    job.failures = 0
            case Failed(sentence=sentence, is_user_error=is_user_error):
                self._failed(job, sentence, is_user_error)
            case Stopped():
                self.jobs.pop(event.query_id, None)

    def _failed(self, job: Job, sentence: str, is_user_error: bool) -> None:
        if not job.is_wanted:
            self.jobs.pop(job.query.query_id, None)
            return
        kind = "USER" if is_user_error else "SYSTEM"
        job.errors.append(QueryError(int(time.time() * 1000), kind, sentence))
        job.status = ERROR
        job.failures += 1
        job.failed += 1
        _log.error("query failed query=%s failures=%d: %s", job.query.query_id, job.failures, sentence)
        if not is_user_error:
            job.restart_at = self._clock() + _BACKOFF.pause_ms(job.failures) / 1000

    def _runner_ended(self, received: RunnerEvent[AnyEvent], trace: str) -> None:
        self._runners.gone(received)
        self._deleting = ()
        self.on_runner_end()
        _log.error("runner ended: %s", trace.partition("\n")[0])
        for job in list(self.jobs.values()):
            if job.is_wanted and job.status != ERROR:
                self._failed(job, trace.partition("\n")[0], is_user_error=False)
            elif not job.is_wanted:
                self.jobs.pop(job.query.query_id, None)
