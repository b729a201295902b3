"""A child process under supervision: what it is doing, and what is to be done next.

    start            it is ready             died
    -----> starting ------------------> running ------> waiting ---> starting ...
              |  died: waiting             |              (the pause is over)
              |                      stop  |
              +--------------> stopping <--+------ restart: as stop, then starting
                                  |
                                  +--> stopped ---- start

`step` looks once and never waits; it says how long until it wants to look again. A child that never was ready and
dies is a mistake in the settings, which trying again would not mend: that is a KafkaError with its last words. Later
deaths are crashes, and those are answered by a new start after a growing pause.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from riacho.base.backoff import Backoff
from riacho.cli.supervisor.child_process import POLL_S, START_TIMEOUT_S, STOP_TIMEOUT_S, ChildProcess
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import Phase

# Deaths are announced by SIGCHLD; this is how often we look anyway.
_LOOK_S = 5.0
FIRST_PAUSE_S = 0.2
_BACKOFF = Backoff(int(FIRST_PAUSE_S * 1000), 30_000)
# One that lived so long has overcome what it crashed for before.
LIVED_S = 60.0


class Supervised(ABC):
    start_timeout_s = START_TIMEOUT_S

    def __init__(
        self, child: ChildProcess, *, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.child = child
        self.phase = Phase.STOPPED
        self.restarts = 0
        self._say = say
        self._clock = clock
        self._crashes = 0
        self._born_s = 0.0
        self._deadline_s = 0.0
        self.has_been_ready = False
        self._starts_again = False

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it does what it was started for; asked while it starts, must not wait."""

    # What it is told

    def start(self) -> None:
        self._born_s = self._clock()
        self._deadline_s = self._born_s + self.start_timeout_s
        self.phase = Phase.STARTING
        self.child.spawn()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """In good order; killed when it takes longer."""
        self._starts_again = False
        if self.phase is Phase.STOPPED:
            return
        self.child.terminate()
        self.phase = Phase.STOPPING
        self._deadline_s = self._clock() + timeout_s

    def adopt_process(self, process: ProcessMark, phase: Phase, restarts: int) -> None:
        """It runs, or is down as told, since this process ran an earlier program."""
        self.child.adopt(process)
        self.phase = phase
        self.restarts = restarts
        self.has_been_ready = True
        self._born_s = self._clock()

    # What happens to it

    def step(self) -> float:
        """Look; how long until the next look, in seconds."""
        match self.phase:
            case Phase.STARTING:
                return self._step_starting()
            case Phase.RUNNING:
                if not self.child.is_running:
                    return self._crashed()
                return _LOOK_S
            case Phase.WAITING:
                left_s = self._deadline_s - self._clock()
                if left_s > 0:
                    return left_s
                self.restarts += 1
                self.start()
                return POLL_S
            case Phase.STOPPING:
                return self._step_stopping()
            case Phase.STOPPED:
                return _LOOK_S

    def _step_starting(self) -> float:
        if not self.child.is_running:
            if self.child.spawn_again():
                return POLL_S
            if not self.has_been_ready:
                raise self.child.not_started()
            return self._crashed()
        if self.is_ready():
            if self.has_been_ready:
                self._say(f"{self.child.label} is back, pid {self.child.process.pid}")
            self.has_been_ready = True
            self.phase = Phase.RUNNING
            return _LOOK_S
        if self._clock() > self._deadline_s:
            error = self.child.not_ready(self.start_timeout_s)
            if not self.has_been_ready:
                raise error
            # It may be waiting for others, for a quorum say: leave it be, and look less often.
            self._say(f"{self.child.label} is not back: {error.detail}")
            self._deadline_s = self._clock() + self.start_timeout_s
        return POLL_S

    def _crashed(self) -> float:
        self._crashes = 1 if self._clock() - self._born_s >= LIVED_S else self._crashes + 1
        pause_s = _BACKOFF.pause_ms(self._crashes) / 1000
        ended = f"{self.child.label} ended ({self.child.exit_text})"
        self._say(f"{ended}; starting it again in {pause_s:g} s")
        self.phase = Phase.WAITING
        self._deadline_s = self._clock() + pause_s
        return pause_s

    def _step_stopping(self) -> float:
        if self.child.is_running:
            if self._clock() < self._deadline_s:
                return POLL_S
            self._say(f"{self.child.label} did not stop in time and was killed")
            self.child.kill()
        self.phase = Phase.STOPPED
        if self._starts_again:
            self._starts_again = False
            self.start()
            return POLL_S
        return _LOOK_S
