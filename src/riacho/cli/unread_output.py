"""Standard output that nobody reads any more: `riacho consume big | head`."""

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
