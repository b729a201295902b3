"""The shell's own commands, by the names that kafka-shell gave them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from riacho.cli.shell.shell import Shell


class Builtin(NamedTuple):
    """`run` is None where the line as a whole decides."""

    usage: str
    about: str
    run: Callable[[Shell, Sequence[str]], int] | None


def _exit(shell: Shell, words: Sequence[str]) -> int:
    shell.is_ended = True
    return 0


def _clear(shell: Shell, words: Sequence[str]) -> int:
    click.clear()
    return 0


def _version(shell: Shell, words: Sequence[str]) -> int:
    from riacho.cli.build import version_line

    click.echo(version_line())
    return 0


def _save(shell: Shell, words: Sequence[str]) -> int:
    shell.save()
    click.echo(f"Saved the settings in {shell.settings.path}.")
    return 0


def _select(shell: Shell, words: Sequence[str]) -> int:
    if len(words) != 1:
        raise click.UsageError(f"Say which cluster: {', '.join(shell.clusters.names)}.")
    shell.select(words[0])
    click.echo(f"Selected cluster: {words[0]}")
    return 0


def _describe(shell: Shell, words: Sequence[str]) -> int:
    from riacho.cli.output import show_facts
    from riacho.cli.profiles import shown
    from riacho.client.http_target import without_user

    cluster = shell.clusters.get(words[0]) if words else shell.clusters.chosen
    addresses = cluster.addresses
    urls = {
        "schema registry": addresses.schema_registry_url,
        "connect": addresses.connect_url,
        "ksql server": addresses.ksql_url,
    }
    show_facts(
        {
            "cluster": addresses.name,
            "bootstrap servers": addresses.bootstrap,
            **{name: without_user(url) if url else None for name, url in urls.items()},
            "production": addresses.is_production,
            **shown(addresses.properties),
        }
    )
    return 0


def _help(shell: Shell, words: Sequence[str]) -> int:
    if words and words[0] not in BUILTINS:
        return shell.run_text(f"{shlex.join(words)} --help")
    shown = {words[0]: BUILTINS[words[0]]} if words else BUILTINS
    width = max(len(each.usage) for each in shown.values())
    for each in shown.values():
        click.echo(f"{each.usage.ljust(width)}  {each.about}")
    if not words:
        click.echo(_MORE)
    return 0


_MORE = """
Every command of riacho, without that word:  topic list   consume orders --follow   status
Every tool of Kafka's, with and without .sh:  kafka-topics --list   kafka-consumer-groups --list
SQL that ends with a semicolon:               SHOW STREAMS;
Into programs and files:                      topic list | grep ord | sort   topic list > topics.txt
A program of the system:                      !date

Ctrl-C ends the command that runs, Ctrl-D the shell. F2 next cluster, F3 fuzzy search, F9 help, F10 exit.
'help COMMAND' shows what one takes."""


BUILTINS = {
    "exit": Builtin("exit", "End the shell; so do Ctrl-D and F10.", _exit),
    "clear": Builtin("clear", "Clear the screen.", _clear),
    "version": Builtin("version", "Show the release.", _version),
    "save": Builtin("save", "Write the settings and the chosen cluster to the settings file.", _save),
    "cluster-select": Builtin("cluster-select NAME", "Choose the cluster for what follows.", _select),
    "cluster-describe": Builtin("cluster-describe [NAME]", "Show where a cluster is.", _describe),
    "sql": Builtin("sql [STATEMENT;]", "Go on in SQL, until exit; or run a statement.", None),
    "watch": Builtin("watch [-n SECONDS] COMMAND", "Repeat a command on the screen, until q or Ctrl-C.", None),
    "help": Builtin("help [COMMAND]", "Show this, or what a command takes.", _help),
}
