"""A child that this process started while it ran an earlier program: known by its id, and ours to wait for."""

from __future__ import annotations

import os
import signal
import subprocess
import time

_POLL_S = 0.02


class AdoptedProcess:
    """What `subprocess.Popen` is for a child of this program."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        if self._code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                # It ended before, and somebody else was told how.
                self._code = 0
            else:
                self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(_POLL_S)
        return code

    def _send(self, number: signal.Signals) -> None:
        # Not waited for yet, so the id is still its own.
        if self.poll() is None:
            os.kill(self.pid, number)
