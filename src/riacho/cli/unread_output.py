"""Standard output that nobody reads any more, `riacho consume big | head`, or that was never open, `>&-`."""

from __future__ import annotations

import os
import sys

# What a shell reports for a program that SIGPIPE ended.
EXIT_BROKEN_PIPE = 141


def send_output_nowhere() -> None:
    """What is still written, the interpreter's last flush among it, goes where it harms nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    finally:
        os.close(nowhere)


def open_closed_streams() -> None:
    """Before anything else is opened, which would take the place of a stream that is closed: a broker's connection for
    one, into which then goes what is printed."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            way = os.O_RDONLY if number == 0 else os.O_WRONLY
            nowhere = os.open(os.devnull, way)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, "r" if number == 0 else "w", closefd=False))  # noqa: SIM115
