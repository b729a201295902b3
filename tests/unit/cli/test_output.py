"""Tables, JSON and tab-separated lines off a terminal; errors as one sentence."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest
from click.testing import CliRunner

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.failures import PlainCommand
from riacho.cli.main import COMMANDS, cli
from riacho.cli.output import plain_table, show_facts, show_rows, styled
from riacho.client.cluster import Unreachable

ROWS = [{"name": "a", "count": 5, "isr": [1, 2], "on": True}, {"name": "long", "count": None, "isr": [], "on": False}]
COLUMNS = ["name", "count", "isr", "on"]


def test_a_plain_table_is_aligned_with_numbers_to_the_right() -> None:
    assert plain_table(ROWS, COLUMNS) == "NAME  COUNT  ISR  ON\na         5  1,2  yes\nlong      -       no"


def test_names_of_others_do_nothing_to_a_terminal_or_to_the_order_of_what_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = "a\x1b[2J\u202egnp.exe\u200b\r\nb"
    shown = "a\\x1b[2J\\u202egnp.exe\\u200b\\r\\nb"
    assert plain_table([{"name": hostile}], ["name"]) == f"NAME\n{shown}"
    show_facts({"client": hostile, "trace": "line 1\n\tline 2", "name": "ação 日本"})
    told = capsys.readouterr().out
    assert told.splitlines() == [
        f"client  {shown[:-3]}", "b", "trace   line 1", "\tline 2", "name    ação 日本"
    ]  # fmt: skip
    # A program gets what it is.
    show_rows([{"name": hostile}], ["name"], "json")
    assert json.loads(capsys.readouterr().out) == [{"name": hostile}]


def test_json_keeps_the_types(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows(ROWS, ["name"], "json")
    assert json.loads(capsys.readouterr().out) == ROWS


def test_raw_is_tab_separated_without_a_header(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows(ROWS, COLUMNS, "raw")
    assert capsys.readouterr().out == "a\t5\t1,2\tyes\nlong\t-\t\tno\n"


def test_no_rows_is_a_remark_beside_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows([], COLUMNS, "table", empty="nothing here")
    assert capsys.readouterr() == ("", "nothing here\n")
    show_rows([], COLUMNS, "json", empty="nothing here")
    assert capsys.readouterr() == ("[]\n", "")


class _Terminal:
    def isatty(self) -> bool:
        return True


def test_colours_only_on_a_terminal_and_not_with_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert styled("x", "bold") == "x"
    monkeypatch.setattr("sys.stdout", _Terminal())
    assert styled("x", "bold") == "\x1b[1mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled("x", "bold") == "x"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KafkaError(ErrorCode.INVALID_CONFIG, "retention.ms is wrong"), "Error: retention.ms is wrong.\n"),
        (KafkaError(ErrorCode.INVALID_CONFIG), "Error: The broker answered INVALID_CONFIG.\n"),
        (OSError(2, "No such file or directory", "x.txt"), "Error: No such file or directory: x.txt.\n"),
    ],
)
def test_errors_are_one_sentence(error: Exception, told: str) -> None:
    result = CliRunner().invoke(_failing(error))
    assert (result.exit_code, result.stderr) == (1, told)


def test_an_unreachable_cluster_says_what_to_do() -> None:
    result = CliRunner().invoke(_failing(Unreachable(["h:1: connection refused"])))
    assert "riacho up" in result.stderr
    assert "-b HOST:PORT" in result.stderr


def test_a_mistake_in_the_program_is_not_hidden() -> None:
    result = CliRunner().invoke(_failing(ZeroDivisionError()))
    assert isinstance(result.exception, ZeroDivisionError)


def _failing(error: Exception) -> click.Command:
    def body() -> None:
        raise error

    return PlainCommand("fail", callback=body)


def _all_commands() -> list[list[str]]:
    found: list[list[str]] = []

    def walk(command: Any, words: list[str]) -> None:
        found.append(words)
        if isinstance(command, click.Group):
            for name, child in command.commands.items():
                walk(child, [*words, name])

    context = click.Context(cli)
    for name in COMMANDS:
        if name != "broker":
            assert isinstance(cli, click.Group)
            walk(cli.get_command(context, name), [name])
    return found


@pytest.mark.parametrize("words", _all_commands(), ids=" ".join)
def test_every_help_teaches_by_example(words: list[str]) -> None:
    result = CliRunner().invoke(cli, [*words, "--help"])
    assert result.exit_code == 0
    assert (
        f"\n  riacho {' '.join(words)} " in result.output
        or f"| riacho {' '.join(words)}" in result.output
        or (f"\n  riacho {' '.join(words)}\n" in result.output)
    )
