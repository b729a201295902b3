"""The supervisor: starts the brokers, tells when they are ready, starts again what crashes, stops all on a signal.

    starting -> running -> stopping -> gone
                  |  ^
       child died |  | its pause is over: start it again
                  waiting

A child that cannot start the first time ends the supervisor with the child's last words: that is a mistake in the
settings, and trying again would not mend it. Later deaths are crashes, and those are answered by a new start after a
growing pause.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from riacho.base.errors import KafkaError
from riacho.cli.backoff import Backoff
from riacho.cli.broker_process import BrokerProcess
from riacho.cli.data_dir import DataDir
from riacho.cli.process_mark import ProcessMark
from riacho.cli.run_state import BrokerState, RunState, write_state
from riacho.cli.running import add_running, remove_running
from riacho.cli.signals import SignalQueue

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Children's deaths are announced by SIGCHLD; this is how often we look anyway.
_LOOK_S = 5.0


class _StopRequested(Exception):
    """A signal said so."""


class Supervisor:
    def __init__(
        self,
        directory: DataDir,
        broker: BrokerProcess,
        supervisor: ProcessMark,
        *,
        say: Callable[[str], None],
        is_ephemeral: bool = False,
        is_detached: bool = False,
    ) -> None:
        self._directory = directory
        self._broker = broker
        self._supervisor = supervisor
        self._say = say
        self._is_ephemeral = is_ephemeral
        self._is_detached = is_detached
        self._started_ms = time.time_ns() // 1_000_000
        self._restarts = 0
        self._backoff = Backoff()

    def run(self, on_ready: Callable[[RunState], None]) -> None:
        """Until a signal says stop. `on_ready` is told once, when everything answers."""
        with SignalQueue((*_STOP_SIGNALS, signal.SIGCHLD)) as signals:
            try:
                self._broker.spawn()
                self._broker.wait_until_ready(pause=lambda pause_s: self._pause(signals, pause_s))
                state = self._write_state()
                add_running(self._directory)
                on_ready(state)
                self._watch(signals)
            except _StopRequested:
                pass
            finally:
                self._stop()

    def _watch(self, signals: SignalQueue) -> None:
        born = time.monotonic()
        while True:
            self._pause(signals, _LOOK_S)
            if self._broker.is_running:
                continue
            pause_s = self._backoff.pause_after(time.monotonic() - born)
            ended = f"broker {self._broker.node_id} ended ({self._broker.exit_text})"
            self._say(f"{ended}; starting it again in {pause_s:g} s")
            deadline = time.monotonic() + pause_s
            while (left_s := deadline - time.monotonic()) > 0:
                self._pause(signals, left_s)
            born = time.monotonic()
            self._restart(signals)

    def _pause(self, signals: SignalQueue, timeout_s: float) -> None:
        """Until a signal comes or the time is up."""
        if any(number in _STOP_SIGNALS for number in signals.wait(timeout_s)):
            raise _StopRequested

    def _restart(self, signals: SignalQueue) -> None:
        self._restarts += 1
        self._broker.spawn()
        try:
            self._broker.wait_until_ready(pause=lambda pause_s: self._pause(signals, pause_s))
        except KafkaError as error:
            self._say(f"broker {self._broker.node_id} is not back: {error.detail}")
            return
        self._write_state()
        self._say(f"broker {self._broker.node_id} is back, pid {self._broker.process.pid}")

    def _stop(self) -> None:
        if not self._broker.stop():
            self._say(f"broker {self._broker.node_id} did not stop in time and was killed")
        remove_running(self._directory)
        self._directory.state_file.unlink(missing_ok=True)

    def _write_state(self) -> RunState:
        broker = self._broker
        state = RunState(
            data_dir=str(self._directory.path),
            supervisor=self._supervisor,
            started_ms=self._started_ms,
            brokers=(BrokerState(broker.node_id, broker.process, broker.bootstrap, broker.metrics, self._restarts),),
            is_ephemeral=self._is_ephemeral,
            is_detached=self._is_detached,
        )
        write_state(self._directory, state)
        return state
