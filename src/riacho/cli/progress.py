"""How far long work is, with rate and time left: a bar on standard error where that is a terminal, elsewhere a plain
line now and then, so that the log of a script or of CI tells it too. Standard output keeps what is asked for.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

from riacho.cli.output import is_terminal, remark

if TYPE_CHECKING:
    from rich.console import Console

_BAR_EVERY_S = 0.1
_LINE_EVERY_S = 5.0
# The rate is that of so many drawings: what was slow at the start does not matter for long.
_SAMPLES = 64
_KILO = 1000
_UNITS = ("B", "kB", "MB", "GB", "TB")

Advance = Callable[[int], None]
Draw = Callable[[str, int, int | None], None]


class Progress:
    """`total` None: nobody knows the end. `draw` is called with a text, what is done, and the total."""

    def __init__(
        self,
        total: int | None,
        draw: Draw,
        every_s: float,
        *,
        in_bytes: bool = False,
        has_rate: bool = True,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.done = 0
        self.total = total
        self._draw = draw
        self._every_s = every_s
        self._in_bytes = in_bytes
        self._has_rate = has_rate
        self._now_s = now_s
        self._drawn: deque[tuple[float, int]] = deque([(now_s(), 0)], maxlen=_SAMPLES)
        self._next_s = now_s() + every_s

    def advance(self, step: int = 1) -> None:
        self.done += step
        now_s = self._now_s()
        if now_s >= self._next_s:
            self._show(now_s)

    def reach(self, done: int, total: int | None) -> None:
        """For work whose end moves, or that others do."""
        self.total = total
        self.advance(done - self.done)

    def text(self, now_s: float) -> str:
        """`1,200 of 4,000 (30 %), 400 a second, 7 s left`."""
        parts = [self._amount(self.done)]
        if self.total:
            share = min(self.done * 100 // self.total, 100)
            parts = [f"{self._amount(self.done)} of {self._amount(self.total)} ({share} %)"]
        began_s, before = self._drawn[0]
        rate = (self.done - before) / (now_s - began_s) if now_s > began_s else 0.0
        if rate > 0 and self._has_rate:
            parts.append(f"{self._amount(round(rate))} a second")
        if rate > 0 and self.total is not None and self.total > self.done:
            parts.append(f"{_duration((self.total - self.done) / rate)} left")
        return ", ".join(parts)

    def _amount(self, count: int) -> str:
        return _size(count) if self._in_bytes else f"{count:,}"

    def _show(self, now_s: float) -> None:
        self._draw(self.text(now_s), self.done, self.total)
        self._drawn.append((now_s, self.done))
        self._next_s = now_s + self._every_s


@contextmanager
def progress(
    about: str,
    total: int | None,
    *,
    is_shown: bool = True,
    in_bytes: bool = False,
    has_rate: bool = True,
    has_lines: bool = True,
) -> Iterator[Progress]:
    """`has_rate`: not where what is counted is time. `has_lines`: not where the work writes lines of its own."""
    if not is_shown or not is_terminal(sys.stderr):
        line = _line(about) if is_shown and has_lines else _nothing
        yield Progress(total, line, _LINE_EVERY_S, in_bytes=in_bytes, has_rate=has_rate)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    console = Console(stderr=True)
    bar = Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    with bar, _lines_above(console):
        task = bar.add_task(about, total=total, told="")

        def draw(told: str, done: int, end: int | None) -> None:
            bar.update(task, completed=done, total=end, told=told)

        yield Progress(total, draw, _BAR_EVERY_S, in_bytes=in_bytes, has_rate=has_rate)


@contextmanager
def _lines_above(console: Console) -> Iterator[None]:
    """Lines on a terminal go above the bar; into a pipe they go as ever."""
    from rich.file_proxy import FileProxy

    class Above(FileProxy):
        # Without these click takes it for no file of text, and writes into the bar.
        encoding = "utf-8"
        errors = "replace"

    out, error = sys.stdout, sys.stderr
    with ExitStack() as stack:
        if console.is_terminal and not console.is_dumb_terminal:
            stack.enter_context(redirect_stderr(Above(console, error)))
            if is_terminal(out):
                stack.enter_context(redirect_stdout(Above(console, out)))
        yield


def _line(about: str) -> Draw:
    return lambda told, done, total: remark(f"{about}: {told}")


def _nothing(told: str, done: int, total: int | None) -> None:
    return


def _size(size_bytes: int) -> str:
    amount = float(size_bytes)
    for unit in _UNITS:
        if amount < _KILO or unit == _UNITS[-1]:
            break
        amount /= _KILO
    return f"{amount:.0f} {unit}" if unit == _UNITS[0] else f"{amount:.1f} {unit}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
