"""A runner of connectors as a real process, driven over its lines of JSON: `python -m riacho.pipelines.connect.runner`.

Events are kept in order; `wait_for` looks at those that came and waits for those that have not. The JVM that it starts
is in its process group, and ends with it however it ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
EVENT_TIMEOUT_S = 300.0
END_TIMEOUT_S = 180.0

Event = dict[str, Any]
SPARK = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.log.level": "ERROR",
}


def why_no_runner() -> str | None:
    from riacho.pipelines.spark.class_archive import java_executable, java_release

    java = java_executable()
    if java is None:
        return "Spark cannot start: there is no java on the PATH"
    return None if java_release(java) >= 17 else f"Spark cannot start: java {java_release(java)} is older than 17"


class ConnectRunner:
    def __init__(
        self,
        bootstrap: str,
        directory: Path,
        *,
        modules: list[str] | None = None,
        path: str = "",
        spark: Mapping[str, str] = SPARK,
    ) -> None:
        self._settings = {"bootstrap": bootstrap, "spark": dict(spark), "modules": modules or []}
        self._directory = directory
        self._errors = directory / "runner.err"
        self._path = os.pathsep.join(filter(None, (str(SOURCE), path)))
        self.events: list[Event] = []
        self._heard = threading.Condition()
        self._generation = 0
        self._is_over = False
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> ConnectRunner:
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "riacho.pipelines.connect.runner"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env=os.environ | {"PYTHONPATH": self._path, "RIACHO_CLASS_ARCHIVE": "use"},
            )
        self._is_over = False
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()
        self._tell(self._settings)
        return self

    def run(self, name: str, configs: Mapping[str, str], *, kind: str, offsets: list[Event] | None = None) -> int:
        """Start a connector; its generation."""
        self._generation += 1
        self._tell(
            {
                "do": "start",
                "name": name,
                "generation": self._generation,
                "type": kind,
                "configs": {"name": name, "riacho.trigger.ms": "200", **configs},
                "offsets": offsets,
                "checkpoint": str(self._directory / "checkpoints" / name),
                "tasks_max": 1,
            }
        )
        return self._generation

    def stop(self, name: str, generation: int) -> None:
        """Stop it, and wait until it says so."""
        self._tell({"do": "stop", "name": name, "generation": generation})
        self.wait_for(lambda event: event["event"] == "stopped", generation)

    def wait_for(self, wanted: Callable[[Event], bool], generation: int | None = None) -> Event:
        """The first such event. One that fails instead, or a runner that ends, is an error with its reason."""
        with self._heard:
            at = 0
            while True:
                for event in self.events[at:]:
                    if generation is not None and event.get("generation") != generation:
                        continue
                    if wanted(event):
                        return event
                    if event["event"] == "failed" and generation is not None:
                        raise AssertionError(f"{event['name']} failed: {event['trace']}")
                at = len(self.events)
                if self._is_over:
                    raise AssertionError(f"the runner ended: {self.errors()}")
                if not self._heard.wait_for(lambda: len(self.events) > at or self._is_over, EVENT_TIMEOUT_S):  # noqa: B023
                    raise TimeoutError(f"no such event; there were {self.events[-10:]}: {self.errors()}")

    def of(self, generation: int, kind: str) -> list[Event]:
        with self._heard:
            return [each for each in self.events if each.get("generation") == generation and each["event"] == kind]

    def errors(self) -> str:
        return self._errors.read_text(errors="replace")[-4_000:]

    def kill(self) -> None:
        """kill -9, with its JVM and workers."""
        assert self.process is not None, "not started"
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(END_TIMEOUT_S)

    def close(self) -> int:
        """The end of its input is the end of it; the exit code."""
        assert self.process is not None, "not started"
        if self.process.poll() is None:
            assert self.process.stdin is not None, "its input is a pipe"
            self.process.stdin.close()
            try:
                self.process.wait(END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def _tell(self, message: Mapping[str, Any]) -> None:
        assert self.process is not None, "not started"
        assert self.process.stdin is not None, "its input is a pipe"
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None, "its output is a pipe"
        for line in process.stdout:
            with self._heard:
                self.events.append(json.loads(line))
                self._heard.notify_all()
        with self._heard:
            # A runner that was started again has another listener.
            self._is_over = self.process is process
            self._heard.notify_all()
