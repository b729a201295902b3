"""Runs a module that ends with whoever started it, however that one ends.

    python -m riacho.cli.supervisor.parent_watch riacho up

Standard input is a pipe of which the other end is in the starter's hands alone. A starter that is killed with -9 says
nothing to anybody, but the system closes its end: then this process asks itself to stop, as Ctrl-C would have had it.
One that takes too long over that is killed.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from collections.abc import Callable

# Longer than `riacho up` takes to stop everything in good order.
GRACE_S = 60.0


def ending_with_parent(module: str, *arguments: str) -> list[str]:
    """The command; its standard input must be a pipe that nobody writes to."""
    return [sys.executable, "-m", "riacho.cli.supervisor.parent_watch", module, *arguments]


def watch(descriptor: int, end: Callable[[int], None], grace_s: float = GRACE_S) -> None:
    """Returns when the other end is closed and the process has been told; nobody returns from SIGKILL."""
    while os.read(descriptor, 1024):
        pass
    end(signal.SIGTERM)
    threading.Event().wait(grace_s)
    end(signal.SIGKILL)


def main(module: str, *arguments: str) -> None:
    def end(number: int) -> None:
        os.kill(os.getpid(), number)

    threading.Thread(target=watch, args=(0, end), name="parent-watch", daemon=True).start()
    sys.argv[1:] = arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
