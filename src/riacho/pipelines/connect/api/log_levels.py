"""Levels of the worker's loggers, as `/admin/loggers` shows and sets them, with Java's words for the levels."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

ROOT = "root"
# Java's levels by name; Python has no TRACE and no OFF.
LEVELS = {
    "OFF": logging.CRITICAL + 10,
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": 5,
}
_OWN = ("riacho.connect", "riacho.connect.runner", "riacho.single_writer", "riacho.web", "riacho.access")


class LogLevels:
    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now_ms = now_ms
        self._modified: dict[str, int] = {}
        for name in _OWN:
            logging.getLogger(name)

    def all(self) -> dict[str, dict[str, object]]:
        names = {ROOT, *(name for name in logging.root.manager.loggerDict if name.startswith("riacho"))}
        return {name: self._shown(name) for name in sorted(names | set(self._modified))}

    def one(self, name: str) -> dict[str, object] | None:
        is_there = name == ROOT or name in logging.root.manager.loggerDict or name in self._modified
        return self._shown(name) if is_there else None

    def set(self, name: str, level: str) -> list[str]:
        """The loggers whose level it changed: that one and all below it."""
        number = LEVELS[level]
        below = f"{name}."
        wanted = {name} | {each for each in logging.root.manager.loggerDict if name == ROOT or each.startswith(below)}
        for each in wanted:
            logging.getLogger(None if each == ROOT else each).setLevel(number)
            self._modified[each] = self._now_ms()
        return sorted(wanted)

    def apply(self, name: str, level: str) -> None:
        """A level that another worker got for the whole cluster."""
        if level in LEVELS:
            self.set(name, level)

    def _shown(self, name: str) -> dict[str, object]:
        number = logging.getLogger(None if name == ROOT else name).getEffectiveLevel()
        shown = next((word for word, value in LEVELS.items() if value <= number), "TRACE")
        return {"level": shown, "last_modified": self._modified.get(name)}
