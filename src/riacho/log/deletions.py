"""Files that a log let go of, and when they may be removed (`file.delete.delay.ms`): readers may still be at them."""

from __future__ import annotations

import contextlib
import os


class Deletions:
    __slots__ = ("_due",)

    def __init__(self) -> None:
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
                os.unlink(path)
        return len(due)
