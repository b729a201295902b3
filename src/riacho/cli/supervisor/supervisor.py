"""The supervisor: starts brokers and services, tells when all are ready, starts again what crashes, stops all on a
signal.

    starting -> running -> stopping -> gone

One thread, one loop: each turn takes a step with every child (`supervision.py`), writes the state file when something
changed, and sleeps until a signal comes or somebody wants to be looked at. A knock (`orders.py`) has it read its
orders. All start together, since controllers need a majority before anything is ready, and services wait for brokers by
themselves. Services stop first, while there are brokers to take leave of; then brokers that are no controllers, while
there is still a quorum that moves their leaders away.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence

from riacho.broker.log_file import LogFile
from riacho.cli.data_dir import DataDir
from riacho.cli.supervisor.child_process import POLL_S, STOP_TIMEOUT_S
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import Phase, RunState, write_state
from riacho.cli.supervisor.running import add_running, remove_running
from riacho.cli.supervisor.signals import SignalQueue
from riacho.cli.supervisor.supervised_broker import SupervisedBroker
from riacho.cli.supervisor.supervised_service import SupervisedService
from riacho.cli.supervisor.supervision import Supervised
from riacho.cli.supervisor.supervisor_requests import KNOCK, read_orders

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_FAILED_START_STOP_TIMEOUT_S = 6.0


HELD_SIGNALS = (*_STOP_SIGNALS, signal.SIGCHLD, KNOCK)


class _StopRequested(Exception):
    """A signal said so."""


class SuccessorWanted(Exception):
    """It is to make room for another program in its place, which looks after the same children."""

    def __init__(self, generation: int) -> None:
        super().__init__(generation)
        self.generation = generation


class Supervisor:
    def __init__(
        self,
        directory: DataDir,
        brokers: Sequence[SupervisedBroker],
        supervisor: ProcessMark,
        *,
        services: Sequence[SupervisedService] = (),
        is_ephemeral: bool = False,
        is_detached: bool = False,
        started_ms: int | None = None,
        generation: int = 0,
    ) -> None:
        self._directory = directory
        self.brokers = brokers
        self.services = services
        self._children: list[Supervised] = [*brokers, *services]
        self._supervisor = supervisor
        self.is_ephemeral = is_ephemeral
        self.is_detached = is_detached
        self.started_ms = time.time_ns() // 1_000_000 if started_ms is None else started_ms
        self._generation = self._wanted_generation = generation
        self._written: RunState | None = None
        # Where it is detached, what it says goes there.
        self._log = LogFile(directory.supervisor_log) if is_detached else None

    def run(self, on_ready: Callable[[RunState], None], *, is_successor: bool = False) -> None:
        """Until a signal says stop. `on_ready` is told once, when everything answers.

        A successor finds its children running. SuccessorWanted when it is itself to make room for one.
        """
        if not is_successor:
            self._directory.orders_file.unlink(missing_ok=True)
        with SignalQueue(HELD_SIGNALS) as signals:
            try:
                if is_successor:
                    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
                    self._obey()
                else:
                    self._start(signals)
                    state = self._write_state()
                    add_running(self._directory)
                    on_ready(state)
                while True:
                    wait_s = self._step()
                    self._write_state()
                    if self._log is not None:
                        self._log.bound()
                    self._make_room()
                    self._wait(signals, wait_s)
            except _StopRequested:
                self._stop()
            except SuccessorWanted:
                # From here on signals wait for the successor; one that came just now is still for us.
                signal.pthread_sigmask(signal.SIG_BLOCK, HELD_SIGNALS)
                if not any(number in _STOP_SIGNALS for number in signals.wait(0)):
                    raise
                signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
                self._stop()
            except BaseException:
                self._stop()
                raise

    def _start(self, signals: SignalQueue) -> None:
        for child in self._children:
            child.start()
        while True:
            wait_s = self._step()
            # Before the wait: a child that runs has no wish to be looked at again for long.
            if all(child.phase is Phase.RUNNING for child in self._children):
                return
            self._wait(signals, wait_s)

    def _make_room(self) -> None:
        """Not while a child is on its way up or down: it would have to be followed there."""
        is_quiet = all(child.phase in (Phase.RUNNING, Phase.STOPPED) for child in self._children)
        if self._wanted_generation > self._generation and is_quiet:
            raise SuccessorWanted(self._wanted_generation)

    def _step(self) -> float:
        return min(child.step() for child in self._children)

    def _wait(self, signals: SignalQueue, timeout_s: float) -> None:
        """Until a signal comes or the time is up."""
        came = signals.wait(timeout_s)
        if any(number in _STOP_SIGNALS for number in came):
            raise _StopRequested
        if KNOCK in came:
            self._obey()

    def _obey(self) -> None:
        orders = read_orders(self._directory)
        for broker in self.brokers:
            broker.follow(orders.generations.get(broker.node_id, 0), is_down=broker.node_id in orders.down)
        for service in self.services:
            service.follow(orders.services.get(service.process.service.name, 0))
        self._wanted_generation = max(self._generation, orders.supervisor)

    def _stop(self) -> None:
        # Before the first state was written nobody was told of anything, and there is nothing to lose.
        timeout_s = STOP_TIMEOUT_S if self._written is not None else _FAILED_START_STOP_TIMEOUT_S
        deadline_s = time.monotonic() + timeout_s
        self._stop_together(self.services, timeout_s / 4)
        self._stop_together([broker for broker in self.brokers if not broker.is_controller], timeout_s / 2)
        left_s = deadline_s - time.monotonic()
        self._stop_together([broker for broker in self.brokers if broker.is_controller], left_s)
        remove_running(self._directory)
        self._directory.state_file.unlink(missing_ok=True)
        self._directory.orders_file.unlink(missing_ok=True)

    def _stop_together(self, children: Sequence[Supervised], timeout_s: float) -> None:
        for child in children:
            child.stop(timeout_s)
        # A second signal does not hurry it: `riacho down` kills what does not end in time.
        while any(child.phase is not Phase.STOPPED for child in children):
            time.sleep(POLL_S)
            for child in children:
                child.step()

    def _write_state(self) -> RunState:
        state = RunState(
            data_dir=str(self._directory.path),
            supervisor=self._supervisor,
            started_ms=self.started_ms,
            brokers=tuple(broker.state for broker in self.brokers),
            is_ephemeral=self.is_ephemeral,
            is_detached=self.is_detached,
            services=tuple(service.state for service in self.services),
            generation=self._generation,
        )
        if state != self._written:
            write_state(self._directory, state)
            self._written = state
        return state
