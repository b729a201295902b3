"""The line of help below the prompt."""

from __future__ import annotations

import pytest

from riacho.cli.kafka.flags.options import options_of
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.main import COMMANDS
from riacho.cli.shell.completion import sql_words
from riacho.cli.shell.completion.inline_help import help_for


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", ""),
        ("topi", ""),
        ("topic", "topic: List, create, describe, change and delete topics."),
        ("riacho topic create", "topic create: Create topics."),
        ("topic create new -p", "-p, --partitions: How many partitions. Default: the cluster's."),
        ("topic create new -p ", "-p, --partitions: How many partitions. Default: the cluster's."),
        ("topic create new -p 3 ", "topic create: Create topics."),
        ("topic none-such ", ""),
        ("kafka-topics", "kafka-topics: Creates, lists, describes, changes and deletes topics."),
        ("kafka-topics.sh --partitions ", "--partitions <count>: How many partitions the topic is to have."),
        ("kafka-topics --partitions=", "--partitions <count>: How many partitions the topic is to have."),
        ("kafka-metadata-quorum describe ", "kafka-metadata-quorum describe: Show the state of the quorum."),
        ("watch -n 2 topic list", "topic list: List topics."),
        ("cluster-select x", "cluster-select NAME: Choose the cluster for what follows."),
        ("topic list | grep ", ""),
        ("topic list > ", ""),
        ("no such thing", ""),
        ("x" * 20_000, ""),
    ],
)
def test_the_flag_or_else_the_command_is_told(line: str, told: str) -> None:
    assert help_for(line) == told


def test_every_flag_and_command_has_its_line() -> None:
    for tool in TOOLS.values():
        for option in options_of(tool):
            told = help_for(f"{tool.name} --{option.name}")
            assert "\n" not in told
            assert option.gone or (told.startswith(f"--{option.name}") and " ".join(option.help.split()) in told)
    assert all(help_for(name).startswith(f"{name}: ") for name in COMMANDS)


def test_a_functions_arguments_are_told_once_functions_are_known() -> None:
    sql_words._function_texts()
    assert help_for("SELECT UCASE(LEN(a), ") == "UCASE(VARCHAR input): Capital letters."
    assert help_for("sql select count(").startswith("COUNT(")
    assert help_for("SELECT a FROM t WHERE ") == ""
