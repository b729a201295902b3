"""The terminal is as it was, whatever had it meanwhile."""

from __future__ import annotations

import os
import pty
import termios
import tty
from collections.abc import Iterator
from contextlib import suppress

import pytest

from riacho.cli.shell.line import parse_line
from riacho.cli.shell.programs import Program
from riacho.cli.shell.running import run_line, run_program
from riacho.cli.shell.terminal_settings import kept_terminal_settings


@pytest.fixture
def terminal() -> Iterator[int]:
    """A pseudo-terminal as standard input."""
    master, slave = pty.openpty()
    before = os.dup(0)
    os.dup2(slave, 0)
    yield slave
    os.dup2(before, 0)
    for descriptor in (master, slave, before):
        os.close(descriptor)


def is_echoing(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def test_echo_is_back(terminal: int) -> None:
    with suppress(KeyboardInterrupt), kept_terminal_settings():
        tty.setraw(terminal)
        assert not is_echoing(terminal)
        raise KeyboardInterrupt
    assert is_echoing(terminal)


def test_without_a_terminal_nothing_is_done() -> None:
    with kept_terminal_settings():
        pass


def test_a_pager_keeps_the_terminal_when_the_command_before_it_ends(terminal: int) -> None:
    """`version | less`: the pager sets the terminal for itself while the command runs."""
    name = os.ttyname(terminal)
    seen: list[bool] = []

    class Waiting(Program):
        def main(self) -> None:
            while is_echoing(terminal):
                pass

    def command(*streams: int | None) -> int:
        code = run_program(Waiting("riacho", ()), dict(os.environ), *streams)
        seen.append(is_echoing(terminal))
        return code

    assert run_line(command, parse_line(f"x | (stty -echo < {name}; cat)"), dict(os.environ)) == 0
    assert seen == [False]
    assert is_echoing(terminal)
