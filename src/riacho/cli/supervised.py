"""One broker under supervision: what it is doing, and what is to be done next.

    start        answers, and is a member        died
    -----> starting ------------------> running ------> waiting ---> starting ...
              |  died: waiting             |              (the pause is over)
              |                      stop  |
              +--------------> stopping <--+------ restart: as stop, then starting
                                  |
                                  +--> stopped ---- start

`step` looks once and never waits; it says how long until it wants to look again. A broker that never was ready and
dies is a mistake in the settings, which trying again would not mend: that is a KafkaError with its last words. Later
deaths are crashes, and those are answered by a new start after a growing pause.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from riacho.cli.backoff import Backoff
from riacho.cli.broker_process import POLL_S, START_TIMEOUT_S, STOP_TIMEOUT_S, BrokerProcess
from riacho.cli.readiness import answers, sees
from riacho.cli.run_state import BrokerState, Phase
from riacho.client.loopback import HOST

# Deaths are announced by SIGCHLD; this is how often we look anyway.
_LOOK_S = 5.0


class SupervisedBroker:
    def __init__(
        self,
        process: BrokerProcess,
        *,
        is_controller: bool,
        members: Collection[int],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.process = process
        self.is_controller = is_controller
        self.phase = Phase.STOPPED
        self.generation = 0
        self.restarts = 0
        # Brokers that it must know of to be ready: all at first, itself when it comes back.
        self._members = frozenset(members)
        self._say = say
        self._clock = clock
        self._backoff = Backoff()
        self._born_s = 0.0
        self._deadline_s = 0.0
        self._has_been_ready = False
        self._starts_again = False

    @property
    def node_id(self) -> int:
        return self.process.node_id

    @property
    def state(self) -> BrokerState:
        process = self.process
        return BrokerState(
            process.node_id,
            process.process,
            process.bootstrap,
            process.metrics,
            self.restarts,
            self.is_controller,
            self.phase,
            self.generation,
        )

    # What it is told

    def start(self) -> None:
        self._born_s = self._clock()
        self._deadline_s = self._born_s + START_TIMEOUT_S
        self.phase = Phase.STARTING
        self.process.spawn()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """In good order; killed when it takes longer."""
        self._starts_again = False
        if self.phase is Phase.STOPPED:
            return
        self.process.terminate()
        self.phase = Phase.STOPPING
        self._deadline_s = self._clock() + timeout_s

    def follow(self, generation: int, *, is_down: bool) -> None:
        """Orders: to be down or up, and how many restarts were asked for so far."""
        is_restart = generation > self.generation
        self.generation = max(generation, self.generation)
        if is_down:
            if self.phase not in (Phase.STOPPED, Phase.STOPPING) or self._starts_again:
                self._say(f"broker {self.node_id} stops as told")
                self.stop()
        elif self.phase is Phase.STOPPED:
            self._say(f"broker {self.node_id} starts as told")
            self.start()
        elif is_restart or (self.phase is Phase.STOPPING and not self._starts_again):
            self._say(f"broker {self.node_id} restarts as told")
            if self.phase is not Phase.STOPPING:
                self.stop()
            self._starts_again = True

    # What happens to it

    def step(self) -> float:
        """Look; how long until the next look, in seconds."""
        match self.phase:
            case Phase.STARTING:
                return self._step_starting()
            case Phase.RUNNING:
                if not self.process.is_running:
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
        if not self.process.is_running:
            if self.process.spawn_again():
                return POLL_S
            if not self._has_been_ready:
                raise self.process.not_started()
            return self._crashed()
        if self._is_ready():
            if self._has_been_ready:
                self._say(f"broker {self.node_id} is back, pid {self.process.process.pid}")
            self._has_been_ready = True
            self._members = frozenset({self.node_id})
            self.phase = Phase.RUNNING
            return _LOOK_S
        if self._clock() > self._deadline_s:
            error = self.process.not_ready(START_TIMEOUT_S)
            if not self._has_been_ready:
                raise error
            # It may be waiting for others, for a quorum say: leave it be, and look less often.
            self._say(f"broker {self.node_id} is not back: {error.detail}")
            self._deadline_s = self._clock() + START_TIMEOUT_S
        return POLL_S

    def _is_ready(self) -> bool:
        if not answers(HOST, self.process.port):
            return False
        is_alone = not self._members
        return is_alone or sees(HOST, self.process.port, self._members)

    def _crashed(self) -> float:
        pause_s = self._backoff.pause_after(self._clock() - self._born_s)
        ended = f"broker {self.node_id} ended ({self.process.exit_text})"
        self._say(f"{ended}; starting it again in {pause_s:g} s")
        self.phase = Phase.WAITING
        self._deadline_s = self._clock() + pause_s
        return pause_s

    def _step_stopping(self) -> float:
        if self.process.is_running:
            if self._clock() < self._deadline_s:
                return POLL_S
            self._say(f"broker {self.node_id} did not stop in time and was killed")
            self.process.kill()
        self.phase = Phase.STOPPED
        if self._starts_again:
            self._starts_again = False
            self.start()
            return POLL_S
        return _LOOK_S
