"""Records the calls of every Python process that has this directory on its path and is told where to write them.

One file a process, a line a call with the time; the same call is written once a second at most.
"""

from __future__ import annotations

import os
import time

from recorder import Call, Recorder

VARIABLE = "HOPS_DIRECTORY"
_APART_S = 1.0


class FileRecorder(Recorder):
    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = directory
        self._process = (0, 0)
        self._written: dict[Call, float] = {}

    def note(self, call: Call) -> None:
        now_s = time.monotonic()
        if now_s - self._written.get(call, -_APART_S) >= _APART_S:
            self._written[call] = now_s
            os.write(self._file(), ("\t".join((str(now_s), *call)) + "\n").encode())

    def _file(self) -> int:
        pid, file = self._process
        if pid != os.getpid():
            # The first call, or the first after a fork.
            pid = os.getpid()
            file = os.open(f"{self._directory}/{pid}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._process = pid, file
        return file


if VARIABLE in os.environ:
    FileRecorder(os.environ[VARIABLE]).start()
