"""`riacho pipeline`: what runs on Spark, how it fares, and stopping or restarting it."""

from __future__ import annotations

import sys
import time

import click

from riacho.cli.connect_client import ConnectClient, connect_option, path_of
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
from riacho.cli.pipeline_view import COLUMNS, facts, row

_EMPTY = "There are no pipelines. Create a connector with POST /connectors of Connect."


@click.group("pipeline", cls=PlainGroup)
def command() -> None:
    """List, show, draw, stop and restart pipelines.

    \b
    riacho pipeline list --watch        a table that stays up to date
    riacho pipeline show orders         a picture of one, with its figures
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
        if not watch:
            return
        time.sleep(every)


@command.command("show")
@click.argument("name")
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


def _changer(word: str, method: str, path: str, about: str, done: str) -> None:
    @command.command(word, help=f"{about}\n\n\b\nriacho pipeline {word} orders")
    @click.argument("name")
    @connect_option
    def change(name: str, url: str | None) -> None:
        ConnectClient(url).call(method, f"/connectors/{path_of(name)}{path}")
        remark(f"{name} {done}.")


_changer("pause", "PUT", "/pause", "Let a pipeline rest; it keeps its tasks and its place.", "is paused")
_changer("resume", "PUT", "/resume", "Let a paused or stopped pipeline go on where it was.", "goes on")
_changer("stop", "PUT", "/stop", "Stop a pipeline; its offsets can then be changed.", "is stopped")
_changer("restart", "POST", "/restart?includeTasks=true", "Restart a pipeline.", "restarts")


@command.command("delete")
@click.argument("name")
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


def _watch(client: ConnectClient, every_s: float) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(Text(""), refresh_per_second=4, screen=False) as live:
        try:
            while True:
                rows = [row(each) for each in client.pipelines()]
                live.update(Text(plain_table(rows, COLUMNS) if rows else _EMPTY))
                time.sleep(every_s)
        except KeyboardInterrupt:
            return
