"""The platform under the demo: `riacho up --brokers 3` as a child process, on the usual ports where they are free. It
ends with the demo, even with one that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import click

from riacho.cli.data_dir import DataDir
from riacho.cli.demo.quick_java import with_quick_java
from riacho.cli.supervisor.parent_watch import ending_with_parent
from riacho.cli.supervisor.port_choice import choose_ports
from riacho.cli.supervisor.run_state import RunState, read_state

BROKERS = 3
_CONTROLLERS = (1, 2, 3)
_USUAL_PORT = 9092
_START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 60.0
_POLL_S = 0.05
# What could make it another platform than the one the demo tells about.
_NOT_INHERITED = ("RIACHO_ONLY", "RIACHO_PORT", "RIACHO_DATA_DIR", "RIACHO_BOOTSTRAP")
_NOT_INHERITED_PREFIXES = ("KAFKA_", "SCHEMA_REGISTRY_", "CONNECT_", "KSQL_", "CONTROL_CENTER_")


class Platform:
    def __init__(self, path: Path) -> None:
        self.directory = DataDir(path)
        self._log = path / "up.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> RunState:
        """When it returns, everything answers."""
        command = ending_with_parent("riacho", "up", "--brokers", str(BROKERS), "--port", str(_port()))
        with self._log.open("wb") as log:
            # In a session of its own: Ctrl-C is for the demo, which then stops the platform in good order.
            self._process = subprocess.Popen(
                [*command, "--data-dir", str(self.directory.path)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=_environment(),
                start_new_session=True,
            )
        deadline_s = time.monotonic() + _START_TIMEOUT_S
        while (state := read_state(self.directory)) is None:
            if self._process.poll() is not None:
                raise click.ClickException(f"The platform did not start: {self._last_words()}")
            if time.monotonic() > deadline_s:
                raise click.ClickException(f"The platform is not up after {_START_TIMEOUT_S:g} s.")
            time.sleep(_POLL_S)
        return state

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("Error: ") if lines else "it said nothing."


def _port() -> int:
    """The usual one when it and those after it are free."""
    try:
        choose_ports(_USUAL_PORT, None, BROKERS, _CONTROLLERS)
    except click.ClickException:
        return 0
    return _USUAL_PORT


def _environment() -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in _NOT_INHERITED and not name.startswith(_NOT_INHERITED_PREFIXES)
    }
    return with_quick_java(inherited)
