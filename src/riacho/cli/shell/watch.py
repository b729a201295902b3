"""`watch`: a command again and again on the whole screen, what has changed since the last time in reverse."""

from __future__ import annotations

import os
import select
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from riacho.cli.shell.terminal_settings import kept_terminal_settings

DEFAULT_SECONDS = 2.0
SECONDS_MIN = 0.1
# More than any screen shows; a command that goes on and on is ended there.
_OUTPUT_BYTES_MAX = 1024 * 1024
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _TO_LINE_END, _TO_SCREEN_END = "\x1b[H", "\x1b[K", "\x1b[J"
_REVERSE, _PLAIN = "\x1b[7m", "\x1b[0m"
_QUIT_KEYS = (b"q", b"Q", b"\x03", b"\x04")


class WatchError(Exception):
    """One sentence."""


def parse_watch(text: str) -> tuple[float, str]:
    """Seconds and the command of what stands behind the word `watch`."""
    rest = text.strip()
    seconds = DEFAULT_SECONDS
    if rest.startswith("-n"):
        number, _, rest = rest[2:].strip().partition(" ")
        try:
            seconds = float(number)
        except ValueError:
            raise WatchError(f"-n takes seconds, not '{number}'.") from None
        if not SECONDS_MIN <= seconds <= 86_400:
            raise WatchError(f"-n takes {SECONDS_MIN:g} seconds to a day.")
    if not rest.strip():
        raise WatchError("Say what to watch: watch [-n SECONDS] COMMAND.")
    return seconds, rest.strip()


def watch(title: str, seconds: float, run: Callable[[int], int]) -> None:
    """`run` writes to the descriptor it is given. Until q or Ctrl-C."""
    before: list[str] | None = None
    with _screen():
        while True:
            started = time.monotonic()
            lines = output_of(run)
            _draw(f"Every {seconds:g} s: {title}   {time.strftime('%H:%M:%S')}   q ends", lines, before)
            before = lines
            if _is_ended(max(0.0, seconds - (time.monotonic() - started))):
                return


def output_of(run: Callable[[int], int]) -> list[str]:
    reading, writing = os.pipe()
    taken = bytearray()
    reader = threading.Thread(target=_read_all, args=(reading, taken), daemon=True)
    reader.start()
    try:
        run(writing)
    finally:
        os.close(writing)
        reader.join()
    return bytes(taken).decode("utf-8", errors="replace").expandtabs().splitlines()


def _read_all(descriptor: int, taken: bytearray) -> None:
    """A command that says more than this hears that nobody reads on."""
    with suppress(OSError):
        while len(taken) < _OUTPUT_BYTES_MAX and (data := os.read(descriptor, 65536)):
            taken += data
    os.close(descriptor)


def _draw(head: str, lines: list[str], before: list[str] | None) -> None:
    size = os.get_terminal_size(1)
    room = size.lines - 2
    shown = [_cleaned(line)[: size.columns] for line in lines[:room]]
    old = None if before is None else [_cleaned(line)[: size.columns] for line in before[:room]]
    parts = [_HOME, _cleaned(head)[: size.columns], _TO_LINE_END, "\r\n", _TO_LINE_END]
    for i, line in enumerate(shown):
        parts += ["\r\n", line if old is None else marked(line, old[i] if i < len(old) else ""), _TO_LINE_END]
    left = len(lines) - room
    if left > 0 and shown:
        parts += ["\r", f"... {left + 1} more lines"[: size.columns], _TO_LINE_END]
    parts.append(_TO_SCREEN_END)
    _write("".join(parts))


def marked(line: str, before: str) -> str:
    """The line with what differs from the one that stood there in reverse."""
    parts: list[str] = []
    is_reverse = False
    for i, character in enumerate(line):
        differs = i >= len(before) or before[i] != character
        if differs is not is_reverse:
            parts.append(_REVERSE if differs else _PLAIN)
            is_reverse = differs
        parts.append(character)
    if is_reverse:
        parts.append(_PLAIN)
    return "".join(parts)


def _cleaned(line: str) -> str:
    """What records hold may not move the cursor, or set the terminal up."""
    return "".join(character if character.isprintable() else "?" for character in line)


@contextmanager
def _screen() -> Iterator[None]:
    """The terminal's other screen, keys one by one; as it was before at the end."""
    _write(_ENTER)
    try:
        with kept_terminal_settings():
            # Ctrl-C stays a signal: it has to end a command that hangs, too.
            tty.setcbreak(0, termios.TCSADRAIN)
            yield
    finally:
        _write(_LEAVE)


def _is_ended(seconds: float) -> bool:
    """Waits; whether somebody has had enough meanwhile."""
    until = time.monotonic() + seconds
    while True:
        ready, _, _ = select.select([0], [], [], max(0.0, until - time.monotonic()))
        if ready:
            key = os.read(0, 1)
            if not key or key in _QUIT_KEYS:
                return True
        elif time.monotonic() >= until:
            return False


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
