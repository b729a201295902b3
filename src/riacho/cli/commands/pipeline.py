"""`riacho pipeline`: what runs on Spark, how it fares, and making, stopping or restarting it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from riacho.cli.argument_names import complete_connectors
from riacho.cli.connect_client import ConnectClient, connect_option, path_of
from riacho.cli.data_dir import DataDir, data_dir_option
from riacho.cli.failures import PlainGroup
from riacho.cli.output import (
    JSON,
    TABLE,
    confirm,
    is_terminal,
    output_option,
    plain_table,
    remark,
    show_facts,
    show_json,
    show_rows,
    yes_option,
)
from riacho.cli.pipeline_changes import pipeline_config
from riacho.cli.views.pipeline_view import COLUMNS, facts, remarks, row

F = TypeVar("F", bound=Callable[..., Any])
_LOG_LINES_MAX = 100_000

_EMPTY = "There are no pipelines. Make one with `riacho pipeline create NAME FILE`."


@click.group("pipeline", cls=PlainGroup)
def command() -> None:
    """Create, list, show, draw, stop and restart pipelines.

    \b
    riacho pipeline create orders orders.json
    riacho pipeline list --watch        a table that stays up to date
    riacho pipeline show orders         a picture of one, with its figures
    riacho pipeline wait orders         until it has caught up
    riacho pipeline pause orders        and `resume`, `stop`, `restart`, `delete`
    """


@command.command("list")
@click.option("-w", "--watch", is_flag=True, help="Until Ctrl-C, anew every few seconds.")
@click.option("--every", type=click.FloatRange(min=0.1), default=2.0, metavar="S", help="How often. Default 2.")
@output_option
@connect_option
def list_(watch: bool, every: float, output: str, url: str | None) -> None:
    """List pipelines with their rate, latency, lag and state size.

    \b
    riacho pipeline list
    riacho pipeline list --watch
    riacho pipeline list -o json | jq '.[].lag'
    """
    client = ConnectClient(url)
    if watch and output == TABLE and is_terminal(sys.stdout):
        _watch(client, every)
        return
    while True:
        found = client.pipelines()
        if output == JSON:
            show_json(found)
        else:
            show_rows([row(each) for each in found], COLUMNS, output, empty=_EMPTY)
            for line in _remarks(found) if output == TABLE else ():
                click.echo(line)
        if not watch:
            return
        time.sleep(every)


@command.command("show")
@click.argument("name", shell_complete=complete_connectors)
@output_option
@connect_option
def show(name: str, output: str, url: str | None) -> None:
    """Draw a pipeline, and say how it fares.

    \b
    riacho pipeline show orders
    """
    found = ConnectClient(url).pipeline(name)
    if output != TABLE:
        show_json(found)
        return
    click.echo(found["picture"] or found["explanation"])
    click.echo()
    show_facts(facts(found))
    if found["trace"]:
        click.echo()
        click.echo(found["trace"])


@command.command("wait")
@click.argument("name", shell_complete=complete_connectors)
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(min=0), metavar="S", help="Give up after so many seconds."
)
@connect_option
def wait(name: str, timeout_s: float | None, url: str | None) -> None:
    """Wait until a pipeline has caught up, and show how far it is: a mirror before clients move, an archive before a
    topic is deleted. It has when a micro-batch left nothing and none followed for three seconds. Exit code 1 when it
    does not run, or not in time.

    \b
    riacho pipeline wait mirror
    riacho pipeline wait archive --timeout 300
    """
    from riacho.cli.pipeline_wait import wait_until_read

    rows = wait_until_read(ConnectClient(url), name, timeout_s)
    click.echo(f"{name} has caught up; {rows} rows since it started.")


def _config_options(function: F) -> F:
    options = (
        click.argument("name", shell_complete=complete_connectors),
        click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)),
        click.option("-c", "--config", multiple=True, metavar="KEY=VALUE", help="A setting, before the file's."),
        connect_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


@command.command("create")
@_config_options
def create(name: str, file: Path | None, config: tuple[str, ...], url: str | None) -> None:
    """Create a pipeline from a config, or give one that is there a new config.

    FILE is JSON or properties, as Connect has them.

    \b
    riacho pipeline create orders orders.json
    riacho pipeline create lines -c connector.class=FileStreamSource \\
        -c file=/tmp/lines.txt -c topic=lines
    """
    from riacho.cli.pipeline_changes import create as create_pipeline

    is_new = create_pipeline(ConnectClient(url), name, pipeline_config(name, file, config))
    click.echo(f"{'Created' if is_new else 'Changed'} pipeline {name}.")
    remark(f"`riacho pipeline show {name}` tells how it fares.")


@command.command("validate")
@_config_options
@output_option
def validate(name: str, file: Path | None, config: tuple[str, ...], url: str | None, output: str) -> None:
    """Whether a config is right, setting by setting; nothing is created. Exit code 1 when it is not.

    \b
    riacho pipeline validate orders orders.json
    """
    from riacho.cli.pipeline_changes import wrong_settings

    rows = wrong_settings(ConnectClient(url), pipeline_config(name, file, config))
    show_rows(rows, ["setting", "value", "wrong"], output, empty=f"The config of {name} is right.")
    if rows:
        sys.exit(1)


@command.command("logs")
@click.argument("name", shell_complete=complete_connectors)
@click.option("-n", "--lines", type=click.IntRange(min=1), default=50, metavar="N", help="The last N. Default 50.")
@data_dir_option
@connect_option
def logs(name: str, lines: int, data_dir: Path | None, url: str | None) -> None:
    """Show what the worker of the running `riacho up` wrote about a pipeline, and why it failed if it did.

    \b
    riacho pipeline logs orders
    """
    from riacho.cli.log_tail import LogTail
    from riacho.cli.pipeline_changes import lines_of
    from riacho.cli.supervisor.running import the_running

    found = ConnectClient(url).pipeline(name)
    log = DataDir(Path(the_running(data_dir).data_dir)).service_log("connect")
    for line in lines_of(LogTail(log).last(_LOG_LINES_MAX), name)[-lines:]:
        click.echo(line)
    if found["trace"]:
        click.echo(found["trace"])


def _changer(word: str, method: str, path: str, about: str, done: str) -> None:
    @command.command(word, help=f"{about}\n\n\b\nriacho pipeline {word} orders")
    @click.argument("name", shell_complete=complete_connectors)
    @connect_option
    def change(name: str, url: str | None) -> None:
        ConnectClient(url).call(method, f"/connectors/{path_of(name)}{path}")
        remark(f"{name} {done}.")


_changer("pause", "PUT", "/pause", "Let a pipeline rest; it keeps its tasks and its place.", "is paused")
_changer("resume", "PUT", "/resume", "Let a paused or stopped pipeline go on where it was.", "goes on")
_changer("stop", "PUT", "/stop", "Stop a pipeline; its offsets can then be changed.", "is stopped")


@command.command("restart")
@click.argument("name", shell_complete=complete_connectors)
@click.option("--only-failed", is_flag=True, help="Of the connector and its tasks, only what has failed.")
@click.option("--no-tasks", is_flag=True, help="The connector alone; its tasks go on as they are.")
@click.option("--task", type=click.IntRange(min=0), metavar="N", help="One task alone.")
@connect_option
def restart(name: str, only_failed: bool, no_tasks: bool, task: int | None, url: str | None) -> None:
    """Restart a pipeline, all of it or what has failed.

    \b
    riacho pipeline restart orders
    riacho pipeline restart orders --only-failed
    riacho pipeline restart orders --task 0
    """
    from riacho.cli.pipeline_changes import restart as restart_pipeline

    if task is not None and (only_failed or no_tasks):
        raise click.UsageError("--task is for one task: it goes with neither --only-failed nor --no-tasks.")
    restart_pipeline(ConnectClient(url), name, only_failed=only_failed, has_tasks=not no_tasks, task=task)
    remark(f"{name} restarts." if task is None else f"Task {task} of {name} restarts.")


@command.command("offsets")
@click.argument("name", shell_complete=complete_connectors)
@click.option("--set", "moved", nargs=2, multiple=True, metavar="PART OFFSET", help="Move one, both as JSON.")
@click.option("--forget", multiple=True, metavar="PART", help="Forget one: it is read anew.")
@click.option("--reset", is_flag=True, help="Forget all of them.")
@output_option
@yes_option
@connect_option
def offsets(
    name: str,
    moved: tuple[tuple[str, str], ...],
    forget: tuple[str, ...],
    reset: bool,
    output: str,
    yes: bool,
    url: str | None,
) -> None:
    """Where a pipeline stands in each part of what it reads. `stop` it before they are changed.

    \b
    riacho pipeline offsets orders
    riacho pipeline offsets lines --set '{"filename": "a.txt"}' '{"position": 9}'
    riacho pipeline offsets lines --forget '{"filename": "a.txt"}'
    riacho pipeline offsets orders --reset
    """
    from riacho.cli.pipeline_changes import offset_pairs, offset_rows

    client = ConnectClient(url)
    path = f"/connectors/{path_of(name)}/offsets"
    pairs = offset_pairs(moved, forget)
    if reset and pairs:
        raise click.UsageError("--reset forgets all: it goes with neither --set nor --forget.")
    if reset:
        confirm(f"Forget where {name} stands?", yes)
        remark(client.call("DELETE", path)["message"])
    elif pairs:
        remark(client.call("PATCH", path, {"offsets": pairs})["message"])
    else:
        found = client.call("GET", path)["offsets"]
        if output == JSON:
            show_json(found)
        else:
            show_rows(offset_rows(found), ["part", "offset"], output, empty=f"{name} has no offsets.")


@command.command("delete")
@click.argument("name", shell_complete=complete_connectors)
@yes_option
@connect_option
def delete(name: str, yes: bool, url: str | None) -> None:
    """Stop a pipeline and forget its config.

    \b
    riacho pipeline delete orders
    """
    confirm(f"Delete the pipeline {name}?", yes)
    ConnectClient(url).call("DELETE", f"/connectors/{path_of(name)}")
    remark(f"{name} is deleted.")


def _remarks(found: list[dict[str, Any]]) -> list[str]:
    """Below the table, after an empty line."""
    lines = [line for each in found for line in remarks(each)]
    return ["", *lines] if lines else []


def _watch(client: ConnectClient, every_s: float) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(Text(""), refresh_per_second=4, screen=False) as live:
        try:
            while True:
                found = client.pipelines()
                rows = [row(each) for each in found]
                live.update(Text("\n".join([plain_table(rows, COLUMNS), *_remarks(found)]) if rows else _EMPTY))
                time.sleep(every_s)
        except KeyboardInterrupt:
            return
