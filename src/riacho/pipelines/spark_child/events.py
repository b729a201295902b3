"""What the runner tells the worker: one JSON object a line on stdout.

Spark, its JVM and whoever prints in a connector share the process, so the true stdout is kept apart here and
descriptor 1 leads to stderr from then on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import BinaryIO, Self

from riacho.pipelines.spark_child.messages import Event, Log, line_of


class Events:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    @classmethod
    def on_stdout(cls) -> Self:
        kept = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        return cls(kept)

    def send(self, event: Event) -> None:
        with self._lock:
            try:
                self._stream.write(line_of(event))
                self._stream.flush()
            except (BrokenPipeError, ValueError):
                # The worker is gone; the end of stdin says so too, and ends this process.
                return

    def log(self, level: str, messages: Sequence[str]) -> None:
        for message in messages:
            self.send(Log(level, message))
