"""Asks whether a command that destroys is meant, where there is somebody to ask."""

from __future__ import annotations

from collections.abc import Callable

import click

from riacho.cli.shell.danger.danger import Danger
from riacho.cli.shell.given_cluster import find_subcommand
from riacho.cli.shell.programs import RIACHO, Program

Ask = Callable[[str], str]


def is_meant(danger: Danger, cluster: str, ask: Ask) -> bool:
    """`ask` shows a question and gives what was typed; EOFError and KeyboardInterrupt are a no."""
    if danger.name is None:
        question = f"{danger.about} on {cluster}? [y/N] "
    else:
        question = f"{danger.about} on {cluster}? This cannot be undone. Type {danger.name} to go ahead: "
    try:
        typed = ask(question).strip()
    except (EOFError, KeyboardInterrupt):
        typed = ""
    agreed = typed.lower() in ("y", "yes") if danger.name is None else typed == danger.name.strip()
    if not agreed:
        click.echo("Nothing was done.", err=True)
    return agreed


def agreed_to(program: Program, danger: Danger) -> Program:
    """With the flag that says so, for a command that would ask again."""
    if danger.flag is None or danger.flag in program.words:
        return program
    # In front of all that the command's own flags may still be waiting for.
    found = find_subcommand(program.words) if program.name == RIACHO else None
    at = found.depth if found is not None else 0
    return Program(program.name, (*program.words[:at], danger.flag, *program.words[at:]))
