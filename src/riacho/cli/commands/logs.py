"""`riacho logs`: what brokers, services and the supervisor wrote, the end of it or as it comes, and of it what is asked
for."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from riacho.cli.argument_names import words_of
from riacho.cli.data_dir import DataDir, data_dir_option, default_data_dir
from riacho.cli.failures import PlainCommand, did_you_mean
from riacho.cli.logs.entry import LEVELS
from riacho.cli.logs.printing import Show, shower
from riacho.cli.logs.reading import LogReader, all_since, last, new
from riacho.cli.logs.sources import ACCESS, AGENT, AUDIT, ERROR, REFERRER, Source, chosen, sources
from riacho.cli.logs.wanted import Wanted, containing, matching, moment
from riacho.cli.supervisor.running import all_running, the_running

_POLL_S = 0.2
_BROKER = "broker-"
_LINES = 20
# Who asks and who came: shown to those who ask for it, or for somebody.
_OF_CLIENTS = (ACCESS, AGENT, REFERRER, AUDIT)
_LEVELS = {level: level for level in LEVELS} | {"WARN": "WARNING", "FATAL": "CRITICAL"}
# As an option without a value.
_ANY_AGENT = ""
F = TypeVar("F", bound=Callable[..., Any])


def _kind_options(function: F) -> F:
    about = {
        REFERRER: "Referrer logs: from where, as whom and under which client id.",
        AUDIT: "Audit logs: who was denied what, and who changed what.",
        ERROR: "Error logs: what was done, and what went wrong.",
        ACCESS: "Access logs: who asked what.",
    }
    for kind, text in about.items():
        function = click.option(f"--{kind}", "kinds", flag_value=kind, multiple=True, help=text)(function)
    return function


def _name_options(function: F) -> F:
    function = click.option("--api", multiple=True, metavar="NAME", help="Requests of this API.")(function)
    function = click.option("--principal", multiple=True, metavar="NAME", help="Of this principal.")(function)
    function = click.option("--client-id", multiple=True, metavar="ID", help="Of this client id.")(function)
    function = click.option("--host", multiple=True, metavar="ADDRESS", help="From this address.")(function)
    function = click.option("--listener", multiple=True, metavar="NAME", help="By this listener.")(function)
    about = "Agent logs: by which software. With a NAME, of whoever asks by that software."
    agent = click.option("--agent", multiple=True, is_flag=False, flag_value=_ANY_AGENT, metavar="[NAME]", help=about)
    return agent(function)


def _time_options(function: F) -> F:
    about = "Until then."
    function = click.option("--until", metavar="TIME", help=about)(function)
    about = "All since then: 5m, 10:30 or 2026-01-31T10:30."
    return click.option("--since", metavar="TIME", help=about)(function)


@click.command("logs", cls=PlainCommand)
@click.argument("parts", nargs=-1, metavar="[PART]...", shell_complete=words_of(lambda ctx: sorted(_known(ctx))))
@click.option(
    "-n",
    "--lines",
    type=click.IntRange(min=0),
    metavar="N",
    help="The last N of each. Default 20, or all with --since.",
)
@click.option("-f", "--follow", is_flag=True, help="Go on as more is written, until Ctrl-C.")
@click.option("--list", "is_list", is_flag=True, help="Which logs there are, and where.")
@_kind_options
@_name_options
@click.option(
    "--broker",
    type=int,
    multiple=True,
    metavar="N",
    shell_complete=words_of(lambda ctx: _owner_names(ctx, is_broker=True)),
    help="Of this broker. May be repeated, as all others.",
)
@click.option(
    "--service",
    multiple=True,
    metavar="NAME",
    shell_complete=words_of(lambda ctx: _owner_names(ctx, is_broker=False)),
    help="Of this service.",
)
@click.option("--level", type=click.Choice(list(_LEVELS), case_sensitive=False), help="Of this level or above.")
@_time_options
@click.option("--grep", multiple=True, metavar="TEXT", help="With this text in it.")
@click.option("-E", "--regexp", is_flag=True, help="--grep takes regular expressions (RE2).")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="json: an object a line.")
@data_dir_option
def command(
    parts: tuple[str, ...],
    lines: int | None,
    follow: bool,
    is_list: bool,
    kinds: tuple[str, ...],
    broker: tuple[int, ...],
    service: tuple[str, ...],
    since: str | None,
    output: str,
    data_dir: Path | None,
    **asked: Any,
) -> None:
    """Show the end of the logs of brokers, services and the supervisor.

    \b
    riacho logs                          of all, but for what clients do
    riacho logs broker-1 -n 100          of one
    riacho logs connect --follow         as it comes, until Ctrl-C
    riacho logs --access --broker 1      what broker 1 is asked
    riacho logs --agent --referrer       who comes, and by which software
    riacho logs --client-id 'app-*' -f   what these do
    riacho logs --level warn --since 2h  what went wrong lately
    riacho logs --list                   what there is, and where

    Lines of several logs come in the order of their times. Names are compared as a whole; * stands for anything.
    """
    directory = _directory(data_dir)
    known = sources(directory)
    if is_list:
        for name, source in known.items():
            click.echo(f"{name}\t{source.path}")
        return
    for part in parts:
        if part not in known:
            raise click.UsageError(f"There is no log of '{part}'{did_you_mean(part, known)}")
    for name in asked["agent"]:
        if name in known:
            raise click.UsageError(f"--agent took '{name}' for the name of a software; write logs before options.")
    owners = _owners(known, broker, service)
    kinds += (AGENT,) if _ANY_AGENT in asked["agent"] else ()
    wanted = _wanted(kinds, since, **asked)
    kinds = kinds or (() if parts else _OF_CLIENTS if wanted.names else (ERROR,))

    def sought() -> list[Source]:
        return chosen(sources(directory).values(), parts, owners, kinds)

    found = sought()
    if not found and not follow:
        raise click.ClickException("There are no logs yet. Start Riacho with `riacho up`." if not known else _NONE)
    readers = [LogReader(source, wanted) for source in found]
    show = shower(output, is_one=len(found) == 1)
    count = _LINES if lines is None and since is None else lines
    show(all_since(readers) if count is None else last(readers, count))
    if follow:
        with contextlib.suppress(KeyboardInterrupt):
            _follow(readers, wanted, sought, show)


_NONE = "There is no log of that kind there; `riacho logs --list` shows which there are."


def _follow(readers: list[LogReader], wanted: Wanted, sought: Callable[[], list[Source]], show: Show) -> None:
    """Those of brokers and services that come later, too."""
    while True:
        time.sleep(_POLL_S)
        known = {reader.source for reader in readers}
        readers += [LogReader(source, wanted) for source in sought() if source not in known]
        show(new(readers))


def _wanted(
    kinds: Collection[str],
    since: str | None,
    until: str | None,
    level: str | None,
    grep: tuple[str, ...],
    regexp: bool,
    client_id: tuple[str, ...],
    principal: tuple[str, ...],
    agent: tuple[str, ...],
    api: tuple[str, ...],
    host: tuple[str, ...],
    listener: tuple[str, ...],
) -> Wanted:
    by_field = {
        "client_id": client_id,
        "principal": principal,
        "host": host,
        "listener": listener,
        "agent": agent,
        "api": api,
    }
    named = {field: tuple(name for name in names if name != _ANY_AGENT) for field, names in by_field.items()}
    return Wanted(
        kinds=kinds,
        level=_LEVELS[level.upper()] if level else "",
        since=moment(since, "--since") if since else "",
        until=moment(until, "--until") if until else "",
        texts=tuple(map(matching if regexp else containing, grep)),
        names={field: names for field, names in named.items() if names},
    )


def _owners(known: Mapping[str, Source], brokers: Iterable[int], services: Iterable[str]) -> list[str]:
    """UsageError where there is none of that name."""
    there = {source.owner for source in known.values()}
    owners = [*(f"{_BROKER}{number}" for number in brokers), *services]
    for owner in owners:
        if owner not in there:
            raise click.UsageError(f"There is no log of '{owner}'{did_you_mean(owner, there)}")
    return owners


def _known(ctx: click.Context) -> Mapping[str, Source]:
    return sources(_directory(ctx.params.get("data_dir")))


def _owner_names(ctx: click.Context, *, is_broker: bool) -> Iterable[str]:
    owners = sorted({source.owner for source in _known(ctx).values()})
    return [each.removeprefix(_BROKER) for each in owners if each.startswith(_BROKER) is is_broker]


def _directory(data_dir: Path | None) -> DataDir:
    """What runs, or what ran last: the logs of a Riacho that is down are the ones most looked for."""
    if data_dir is not None:
        return DataDir(data_dir.absolute())
    return DataDir(Path(the_running(None).data_dir)) if all_running() else DataDir(default_data_dir())
