"""Every command and subcommand of `riacho`: its help, and what becomes of it when it is called wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from riacho.cli.main import cli, main

COLUMNS = 80
USAGE_ERROR = 2


def _walk(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _walk(found, (*path, name))


TREE = dict(_walk(cli))
GROUPS = [path for path, command in TREE.items() if isinstance(command, click.Group)]


def _name(path: tuple[str, ...]) -> str:
    return " ".join(("riacho", *path))


def _call(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """(exit code, output, errors) of `riacho WORDS`, as a shell would see it."""
    monkeypatch.setattr("sys.argv", ["riacho", *words])
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


@pytest.mark.parametrize("path", TREE, ids=_name)
def test_help_is_short_of_the_margin_and_has_an_example(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _call([*path, "--help"], monkeypatch, capsys)
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if len(line) > COLUMNS] == []
    # What stands between a program's words and its help: escapes that click did not understand.
    assert re.findall(r"\\[bfrt]", out) == []
    assert re.search(rf"^ +(\w.*\| )?{re.escape(_name(path))}\b", out, re.MULTILINE), "there is no example"


@pytest.mark.parametrize("path", TREE, ids=_name)
def test_an_unknown_option_is_told_in_a_sentence_with_exit_code_2(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _call([*path, "--no-such-option"], monkeypatch, capsys)
    assert (code, out) == (USAGE_ERROR, "")
    assert re.fullmatch(rf"Error: .*--no-such-option.*\. See `{re.escape(_name(path))} --help`\.\n", err), err


@pytest.mark.parametrize("path", GROUPS, ids=_name)
def test_a_group_alone_shows_its_help(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, shown = _call([*path], monkeypatch, capsys)
    _, wanted, _ = _call([*path, "--help"], monkeypatch, capsys)
    assert shown == wanted
    assert shown.startswith(f"Usage: {_name(path)} ")


@pytest.mark.parametrize("path", GROUPS, ids=_name)
def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    group = TREE[path]
    assert isinstance(group, click.Group)
    for meant in group.list_commands(click.Context(group)):
        typed = meant[:1] + meant[2:3] + meant[1:2] + meant[3:]
        if typed in group.list_commands(click.Context(group)) or typed == meant:
            continue
        code, out, err = _call([*path, typed], monkeypatch, capsys)
        assert (code, out) == (USAGE_ERROR, "")
        assert err == f"Error: There is no command '{typed}'; did you mean '{meant}'? See `{_name(path)} --help`.\n"


@pytest.mark.parametrize("path", GROUPS, ids=_name)
def test_a_command_like_no_other_gets_no_guess(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _call([*path, "xyzzy"], monkeypatch, capsys)
    assert (code, out) == (USAGE_ERROR, "")
    assert err == f"Error: There is no command 'xyzzy'. See `{_name(path)} --help`.\n"


@pytest.mark.parametrize(
    "words",
    [
        ["topic", "describe"],
        ["topic", "create", "orders", "-p", "many"],
        ["topic", "create", "orders", "-p", "2147483648"],
        ["topic", "create", "orders", "-r", "32768"],
        ["topic", "add-partitions", "orders", "--to", "2147483648"],
        ["user", "create", "ana", "--password", "x", "--iterations", "16385"],
        ["topic", "alter", "orders"],
        ["topic", "alter", "orders", "--set", "retention.ms"],
        ["produce"],
        ["produce", "orders", "--tombstone"],
        ["consume", "orders", "--from", "noon"],
        ["consume", "orders", "--grep", "("],
        ["consume", "orders", "-f", "%z"],
        ["group", "reset", "billing"],
        ["plan", "partitions", "--rate", "fast"],
        ["up", "--only", "nothing"],
        ["up", "--ephemeral", "--data-dir", "x"],
        ["restart", "--rolling", "--broker", "1"],
        ["broker", "--override", "x"],
        ["pipeline", "list", "--connect", "ftp://nowhere"],
    ],
    ids=" ".join,
)
def test_what_is_called_wrongly_ends_with_exit_code_2(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _call(words, monkeypatch, capsys)
    assert (code, out) == (USAGE_ERROR, ""), err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("answer", ["n\n", "\n"])
def test_no_to_a_question_is_no_interruption(
    answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("riacho.cli.output.is_terminal", lambda stream: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: answer.strip())
    code, _, err = _call(["topic", "delete", "orders"], monkeypatch, capsys)
    assert code == 1
    assert err.endswith("Error: Nothing was done.\n")
