"""Drives what `jobs.py` decides: while this worker leads it starts and stops connectors on runners, and writes down
what becomes of them.

One task does everything in order: it takes what runners say, compares what is wanted, performs the effects. What may
take long (preparing a start, writing tasks or offsets) is done beside it and reports back through the same queue. A
term ends at once: runners are killed before anything else happens.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TypeAlias, assert_never

from riacho.client.tasks import Tasks
from riacho.pipelines.connect import protocol
from riacho.pipelines.connect.decisions import jobs as work
from riacho.pipelines.connect.decisions.decisions import decide_tasks
from riacho.pipelines.connect.decisions.jobs import Effect, Jobs, Need
from riacho.pipelines.connect.decisions.lease import Lease
from riacho.pipelines.connect.decisions.state import ConfigState, Wanted
from riacho.pipelines.connect.decisions.writer import NotOpen, Writer
from riacho.pipelines.connect.running.start_preparation import CannotStart, CannotStartNow, StartPreparation
from riacho.pipelines.connect.secret_text import Mask
from riacho.pipelines.connect.stores.checkpoints import Checkpoints
from riacho.pipelines.connect.stores.progress import Progress
from riacho.pipelines.connect.stores.status_writer import StatusWriter
from riacho.pipelines.connect.stores.store_topics import StoreError
from riacho.pipelines.spark_child.child import ChildEnded
from riacho.pipelines.spark_child.messages import Log, Ready
from riacho.pipelines.spark_child.runners import Ended, RunnerEvent, Runners
from riacho.single_writer.errors import NotLeader, ReplicatedLogError

_log = logging.getLogger("riacho.connect")
_runner_log = logging.getLogger("riacho.connect.runner")
_LOOK_S = 0.25
_IDLE_LOOK_S = 1.0
_REST_LOOK_S = 0.02
_TRACE_MAX = 16_384
_PREPARING = "The worker looks at its config, and starts what runs Spark if need be."


class Delayed(NamedTuple):
    """A connector cannot be started now, for something that may pass."""

    name: str
    generation: int
    trace: str


RunnerNews: TypeAlias = protocol.AnyEvent | Delayed


class Supervisor:
    def __init__(
        self,
        state: ConfigState,
        starting: StartPreparation,
        runners: Runners[RunnerNews],
        status_writer: StatusWriter,
        checkpoints: Checkpoints,
        progress: Progress,
        lease: Lease,
        *,
        idle_ms: int = 60_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.replicated_log: Writer = NotOpen()
        self._state = state
        self._starting = starting
        self._runners = runners
        self._status_writer = status_writer
        self._checkpoints = checkpoints
        self._progress = progress
        self._lease = lease
        self._idle_ms = idle_ms
        self._clock = clock
        self._jobs: Jobs | None = None
        self._masks: dict[str, Mask] = {}
        self._starts: dict[str, asyncio.Task[None]] = {}
        self._beside: Tasks[None] = Tasks()
        self._idle_since: dict[str, int] = {}
        # By session, of runners that are ready.
        self._spark_uis: dict[str, str | None] = {}
        self._wake = asyncio.Event()
        self._wishes: list[str] = []
        self._seen_version: int | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def is_leading(self) -> bool:
        return self._jobs is not None

    def start(self, replicated_log: Writer) -> None:
        self.replicated_log = replicated_log
        self._lease.writer = replicated_log
        self._state.on_change = self._wake.set
        self._runners.on_heard = self._wake.set
        self._task = asyncio.create_task(self._run(), name="connect-supervisor")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._jobs is not None and self.replicated_log.is_leader:
            self._perform(self._jobs.leave())
        await self._status_writer.flush()
        await self._end_term(in_order=True)
        await self._runners.close()

    def restart(self, name: str) -> None:
        """Of a connector that is to run; performed soon."""
        self._wishes.append(name)
        self._wake.set()

    def spark_ui(self, name: str) -> str | None:
        """The address of Spark's own pages where this connector runs; None where there are none, or it does not run."""
        job = None if self._jobs is None else self._jobs.jobs.get(name)
        if job is None or not job.is_on_runner or job.session not in self._runners.sessions:
            return None
        return self._spark_uis.get(job.session)

    async def rests(self, name: str, timeout_s: float = 30.0) -> bool:
        """Whether the connector is on no runner, if need be after a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._jobs is None or (name in self._jobs.jobs and self._jobs.jobs[name].is_on_runner):
                    await asyncio.sleep(_REST_LOOK_S)
                return True
        return False

    # The one task

    async def _run(self) -> None:
        while True:
            try:
                if not self.replicated_log.is_leader:
                    await self._end_term()
                    self._runners.deafen()
                elif self._jobs is None:
                    await self._begin_term()
                else:
                    await self._work(self._jobs)
            except (ReplicatedLogError, StoreError) as error:
                _log.warning("term could not begin reason=%s", error)
            except Exception:
                _log.exception("unforeseen error of the supervisor")
            await self._wait()

    async def _wait(self) -> None:
        """Until something happens; leadership is looked at from time to time."""
        look_s = _LOOK_S if self._runners.sessions else _IDLE_LOOK_S
        due = None if self._jobs is None else self._jobs.next_due_ms()
        if due is not None:
            look_s = min(look_s, max((due - self._now_ms()) / 1000, 0.0))
        with suppress(TimeoutError):
            async with asyncio.timeout(look_s):
                await self._wake.wait()
        self._wake.clear()

    async def _begin_term(self) -> None:
        # Confirms that this worker leads, and that the state has all that was written before.
        self._lease.end()
        await self._lease.confirm()
        await self._status_writer.own()
        self._jobs = Jobs(self._status_writer.statuses.generation)
        self._seen_version = None
        _log.info("worker leads connectors=%d", len(self._state.connectors))
        self._beside.start(asyncio.to_thread(self._checkpoints.sweep_left))
        self._wake.set()

    async def _end_term(self, in_order: bool = False) -> None:
        if self._jobs is None:
            return
        self._jobs = None
        if not in_order:
            self._runners.kill_all()
            _log.warning("worker leads no longer, its runners were ended")
        for task in list(self._starts.values()):
            task.cancel()
        self._starts.clear()
        self._status_writer.disown()
        self._wishes.clear()
        self._idle_since.clear()
        self._spark_uis.clear()
        self._progress.clear()

    async def _work(self, jobs: Jobs) -> None:
        while not self._runners.events.empty():
            await self._handle(self._runners.events.get_nowait())
        now_ms = self._now_ms()
        wishes, self._wishes = self._wishes, []
        effects: list[Effect] = []
        if self._seen_version != self._state.version:
            # With thousands of connectors this takes a while, and runners say much more than is ever wished for.
            self._seen_version = self._state.version
            effects = jobs.want({name: _need(name, wanted) for name, wanted in self._state.connectors.items()}, now_ms)
        for name in wishes:
            effects += jobs.restart(name, now_ms)
        effects += jobs.expire(now_ms)
        self._perform(effects)
        self._let_idle_go(jobs, now_ms)

    async def _handle(self, received: RunnerEvent[RunnerNews]) -> None:
        jobs = self._jobs
        event = received.event
        if isinstance(event, Ended):
            is_current = self._runners.is_current(received)
            self._runners.gone(received)
            if is_current:
                self._spark_uis.pop(received.session, None)
            if jobs is not None and is_current:
                trace = self._masked(event.trace)
                _log.warning(
                    "runner ended session=%s reason=%s", received.session or "shared", trace.partition("\n")[0]
                )
                await self._status_writer.flush()
                self._perform(jobs.runner_ended(received.session, trace, self._now_ms()))
        elif jobs is not None and self._runners.is_current(received):
            await self._understand(jobs, received.session, event)

    async def _understand(self, jobs: Jobs, session: str, event: RunnerNews) -> None:
        now_ms = self._now_ms()
        match event:
            case protocol.Prepared(name, generation, tasks):
                self._perform_with_tasks(name, tasks, jobs.prepared(name, generation, max(tasks, 1)))
            case protocol.Running(name, generation, tasks):
                self._perform_with_tasks(name, tasks, jobs.running(name, generation, max(tasks, 1), now_ms))
            case protocol.Progress(name=name):
                if self._is_at(jobs, event):
                    self._progress.at(name).progressed(event, _epoch_ms())
                    self._status_writer.progressed(event)
            case protocol.Errors(name=name):
                if self._is_at(jobs, event):
                    self._progress.at(name).erred(event)
            case protocol.Doing(name=name, what=what):
                if self._is_at(jobs, event):
                    self._progress.at(name).doing = what
            case protocol.Failed(name, generation, task, trace):
                self._progress.at(name).doing = None
                shown = self._masks.get(name, Mask()).hide(trace)[:_TRACE_MAX]
                _log.error("connector failed name=%s reason=%s", name, shown.partition("\n")[0])
                await self._status_writer.flush()
                self._perform(jobs.failed(name, generation, shown, task, now_ms))
            case Delayed(name, generation, trace):
                _log.warning("connector cannot be started now name=%s reason=%s", name, trace)
                self._perform(jobs.delayed(name, generation, trace, now_ms))
            case protocol.Stopped(name, generation):
                await self._status_writer.flush()
                self._perform(jobs.stopped(name, generation, now_ms))
            case Ready(spark, master, ui):
                self._spark_uis[session] = ui
                _log.info("runner is ready spark=%s master=%s ui=%s", spark, master, ui or "none")
            case Log(level, message):
                number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
                _runner_log.log(number, "%s", self._masked(message))
            case _:
                assert_never(event)

    # Effects

    def _perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            match effect:
                case work.Start(name, generation, session):
                    self._progress.at(name).doing = _PREPARING
                    self._starts[name] = self._beside.start(self._start(name, generation, session))
                case work.Stop(name, generation, session):
                    self._progress.at(name).doing = None
                    self._stop(name, generation, session)
                case work.Kill(session):
                    self._runners.kill(session)
                case work.Report():
                    self._status_writer.report(effect)
                case work.Forget(name):
                    self._status_writer.forget(name)
                    self._progress.forget(name)
                    self._masks.pop(name, None)
                    self._checkpoints.put_aside(name)
                    self._beside.start(asyncio.to_thread(self._checkpoints.sweep))
                case _:
                    assert_never(effect)

    def _perform_with_tasks(self, name: str, tasks: int, effects: list[Effect]) -> None:
        self._perform(effects)
        if effects:
            self._beside.start(self._write_tasks(name, max(tasks, 1)))

    async def _start(self, name: str, generation: int, session: str) -> None:
        wanted = self._state.connectors.get(name)
        config = {} if wanted is None else wanted.config
        try:
            await self._lease.confirm()
            prepared = await self._starting.prepare(self.replicated_log, name, generation, config)
            self._masks[name] = Mask(prepared.secrets)
            self._status_writer.know(name, prepared.type, prepared.version)
            await self._runners.send(session, prepared.command)
            return
        except NotLeader:
            # Another worker starts it; that this one leads no longer is known in a moment.
            _log.warning("connector is left to the worker that leads now name=%s", name)
            return
        except (CannotStartNow, ReplicatedLogError) as error:
            await self._say(session, Delayed(name, generation, str(error)))
            return
        except (CannotStart, ChildEnded) as error:
            trace = str(error)
        except OSError as error:
            trace = f"The connector could not be started: {error.strerror or error}."
        except Exception:
            _log.exception("unforeseen error when a connector was started name=%s", name)
            trace = "The connector could not be started. The worker's log has more."
        await self._say(session, protocol.Failed(name, generation, None, trace))

    def _stop(self, name: str, generation: int, session: str) -> None:
        start = self._starts.pop(name, None)
        if start is not None and not start.done():
            # The runner may or may not have got the command; if it did, it answers for itself.
            start.cancel()
            self._beside.start(self._say(session, protocol.Stopped(name, generation)))
        self._beside.start(self._runners.send_if_running(session, protocol.Stop(name, generation)))

    async def _say(self, session: str, event: RunnerNews) -> None:
        await self._runners.put(RunnerEvent[RunnerNews](session, None, event))

    async def _write_tasks(self, name: str, tasks: int) -> None:
        wanted = self._state.connectors.get(name)
        if wanted is None:
            return
        configs = [{**wanted.config, "task.id": str(task)} for task in range(tasks)]
        try:
            await self.replicated_log.change(lambda: decide_tasks(self._state, name, configs))
        except ReplicatedLogError as error:
            _log.warning("tasks were not written connector=%s reason=%s", name, error)

    def _let_idle_go(self, jobs: Jobs, now_ms: int) -> None:
        for session in self._runners.sessions:
            if jobs.on_runner(session):
                self._idle_since.pop(session, None)
            elif now_ms - self._idle_since.setdefault(session, now_ms) >= (0 if session else self._idle_ms):
                self._idle_since.pop(session, None)
                self._runners.quit(session)

    # Small things

    def _is_at(self, jobs: Jobs, event: protocol.OfConnector) -> bool:
        job = jobs.jobs.get(event.name)
        return job is not None and job.generation == event.generation

    def _masked(self, text: str) -> str:
        """Of a runner, which knows the secrets of all that run on it."""
        for mask in self._masks.values():
            text = mask.hide(text)
        return text[:_TRACE_MAX]

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _need(name: str, wanted: Wanted) -> Need:
    is_own = wanted.config.get("riacho.session", "").strip() == "own"
    return Need(wanted.config, wanted.target_state, name if is_own else work.SHARED)


def _epoch_ms() -> int:
    return time.time_ns() // 1_000_000
