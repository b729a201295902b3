"""How the terminal is set, kept while others have it: whoever asked for a password, or was killed, left echo off."""

from __future__ import annotations

import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def kept_terminal_settings() -> Iterator[None]:
    """Around whole pipelines: a pager among them sets the terminal for itself while the command before it ends."""
    try:
        settings = termios.tcgetattr(0)
    except (termios.error, OSError):
        # There is no terminal.
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSADRAIN, settings)
