"""Where output goes: the terminal, and a file beside it while SPOOL is on."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TextIO

import click

WIDTH_MIN = 80
PROMPT = "ksql> "


class Console:
    def __init__(self, width: int | None = None) -> None:
        self._width = width
        self._spool: TextIO | None = None

    @property
    def width(self) -> int:
        return max(self._width or shutil.get_terminal_size((WIDTH_MIN, 24)).columns, WIDTH_MIN)

    def write(self, text: str) -> None:
        click.echo(text)
        sys.stdout.flush()
        self._copy(text)

    def error(self, text: str) -> None:
        click.echo(text, err=True)
        self._copy(text)

    def entered(self, text: str) -> None:
        """What was typed, for the file: the terminal has shown it already."""
        self._copy(f"{PROMPT}{text}")

    def clear(self) -> None:
        click.clear()

    def spool(self, path: str | None) -> None:
        """Copy everything to a file from now on; None ends that. OSError when it cannot be written."""
        opened = None if path is None else Path(path).expanduser().open("w", encoding="utf-8")
        if self._spool is not None:
            self._spool.close()
        self._spool = opened

    @property
    def is_spooling(self) -> bool:
        return self._spool is not None

    def close(self) -> None:
        self.spool(None)

    def _copy(self, text: str) -> None:
        if self._spool is not None:
            self._spool.write(text + "\n")
            self._spool.flush()
