"""What the runner tells the worker: one JSON object a line on stdout.

Spark, its JVM and whoever prints in a connector share the process, so the true stdout is kept apart here and
descriptor 1 leads to stderr from then on.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Self, TextIO


class Events:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    @classmethod
    def on_stdout(cls) -> Self:
        kept = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        return cls(kept)

    def ready(self, spark_version: str, master: str) -> None:
        self._send({"event": "ready", "spark": spark_version, "master": master})

    def log(self, level: str, message: str) -> None:
        self._send({"event": "log", "level": level, "message": message})

    def of(self, name: str, generation: int) -> ConnectorEvents:
        return ConnectorEvents(self, name, generation)

    def _send(self, event: Mapping[str, Any]) -> None:
        line = json.dumps(event, separators=(",", ":"), default=str)
        with self._lock:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (BrokenPipeError, ValueError):
                # The worker is gone; the end of stdin says so too, and ends this process.
                return


class ConnectorEvents:
    """Those of one run of one connector."""

    def __init__(self, events: Events, name: str, generation: int) -> None:
        self._events = events
        self._own = {"name": name, "generation": generation}

    def doing(self, what: str) -> None:
        """What it is at until its first batch is done, in one sentence."""
        self._send("doing", what=what)

    def prepared(self, tasks: int) -> None:
        """What it reads or writes is there; its query is still to come."""
        self._send("prepared", tasks=tasks)

    def running(self, tasks: int) -> None:
        self._send("running", tasks=tasks)

    def progress(self, figures: Mapping[str, Any]) -> None:
        self._send("progress", **figures)

    def errors(self, total: int, dead_letters: int, skipped: int) -> None:
        self._send("errors", total=total, dead_letters=dead_letters, skipped=skipped)

    def failed(self, trace: str, task: int | None = 0) -> None:
        self._send("failed", task=task, trace=trace)

    def stopped(self) -> None:
        self._send("stopped")

    def logs(self, level: str, messages: Sequence[str]) -> None:
        for message in messages:
            self._events.log(level, message)

    def _send(self, event: str, **figures: Any) -> None:
        self._events._send({"event": event, **self._own, **figures})
