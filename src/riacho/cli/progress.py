"""A progress bar for long work, drawn on standard error of a terminal and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from riacho.cli.output import is_terminal

Advance = Callable[[int], None]


@contextmanager
def progress(about: str, total: int | None, *, is_shown: bool = True, in_bytes: bool = False) -> Iterator[Advance]:
    """Gives a function to call with each step made. `total` None: nobody knows the end."""
    if not is_shown or not is_terminal(sys.stderr):
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    count = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(about, total=total)
        yield lambda step: bar.advance(task, step)
