"""Every command of the project's notes has a test that runs it as it is written there; claims: `test_notes_claims.py`.

The notes are no part of this repository; their commands are, as constants of the tests that run them. This looks
whether those tests still do: a command has to be an argument of a call in its test, whole and unchanged.
"""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from e2e import compose, test_compose, test_kafka_shell, test_seed_commands, test_seed_curl

ROOT = Path(__file__).parents[2]


class Line(NamedTuple):
    """What is typed, and the test that types it."""

    command: str
    module: ModuleType
    test: str


# In the order of the notes, from the first start to the last call of the proxy.
LINES = (
    Line("docker-compose up --build", compose, "_up"),
    Line("docker-compose ps", test_compose, "test_the_notes_lines_in_the_broker"),
    Line("pip3 install kafka-shell", test_kafka_shell, "pip_installed"),
    Line(test_compose.CREATE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.LIST, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.DESCRIBE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.PRODUCE, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_compose.CONSUME, test_compose, "test_the_notes_lines_in_the_broker"),
    Line(test_seed_commands.CREATE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.LIST, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.DESCRIBE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.PRODUCE, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_commands.CONSUME, test_seed_commands, "test_the_whole_walk"),
    Line(test_seed_curl.LIST, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.ONE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.PARTITIONS, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.PRODUCE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.CREATE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.SUBSCRIBE, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.CONSUME, test_seed_curl, "test_the_whole_walk"),
    Line(test_seed_curl.DELETE, test_seed_curl, "test_the_whole_walk"),
)
# What of a line no test of ours does, and why.
NOT_DONE = {
    "docker-compose up --build": "images are built by an engine, which few machines of tests have: "
    "the services of the file are started as processes instead",
    "docker-compose exec broker": "there is no container to go into: the command runs in the service's namespaces, "
    "with its variables alone",
}


def arguments(module: ModuleType, function: str) -> set[str]:
    """The texts that are arguments of its calls, whole: written there, or by the names of constants."""
    source = inspect.getsource(getattr(module, function))
    found: set[str] = set()
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        for node in call.args:
            found |= {part for each in _words(node) if isinstance(part := _text(module, each), str)}
    return found


def _words(node: ast.expr) -> list[ast.expr]:
    """Itself, or the words of a list, and what stands by itself within a text that is filled in."""
    inside = node.elts if isinstance(node, ast.List) else [node]
    filled = [part.value for each in inside if isinstance(each, ast.JoinedStr) for part in each.values
              if isinstance(part, ast.FormattedValue)]  # fmt: skip
    return [*inside, *filled]


def _text(module: ModuleType, node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    return node.value if isinstance(node, ast.Constant) else None


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.module.__name__}: {line.command[:40]}")
def test_a_line_is_run_as_it_is_written(line: Line) -> None:
    assert line.command in arguments(line.module, line.test)


def test_a_line_that_is_changed_before_it_is_run_does_not_count() -> None:
    assert test_seed_commands.PRODUCE not in arguments(test_seed_commands, "test_a_producer_makes_the_topic")
    assert test_seed_commands.LIST not in arguments(test_seed_commands, "test_a_producer_makes_the_topic")


def test_no_constant_of_these_tests_is_left_out() -> None:
    listed = {line.command for line in LINES}
    for module in (test_compose, test_seed_commands, test_seed_curl):
        constants = {name: value for name, value in vars(module).items() if name.isupper() and name[0] != "_"}
        assert {name for name, value in constants.items() if isinstance(value, str) and value not in listed} == set()


def test_what_cannot_be_done_here_belongs_to_a_line() -> None:
    for beginning in NOT_DONE:
        assert any(line.command.startswith(beginning) for line in LINES)


def test_the_shell_is_the_one_that_pip_would_install() -> None:
    version = importlib.metadata.version("kafka-shell")
    assert f"kafka-shell=={version}" in (ROOT / "requirements" / "dev.lock").read_text().splitlines()
