"""The demo's Spark program as a child process: totals by account and ten seconds, in a topic."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from riacho.cli.demo.quick_java import with_quick_java
from riacho.cli.supervisor.parent_watch import ending_with_parent

MODULE = "riacho.pipelines.examples.transfer_totals"
_STOP_S = 30.0


class TotalsProgram:
    """It ends with the demo, even with one that is killed."""

    def __init__(self, path: Path) -> None:
        self._log = path / "totals.log"
        self._checkpoint = path / "totals-checkpoint"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, bootstrap: str, registry: str) -> int:
        """Its process id."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ending_with_parent(MODULE, bootstrap, registry, str(self._checkpoint)),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=with_quick_java(os.environ),
                start_new_session=True,
            )
        return self._process.pid

    @property
    def failure(self) -> str | None:
        """Its last words, if it has ended by itself."""
        if self._process is None or self._process.poll() is None:
            return None
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return f"the Spark program ended: {lines[-1] if lines else 'it said nothing'}"

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
