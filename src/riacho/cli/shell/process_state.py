"""What a command may change in its process, and the next one must not meet: put back when it has ended."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

_SIGNALS = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM, signal.SIGCHLD,
    signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP, signal.SIGWINCH,
)  # fmt: skip


@contextmanager
def kept_process_state(argv: list[str], environment: Mapping[str, str]) -> Iterator[None]:
    """With these words and this environment inside; Ctrl-C is a KeyboardInterrupt there, whatever it was before."""
    before = _taken()
    sys.argv = list(argv)
    _set_environment(environment)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with warnings.catch_warnings():
            yield
    finally:
        # First: a Ctrl-C meanwhile may interrupt nothing of this.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _put_back(before)
        for number, handler in handlers.items():
            # None is a handler that was not set from Python, which no command replaces.
            if handler is not None:
                signal.signal(number, handler)


def _taken() -> dict[str, Any]:
    root = logging.getLogger()
    return {
        "argv": sys.argv,
        "environment": dict(os.environ),
        "directory": _directory(),
        "umask": _umask(),
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval()),
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "handlers": list(root.handlers),
        "level": root.level,
        "disabled": logging.root.manager.disable,
        "levels": _logger_levels(),
    }


def _put_back(before: dict[str, Any]) -> None:
    signal.setitimer(signal.ITIMER_REAL, *before["timer"])
    sys.argv = before["argv"]
    _set_environment(before["environment"])
    if before["directory"] is not None:
        with suppress(OSError):
            os.chdir(before["directory"])
    os.umask(before["umask"])
    sys.excepthook, sys.displayhook, sys.unraisablehook = before["hooks"]
    sys.setrecursionlimit(before["limits"][0])
    sys.setswitchinterval(before["limits"][1])
    root = logging.getLogger()
    root.handlers[:] = before["handlers"]
    root.setLevel(before["level"])
    logging.disable(before["disabled"])
    for name, level in _logger_levels().items():
        wanted = before["levels"].get(name, logging.NOTSET)
        if level != wanted:
            logging.getLogger(name).setLevel(wanted)


def _set_environment(wanted: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        # It was removed under us.
        return None


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found


def _logger_levels() -> dict[str, int]:
    loggers = logging.root.manager.loggerDict.items()
    return {name: logger.level for name, logger in list(loggers) if isinstance(logger, logging.Logger)}
