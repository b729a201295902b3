"""Which program a line runs: a subcommand of `riacho`, a tool of Kafka's, KSQL's own programs; and where it runs.

Most run in this process. Services, and what starts Spark, run in one of their own: they set a process up for
themselves, and start it anew.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import cast

import click

from riacho.cli.kafka.flags.tools import TOOLS, module_of
from riacho.cli.kafka.retired import RETIRED

RIACHO = "riacho"
# As [project.scripts] has them; the modules' `main` takes its words from sys.argv.
_MODULES = {
    RIACHO: "riacho.cli.main",
    "connect-distributed": "riacho.cli.kafka.connect_distributed",
    "connect-standalone": "riacho.cli.kafka.connect_standalone",
    "ksql": "riacho.cli.ksql.main",
    "ksql-datagen": "riacho.cli.datagen.main",
    "ksql-test-runner": "riacho.cli.ksql_test_runner",
    **{name: module_of(name) for name in TOOLS},
    **dict.fromkeys(RETIRED, "riacho.cli.kafka.retired"),
}
_WITH_SH = frozenset({*TOOLS, *RETIRED, "connect-distributed", "connect-standalone"})
_APART = frozenset({"connect-distributed", "connect-standalone", "ksql-test-runner"})
_SUBCOMMANDS_APART = frozenset(
    {
        "up", "broker", "schema-registry", "rest-proxy", "connect", "ksqldb-server", "control-center", "console",
        "demo", "shell",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """A script and the words behind it."""

    name: str
    words: tuple[str, ...]

    @property
    def is_apart(self) -> bool:
        """Whether it gets a process of its own."""
        return self.name in _APART or (self.name == RIACHO and self._first() in _SUBCOMMANDS_APART)

    def _first(self) -> str:
        return next((word for word in self.words if not word.startswith("-")), "")

    def main(self) -> None:
        """As the installed script: takes sys.argv, ends with SystemExit."""
        import_module(_MODULES[self.name]).main()

    def command_line(self) -> list[str]:
        """The same in a new process."""
        start = f"import sys; sys.argv[0] = {self.name!r}; from {_MODULES[self.name]} import main; main()"
        # -P: what lies in the directory where somebody works is no module of ours.
        return [sys.executable, "-P", "-c", start, *self.words]


def root_command() -> click.Group:
    return cast("click.Group", import_module(_MODULES[RIACHO]).cli)


def subcommands() -> list[str]:
    return root_command().list_commands(click.Context(root_command(), info_name=RIACHO))


def program_names() -> list[str]:
    """Everything that is of use as a line's first word, without the shell's own commands."""
    return sorted({*_MODULES, *subcommands()} - RETIRED.keys())


def find_program(words: list[str]) -> Program | None:
    first, *others = words
    name = first.removesuffix(".sh") if first.removesuffix(".sh") in _WITH_SH else first
    if name in _MODULES:
        return Program(name, tuple(others))
    if name in subcommands():
        return Program(RIACHO, tuple(words))
    return None
