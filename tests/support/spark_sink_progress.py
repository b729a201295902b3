"""What the trace of `spark_sink_worker` tells: how far things are, and whether tasks or commits are under way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path


class Progress:
    def __init__(self, file: Path) -> None:
        self.lines = 0
        self.told: Counter[str] = Counter()
        self._file = file
        self._position = 0
        self._tasks: Counter[str] = Counter()
        self._commits: set[str] = set()

    @property
    def is_writing(self) -> bool:
        """Some task has begun and not ended."""
        return any(count > 0 for count in self._tasks.values())

    @property
    def is_committing(self) -> bool:
        return bool(self._commits)

    def read(self) -> None:
        """What has been added since."""
        if not self._file.exists():
            return
        with self._file.open("rb") as file:
            file.seek(self._position)
            added = file.read()
        # A line is written in one piece, but may be read in two.
        added = added[: added.rfind(b"\n") + 1]
        self._position += len(added)
        for line in added.decode().splitlines():
            self._apply(*line.split())

    def _apply(self, word: str, query: str = "", *_: str) -> None:
        self.lines += 1
        self.told[word] += 1
        match word:
            case "session":
                self._tasks.clear()
                self._commits.clear()
            case "task":
                self._tasks[query] += 1
            case "written" | "skipped" | "empty":
                self._tasks[query] -= 1
            case "commit":
                # Of tasks that were killed nothing more was heard.
                self._tasks[query] = 0
                self._commits.add(query)
            case "committed" | "abort" | "failed":
                self._tasks[query] = 0
                self._commits.discard(query)
