"""Leaving the terminal: the work goes on in a process of its own, and this one waits only for its first word.

The two are joined by a pipe. The child says one line, `ready` or what went wrong; its death closes the pipe, which
tells as much. So the caller returns at the very moment everything answers, and knows why when it never does.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click

from riacho.cli.failures import click_errors

_READY = "ready"
Work = Callable[[Callable[[], None]], None]


def run_detached(work: Work, log: Path) -> None:
    """Run `work(ready)` in the background. Returns once it has called `ready`; ClickException if it fails before."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork() == 0:
        os.close(reader)
        _background(work, log, _FirstWord(writer))
    os.close(writer)
    with open(reader, encoding="utf-8", errors="replace") as words:
        said = words.readline().strip()
    if said != _READY:
        raise click.ClickException(said or f"Riacho did not start; see {log}.")


class _FirstWord:
    def __init__(self, writer: int) -> None:
        self._writer: int | None = writer

    def say(self, text: str) -> None:
        """To the waiting process; to the log once that one has had its word."""
        if self._writer is None:
            print(text, file=sys.stderr, flush=True)
            return
        os.write(self._writer, f"{' '.join(text.split())}\n".encode())
        os.close(self._writer)
        self._writer = None


def _background(work: Work, log: Path, word: _FirstWord) -> NoReturn:
    """Never returns: what stands above on the stack belongs to the other process."""
    code = 1
    try:
        os.setsid()
        with log.open("ab", buffering=0) as out, open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
        with click_errors():
            work(lambda: word.say(_READY))
        code = 0
    except click.ClickException as error:
        word.say(error.message)
    except BaseException as error:
        traceback.print_exc()
        word.say(f"Riacho did not start: {error}")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
