"""The child's own end: settings in the first line of stdin, commands after it, until it is to quit or left alone."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.lifeline import Lifeline
from riacho.pipelines.spark_child.messages import Alive, MessageError, Quit


class Settings(Protocol):
    @property
    def silence_s(self) -> float | None: ...


class Host(Protocol):
    def run(self, lines: Iterable[str]) -> None: ...


S = TypeVar("S", bound=Settings)
C = TypeVar("C")


def run_child(settings_from: Callable[[str], S], host: Callable[[S, Events], Host]) -> int:
    """The exit code."""
    # Ctrl-C in a terminal goes to the service too, which then closes stdin: that is the one way to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    events = Events.on_stdout()
    try:
        settings = settings_from(sys.stdin.readline())
    except MessageError as error:
        events.log("ERROR", [str(error)])
        return 2
    host(settings, events).run(Lifeline(sys.stdin, settings.silence_s))
    return 0


def commands(lines: Iterable[str], command_from: Callable[[str], C], events: Events) -> Iterator[C]:
    """Does what the lines ask for, until the command to quit, or until the service is gone."""
    for line in lines:
        if not line.strip():
            continue
        try:
            command = command_from(line)
        except MessageError as error:
            events.log("ERROR", [str(error)])
            continue
        match command:
            case Alive():
                continue
            case Quit():
                return
        yield command
