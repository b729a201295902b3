"""What the leader runs, as a state machine: wishes, events of the runners and the time in, effects out.

A job is one connector on the way from what it is to what is wanted:

    IDLE -> STARTING -> RUNNING -> STOPPING -> IDLE        the ordinary round; a changed config takes it once more
    STARTING | RUNNING -> FAILED                           the runner says so: stays until somebody restarts it
    STARTING | RUNNING -> WAITING -> STARTING              its runner ended, or Kafka did not answer: again after a
                                                           pause, as the checkpoint makes that safe; FAILED after too
                                                           many

A runner's event counts only for the generation that the job is at: what an earlier start still says is of no interest.
Jobs of one session share a runner. Nothing here knows processes, topics or clocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from riacho.base.backoff import Backoff
from riacho.pipelines.connect.records import TargetState

SHARED = ""
TRIES_MAX = 6
FIRST_PAUSE_MS = 1_000
_BACKOFF = Backoff(FIRST_PAUSE_MS, 30_000)
# One that ran for so long before its runner ended begins to count anew.
LIVED_MS = 60_000
STOP_TIMEOUT_MS = 60_000


class State(Enum):
    """As the status of a connector or task tells it."""

    UNASSIGNED = "UNASSIGNED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FAILED = "FAILED"
    RESTARTING = "RESTARTING"
    STOPPED = "STOPPED"


class Phase(Enum):
    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    WAITING = "waiting"
    FAILED = "failed"


_ON_RUNNER = (Phase.STARTING, Phase.RUNNING, Phase.STOPPING)
_TIMED = (Phase.WAITING, Phase.STOPPING)


class Need(NamedTuple):
    """What is wanted of one connector. `config` is compared only."""

    config: Mapping[str, str]
    target_state: TargetState
    session: str = SHARED


# Effects


class Start(NamedTuple):
    name: str
    generation: int
    session: str


class Stop(NamedTuple):
    name: str
    generation: int
    session: str


class Kill(NamedTuple):
    """A runner that does not do what it was asked."""

    session: str


class Report(NamedTuple):
    """The connector's state, and its tasks': None leaves them as they are, a number is how many are in that state,
    `failed_task` the one that is shown as failed."""

    name: str
    generation: int
    state: State
    tasks: int | None = None
    task_state: State | None = None
    trace: str | None = None
    failed_task: int | None = None


class Forget(NamedTuple):
    name: str


Effect = Start | Stop | Kill | Report | Forget


@dataclass(slots=True)
class Job:
    name: str
    phase: Phase = Phase.IDLE
    need: Need | None = None
    # What the last start was given.
    given: Need | None = None
    generation: int = 0
    tasks: int = 0
    tries: int = 0
    due_ms: int = 0
    since_ms: int = 0
    again: bool = False
    shown: TargetState | None = None

    @property
    def is_on_runner(self) -> bool:
        return self.phase in _ON_RUNNER

    @property
    def session(self) -> str:
        return SHARED if self.given is None else self.given.session


@dataclass(slots=True)
class Jobs:
    """`generation` is the last that was ever given out; each start gets the next."""

    generation: int = 0
    jobs: dict[str, Job] = field(default_factory=dict)

    # Wishes

    def want(self, needs: Mapping[str, Need], now_ms: int) -> list[Effect]:
        effects: list[Effect] = []
        for name in [*needs, *(name for name in self.jobs if name not in needs)]:
            job, need = self.jobs.get(name), needs.get(name)
            if job is None:
                job = self.jobs[name] = Job(name, generation=self.generation)
            elif job.need == need:
                continue
            job.need = need
            effects += self._settle(job, now_ms)
        return effects

    def restart(self, name: str, now_ms: int) -> list[Effect]:
        """Anew, whatever it was at. One that is not to run stays as it is."""
        job = self.jobs.get(name)
        if job is None or job.need is None or job.need.target_state is not TargetState.STARTED:
            return []
        job.tries = 0
        if job.is_on_runner:
            job.again = True
        else:
            job.phase = Phase.IDLE
            job.again = True
        return self._settle(job, now_ms)

    # Events

    def prepared(self, name: str, generation: int, tasks: int) -> list[Effect]:
        """The connector is there, as Kafka's is once its class has started; its tasks wait for Spark."""
        job = self._at(name, generation, Phase.STARTING)
        if job is None:
            return []
        job.tasks = tasks
        return [Report(name, generation, State.RUNNING, tasks, State.UNASSIGNED)]

    def running(self, name: str, generation: int, tasks: int, now_ms: int) -> list[Effect]:
        job = self._at(name, generation, Phase.STARTING)
        if job is None:
            return []
        job.phase, job.tasks, job.since_ms = Phase.RUNNING, tasks, now_ms
        return [Report(name, generation, State.RUNNING, tasks, State.RUNNING)]

    def failed(self, name: str, generation: int, trace: str, task: int | None, now_ms: int) -> list[Effect]:
        job = self._at(name, generation, Phase.STARTING, Phase.RUNNING, Phase.STOPPING)
        if job is None:
            return []
        if job.phase is Phase.STOPPING:
            return self.stopped(name, generation, now_ms)
        job.phase, job.again = Phase.FAILED, False
        if task is None:
            return [Report(name, generation, State.FAILED, job.tasks or None, State.UNASSIGNED, trace)]
        job.tasks = max(job.tasks, task + 1)
        return [Report(name, generation, State.RUNNING, job.tasks, State.UNASSIGNED, trace, task)]

    def stopped(self, name: str, generation: int, now_ms: int) -> list[Effect]:
        job = self._at(name, generation, Phase.STOPPING, Phase.RUNNING, Phase.STARTING)
        if job is None:
            return []
        if job.phase is not Phase.STOPPING:
            return self.failed(name, generation, "The query ended without being told to.", None, now_ms)
        job.phase = Phase.IDLE
        return self._settle(job, now_ms)

    def delayed(self, name: str, generation: int, trace: str, now_ms: int) -> list[Effect]:
        """It could not be started for something that may pass: again after a pause, as when its runner had ended."""
        job = self._at(name, generation, Phase.STARTING, Phase.STOPPING)
        if job is None:
            return []
        return (
            self.stopped(name, generation, now_ms) if job.phase is Phase.STOPPING else [*self._lost(job, trace, now_ms)]
        )

    def runner_ended(self, session: str, trace: str, now_ms: int) -> list[Effect]:
        effects: list[Effect] = []
        for job in [each for each in self.jobs.values() if each.is_on_runner and each.session == session]:
            if job.phase is Phase.STOPPING:
                job.phase = Phase.IDLE
                effects += self._settle(job, now_ms)
            else:
                effects += self._lost(job, trace, now_ms)
        return effects

    def _lost(self, job: Job, trace: str, now_ms: int) -> Iterator[Effect]:
        if job.phase is Phase.RUNNING and now_ms - job.since_ms >= LIVED_MS:
            job.tries = 0
        job.tries += 1
        if job.tries >= TRIES_MAX:
            job.phase, job.again = Phase.FAILED, False
            yield Report(job.name, job.generation, State.FAILED, job.tasks or None, State.FAILED, trace)
            return
        job.phase = Phase.WAITING
        job.due_ms = now_ms + _BACKOFF.pause_ms(job.tries)
        yield Report(job.name, job.generation, State.RESTARTING, job.tasks or None, State.RESTARTING, trace)
        # What was asked of it meanwhile (a pause, another config) need not wait.
        if job.again or job.need != job.given:
            job.phase = Phase.IDLE
            yield from self._settle(job, now_ms)

    # Time

    def expire(self, now_ms: int) -> list[Effect]:
        effects: list[Effect] = []
        for job in [each for each in self.jobs.values() if each.phase in _TIMED and each.due_ms <= now_ms]:
            if job.phase is Phase.WAITING:
                job.phase = Phase.IDLE
                effects += self._settle(job, now_ms)
            else:
                job.due_ms = now_ms + STOP_TIMEOUT_MS
                effects.append(Kill(job.session))
        return effects

    def next_due_ms(self) -> int | None:
        due = [job.due_ms for job in self.jobs.values() if job.phase in _TIMED]
        return min(due, default=None)

    def leave(self) -> list[Effect]:
        """The worker stops: nobody has what it ran, until somebody takes it up."""
        left = [job for job in self.jobs.values() if job.is_on_runner or job.phase is Phase.WAITING]
        return [Report(job.name, job.generation, State.UNASSIGNED, job.tasks or None, State.UNASSIGNED) for job in left]

    def on_runner(self, session: str) -> list[Job]:
        return [job for job in self.jobs.values() if job.is_on_runner and job.session == session]

    # Towards what is wanted

    def _at(self, name: str, generation: int, *phases: Phase) -> Job | None:
        job = self.jobs.get(name)
        return job if job is not None and job.generation == generation and job.phase in phases else None

    def _settle(self, job: Job, now_ms: int) -> list[Effect]:
        need = job.need
        is_to_run = need is not None and need.target_state is TargetState.STARTED
        if job.phase is Phase.STOPPING:
            return []
        if job.is_on_runner:
            return [] if is_to_run and need == job.given and not job.again else self._stop(job, now_ms)
        if need is None:
            del self.jobs[job.name]
            return [Forget(job.name)]
        if not is_to_run:
            return self._rest(job, need)
        job.shown = None
        is_new = need != job.given or job.again
        if job.phase is Phase.IDLE or (job.phase in (Phase.FAILED, Phase.WAITING) and is_new):
            return self._start(job, need)
        return []

    def _start(self, job: Job, need: Need) -> list[Effect]:
        if need != job.given:
            job.tries = 0
        word = State.RESTARTING if job.again or job.tries else State.UNASSIGNED
        self.generation += 1
        job.generation, job.given, job.phase, job.again = self.generation, need, Phase.STARTING, False
        tasks = job.tasks or None
        return [
            Report(job.name, job.generation, word, tasks, word),
            Start(job.name, job.generation, need.session),
        ]

    def _stop(self, job: Job, now_ms: int) -> list[Effect]:
        job.phase, job.due_ms = Phase.STOPPING, now_ms + STOP_TIMEOUT_MS
        return [Stop(job.name, job.generation, job.session)]

    def _rest(self, job: Job, need: Need) -> list[Effect]:
        job.phase, job.tries, job.again, job.given = Phase.IDLE, 0, False, None
        if job.shown is need.target_state:
            return []
        job.shown = need.target_state
        if need.target_state is TargetState.STOPPED:
            job.tasks = 0
            return [Report(job.name, job.generation, State.STOPPED, 0, State.STOPPED)]
        return [Report(job.name, job.generation, State.PAUSED, job.tasks or None, State.PAUSED)]
