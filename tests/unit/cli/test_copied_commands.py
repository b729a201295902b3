"""Command lines that the control center's pages copy: each is one that `riacho` takes. What writes them is tested where
it is, against the same file (`web-ui/tests/command_lines.test.ts`)."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from riacho.cli.main import cli
from riacho.cli.position import parse_position

LINES = (Path(__file__).parents[3] / "web-ui/tests/command_lines.txt").read_text(encoding="utf-8").splitlines()
# Asked of whoever pastes it.
FILES = ("order.avsc",)


@pytest.mark.parametrize("line", LINES)
def test_a_copied_command_is_taken(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    assert program == "riacho"
    place = _parsed(cli, words).get("from_")
    if place is not None:
        parse_position(str(place), 0)


@pytest.mark.parametrize("line", ["pipeline list --registry http://here:8081", "pipelines", "pipeline list more"])
def test_one_that_is_wrong_is_found(line: str) -> None:
    with pytest.raises(click.UsageError):
        _parsed(cli, shlex.split(line))


def _parsed(command: click.Command, words: list[str]) -> dict[str, object]:
    """What its function would be called with. UsageError."""
    context = command.make_context(str(command.name), words)
    if isinstance(command, click.Group):
        _, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None
        return _parsed(found, rest)
    return context.params
