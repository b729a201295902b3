"""Entries on a terminal or for a program.

What others wrote is shown and never obeyed: escape sequences, characters that turn the direction of text and their like
come out as they would be written in a program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime

import click

from riacho.cli.logs.entry import Entry
from riacho.cli.output import styled

_COLOURS = {"DEBUG": "dim", "WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}
Show = Callable[[Iterable[Entry]], None]


def shower(output: str, *, is_one: bool) -> Show:
    """`is_one`: there is one log alone, so that nobody need be told which."""
    one = _json if output == "json" else _plain if is_one else _named

    def show(found: Iterable[Entry]) -> None:
        for entry in found:
            one(entry)

    return show


def _plain(entry: Entry) -> None:
    for line in _styled_lines(entry):
        click.echo(line)


def _named(entry: Entry) -> None:
    name = styled(f"{entry.source.name}:", "dim")
    for line in _styled_lines(entry):
        click.echo(f"{name} {line}")


def _json(entry: Entry) -> None:
    told: dict[str, object] = {
        "time": _with_zone(entry.time),
        "level": entry.level or None,
        "log": entry.source.name,
        "kind": entry.kind,
        "text": "\n".join([entry.text, *entry.lines[1:]]),
        "fields": {} if entry.is_more else entry.fields,
    }
    click.echo(json.dumps(told))


def _styled_lines(entry: Entry) -> Iterable[str]:
    colour = _COLOURS.get(entry.level)
    for line in entry.lines:
        shown = printable(line)
        yield shown if colour is None else styled(shown, colour)


def printable(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line)


def _with_zone(time: str) -> str | None:
    return datetime.fromisoformat(time.replace(",", ".")).astimezone().isoformat() if time else None
