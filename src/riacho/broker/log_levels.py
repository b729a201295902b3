"""How much a running node logs, by logger: what tools call broker-loggers (KIP-412).

Kafka has a logger a class. Here there are four that a reader can tell apart, `riacho.access`, `riacho.error`,
`riacho.agent` and `riacho.referrer`, and `root`, whose level is theirs while they have none of their own. The audit log
is not among them: who was denied what, and who changed what, is on record whatever else is quiet. Levels are this
process's: the next start has those of its command line again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.broker.logs import Logs

ROOT = "root"
ACCESS = "riacho.access"
ERROR = "riacho.error"
AGENT = "riacho.agent"
REFERRER = "riacho.referrer"
# Kafka's words; Python has none below DEBUG.
_LEVELS = {
    "TRACE": logging.DEBUG - 5,
    "DEBUG": logging.DEBUG,
    "INFO": logging.INFO,
    "WARN": logging.WARNING,
    "ERROR": logging.ERROR,
    "FATAL": logging.CRITICAL,
}


class LevelChange(NamedTuple):
    logger: str
    # None: that of the root again.
    level: str | None


class LogLevels:
    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._loggers = {ACCESS: logs.access, ERROR: logs.error, AGENT: logs.agent, REFERRER: logs.referrer}
        self._root = logs.error.getEffectiveLevel()
        self._own = {
            name: logger.getEffectiveLevel()
            for name, logger in self._loggers.items()
            if logger.getEffectiveLevel() != self._root
        }

    def all(self) -> dict[str, str]:
        """The level in force of each logger, in Kafka's words."""
        return {name: _word(self._own.get(name, self._root)) for name in (*self._loggers, ROOT)}

    def check(self, changes: Iterable[LevelChange]) -> None:
        for name, level in changes:
            if name not in (*self._loggers, ROOT):
                raise KafkaError(ErrorCode.INVALID_CONFIG, f"Logger {name} does not exist!")
            if level is not None and level not in _LEVELS:
                problem = f"{level} is no log level that {name} can have: those are {', '.join(sorted(_LEVELS))}"
                raise KafkaError(ErrorCode.INVALID_CONFIG, problem)
            if level is None and name == ROOT:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "the root logger must have a level")

    def apply(self, changes: Iterable[LevelChange]) -> None:
        """Those that `check` let pass."""
        for name, level in changes:
            if level is None:
                self._own.pop(name, None)
            elif name == ROOT:
                self._root = _LEVELS[level]
            else:
                self._own[name] = _LEVELS[level]
        for name, logger in self._loggers.items():
            logger.setLevel(self._own.get(name, self._root))
        self._logs.levels_changed()


def _word(level: int) -> str:
    """The most talkative word that says no more than this level."""
    return next((word for word, number in _LEVELS.items() if number >= level), "FATAL")
