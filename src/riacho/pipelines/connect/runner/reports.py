"""How a batch function tells the supervisor of its query what it met: records left out, log lines, why it failed.

On a session of this process they share an object. On Spark Connect the function runs in a process of the server's, to
which it is sent pickled: there a report is a line of a file beside the checkpoint, which the supervisor reads where
both see the same disk (elsewhere the counts stay unknown, the failure comes through the query's own exception).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

# Reports wait for a supervisor that looks twice a second; a batch gives one.
_WAITING_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Report:
    """One batch: how many records it had (0 where nobody has counted), how many were bad, how many of those became
    letters, topics written, lines for the log."""

    batch_id: int
    rows: int = 0
    bad: int = 0
    dead_letters: int = 0
    topics: Sequence[str] = ()
    log: Sequence[str] = field(default=())
    failure: str | None = None


class Reports:
    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._waiting: deque[Report] = deque(maxlen=_WAITING_MAX)
        self._read_bytes = 0
        self._is_remote = False

    def __getstate__(self) -> dict[str, Any]:
        return {"_path": self._path, "_waiting": deque(maxlen=1), "_read_bytes": 0, "_is_remote": True}

    def clear(self) -> None:
        """Forget what an earlier run has left."""
        self._path.unlink(missing_ok=True)

    def add(self, report: Report) -> None:
        if not self._is_remote:
            self._waiting.append(report)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(report)) + "\n")

    def take(self) -> list[Report]:
        """What has been added since the last time."""
        taken = [self._waiting.popleft() for _ in range(len(self._waiting))]
        return taken + self._from_file()

    def _from_file(self) -> list[Report]:
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_bytes)
                lines = file.read().splitlines(keepends=True)
        except OSError:
            return []
        whole = [line for line in lines if line.endswith(b"\n")]
        self._read_bytes += sum(map(len, whole))
        return [Report(**json.loads(line)) for line in whole]
