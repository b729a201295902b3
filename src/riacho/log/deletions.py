"""Files that a log let go of, and when they may be removed (`file.delete.delay.ms`): readers may still be at them."""

from __future__ import annotations

import contextlib

from riacho.base.ports import Files
from riacho.log.real_files import REAL_FILES


class Deletions:
    __slots__ = ("_due", "_files")

    def __init__(self, files: Files = REAL_FILES) -> None:
        self._files = files
        self._due: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._due)

    def add(self, paths: list[str], at_ms: int) -> None:
        self._due += [(at_ms, path) for path in paths]

    def run(self, now_ms: int | None) -> int:
        """Remove what is due (None: everything); how many files went."""
        if not self._due:
            return 0
        due = [path for at_ms, path in self._due if now_ms is None or at_ms <= now_ms]
        self._due = [] if now_ms is None else [(at_ms, path) for at_ms, path in self._due if at_ms > now_ms]
        for path in due:
            with contextlib.suppress(FileNotFoundError):
                self._files.unlink(path)
        return len(due)
