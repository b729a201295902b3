"""The one table of tools: complete, without clashes, and every tool behind it starts."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from riacho.cli.kafka.flags.options import Tool, options_of
from riacho.cli.kafka.flags.tools import TOOLS, module_of
from riacho.cli.kafka.launch import run_tool
from riacho.cli.kafka.retired import RETIRED
from riacho.cli.kafka.text.help import help_text

NAMES = sorted(TOOLS)
PROJECT = Path(__file__).parents[4] / "pyproject.toml"
COMMANDS = [(tool, command.name) for tool in TOOLS.values() for command in tool.commands]


def test_each_tool_has_its_scripts() -> None:
    scripts = tomllib.loads(PROJECT.read_text())["project"]["scripts"]
    # Connect's two take files and no flags, and those of KSQL are none of Kafka's: they have no row in the table.
    others = ("riacho", "connect-", "ksql", *RETIRED)
    named = {name.removesuffix(".sh"): target for name, target in scripts.items() if not name.startswith(others)}
    assert named == {name: f"{module_of(name)}:main" for name in TOOLS}
    assert all(f"{name}.sh" in scripts for name in TOOLS)


@pytest.mark.parametrize("name", NAMES)
def test_each_tool_has_a_module_with_main_and_run(name: str) -> None:
    module = import_module(module_of(name))
    assert callable(module.main)
    assert callable(module.run)


def words_of(tool: Tool, command: str | None) -> list[str]:
    return [
        word
        for option in options_of(tool, command)
        for word in (option.name, *option.old, *([option.short] if option.short else []))
    ]


@pytest.mark.parametrize(("tool", "command"), [*((tool, None) for tool in TOOLS.values()), *COMMANDS])
def test_no_word_means_two_things(tool: Tool, command: str | None) -> None:
    words = words_of(tool, command)
    assert len(words) == len(set(words)), sorted(w for w in words if words.count(w) > 1)


@pytest.mark.parametrize("name", NAMES)
def test_each_option_is_explained_and_each_default_fits(name: str) -> None:
    tool = TOOLS[name]
    for option in [*tool.options, *(o for c in tool.commands for o in c.options)]:
        assert option.help or option.gone, option.name
        assert option.help == "" or option.help.endswith("."), option.name
        if option.default is not None:
            assert option.value, option.name
            assert option.kind(str(option.default)) == option.default, option.name


@pytest.mark.parametrize("name", NAMES)
def test_help_and_version(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = import_module(module_of(name)).run
    assert run_tool(name, run, ["--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{TOOLS[name].help}\nUsage: {name}")
    assert "--zookeeper" not in told
    assert all(len(line) <= 120 for line in told.splitlines())
    assert run_tool(name, run, ["--version"]) == 0
    # Scripts look for a release of Kafka in the first word.
    assert re.fullmatch(r"4\.3\.\d+ \(Riacho \d+\.\d+\.\d+\)\n", capsys.readouterr().out)


@pytest.mark.parametrize("name", NAMES)
def test_no_words_at_all_is_a_usage_error(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool(name, import_module(module_of(name)).run, []) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert f"Usage: {name}" in told.err


def test_usage_errors_come_before_the_help_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("kafka-topics", import_module(module_of("kafka-topics")).run, ["--list", "--frob"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0] == "frob is not a recognized option"
    assert "--partitions <count>" in told.err


def test_help_of_a_command_shows_its_options() -> None:
    assert "--cluster-id, -t <id>" in help_text(TOOLS["kafka-storage"], "format")
    assert "random-uuid" in help_text(TOOLS["kafka-storage"])
