"""A child process of the supervisor: started in a session of its own, its words in a file, asked to end before killed.

Ctrl-C in a terminal reaches the supervisor alone, which then stops its children in good order.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.supervisor.adopted_process import AdoptedProcess
from riacho.cli.supervisor.parent_watch import ending_with_parent
from riacho.cli.supervisor.process_mark import ProcessMark, mark

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 30.0
POLL_S = 0.02
# What a log line starts with before it comes to the point.
_LOG_PREFIX = re.compile(r"^\d{4}-\d\d-\d\d \S+ [A-Z]+ |^riacho: |^Error: ")


class ChildProcess(ABC):
    """`label` names it in sentences ("broker 2"); `log` takes its standard output and error. One that
    `ends_with_parent` ends with this process; the others go on without it."""

    label: str
    port: int
    log: Path
    ends_with_parent = False

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | AdoptedProcess | None = None
        self._mark: ProcessMark | None = None
        self._log_position = 0

    @abstractmethod
    def spawn(self) -> None:
        """Start it and return at once."""

    def spawn_again(self) -> bool:
        """After a start that failed: try once more where that may help; False where it would not."""
        return False

    def adopt(self, process: ProcessMark) -> None:
        """It was started by the program that this process ran before."""
        self._process = AdoptedProcess(process.pid)
        self._mark = process

    @property
    def process(self) -> ProcessMark:
        """Of the last start; it may have ended since."""
        assert self._mark is not None, f"{self.label} was never started"
        return self._mark

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_text(self) -> str:
        """How it ended, in words."""
        code = self._process.poll() if self._process is not None else None
        if code is None:
            return "still running"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def _run(self, words: list[str], environment: dict[str, str]) -> None:
        """`words` are those after `riacho`."""
        command = (
            ending_with_parent("riacho", *words) if self.ends_with_parent else [sys.executable, "-m", "riacho", *words]
        )
        assert not self.is_running, f"{self.label} is already running"
        with self.log.open("ab") as output:
            self._log_position = output.tell()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if self.ends_with_parent else subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )
        self._mark = mark(self._process.pid)

    def not_started(self) -> KafkaError:
        return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, f"{_capital(self.label)} did not start: {self.last_words()}")

    def not_ready(self, timeout_s: float) -> KafkaError:
        return KafkaError(
            ErrorCode.BROKER_NOT_AVAILABLE,
            f"{_capital(self.label)} was not ready within {timeout_s:g} s; see {self.log}.",
        )

    def last_words(self) -> str:
        """The last line that it wrote since it was started."""
        with self.log.open("rb") as log:
            # A file that is shorter by now was begun anew.
            if log.seek(0, os.SEEK_END) >= self._log_position:
                log.seek(self._log_position)
            else:
                log.seek(0)
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines() if line.strip()]
        return _LOG_PREFIX.sub("", lines[-1]) if lines else self.exit_text

    def terminate(self) -> None:
        """SIGTERM: ask it to end in good order."""
        if self._process is not None and self.is_running:
            self._process.terminate()

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> bool:
        """SIGTERM and wait; False when it had to be killed."""
        if self._process is None:
            return True
        self.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True

    def kill(self) -> None:
        """kill -9: no flush, no goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def properties_text(properties: dict[str, str]) -> str:
    """As a properties file wants it: a backslash would start an escape."""
    escaped = {key: value.replace("\\", "\\\\").replace("\n", "\\n") for key, value in properties.items()}
    return "".join(f"{key}={value}\n" for key, value in escaped.items())


def child_environment(*left_out: str) -> dict[str, str]:
    """Ours, with this very package on the path, without the variables that start with one of `left_out`."""
    import riacho

    environment = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    source = os.path.dirname(os.path.dirname(os.path.abspath(riacho.__file__)))
    paths = [source, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return environment


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
