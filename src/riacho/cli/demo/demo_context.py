"""What the demo's steps share: the broker, what was sent, and how a step says that something is not as it should be."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import click

from riacho.cli.group_member import GroupMember
from riacho.cli.output import Row, plain_table, styled
from riacho.cli.record_text import TextRecord
from riacho.cli.supervisor.broker_process import BrokerProcess

TOPIC = "orders"
PARTITIONS = 3
GROUP = "billing"
WAIT_S = 10.0
_POLL_S = 0.02


class DemoError(Exception):
    """A step looked, and it was not as promised."""


@dataclass(slots=True)
class DemoContext:
    broker: BrokerProcess
    # As the broker took them: with their partition and offset.
    sent: list[TextRecord] = field(default_factory=list)
    members: list[GroupMember] = field(default_factory=list)

    @property
    def bootstrap(self) -> str:
        return self.broker.bootstrap


Step = Callable[[DemoContext], None]


def say(text: str) -> None:
    click.echo(f"   {text}")


def say_rows(rows: list[Row], columns: list[str] | tuple[str, ...]) -> None:
    head, *body = plain_table(rows, columns).splitlines()
    for line in (styled(head, "dim"), *body):
        say(line)


def expect(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise DemoError(otherwise)


def wait_for(is_so: Callable[[], bool], otherwise: str, timeout_s: float = WAIT_S, every_s: float = _POLL_S) -> None:
    """Looks again and again until the time is up. The condition itself may take its time."""
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise DemoError(f"{otherwise} (waited {timeout_s:g} s)")
        time.sleep(every_s)
