"""`riacho logs`: what brokers, services and the supervisor wrote, the end of it or as it comes."""

from __future__ import annotations

import time
from pathlib import Path

import click

from riacho.cli.data_dir import DataDir, data_dir_option, default_data_dir
from riacho.cli.failures import PlainCommand, did_you_mean
from riacho.cli.log_tail import LogTail
from riacho.cli.supervisor.running import all_running, the_running

_POLL_S = 0.2
_SUPERVISOR = "supervisor"
# A line for each request: shown to those who ask for it.
_LONG = ("access-", "audit-")


@click.command("logs", cls=PlainCommand)
@click.argument("parts", nargs=-1, metavar="[PART]...")
@click.option("-n", "--lines", type=click.IntRange(min=0), default=20, metavar="N", help="The last N. Default 20.")
@click.option("-f", "--follow", is_flag=True, help="Go on as more is written, until Ctrl-C.")
@click.option("--list", "is_list", is_flag=True, help="Which logs there are, and where.")
@data_dir_option
def command(parts: tuple[str, ...], lines: int, follow: bool, is_list: bool, data_dir: Path | None) -> None:
    """Show the end of the logs of brokers, services and the supervisor.

    \b
    riacho logs                        of all, but for access and audit logs
    riacho logs broker-1 -n 100        of one
    riacho logs connect --follow       as it comes, until Ctrl-C
    riacho logs access-1               each request to broker 1
    riacho logs --list                 what there is, and where
    """
    files = log_files(_directory(data_dir))
    if is_list:
        for name, path in files.items():
            click.echo(f"{name}\t{path}")
        return
    for part in parts:
        if part not in files:
            raise click.UsageError(f"There is no log of '{part}'{did_you_mean(part, files)}")
    chosen = parts or tuple(name for name in files if not name.startswith(_LONG))
    if not chosen:
        raise click.ClickException("There are no logs yet. Start Riacho with `riacho up`.")
    tails = {name: LogTail(files[name]) for name in chosen}
    for name, tail in tails.items():
        _show(name, tail.last(lines), is_one=len(tails) == 1)
    try:
        while follow:
            time.sleep(_POLL_S)
            for name, tail in tails.items():
                _show(name, tail.new(), is_one=len(tails) == 1)
    except KeyboardInterrupt:
        return


def log_files(directory: DataDir) -> dict[str, Path]:
    """By the names that people use: broker-1, access-1, connect, supervisor."""
    found = {}
    for path in sorted(directory.logs.glob("*.log")):
        name = path.stem
        if path == directory.supervisor_log:
            name = _SUPERVISOR
        elif name.startswith("error-"):
            name = f"broker-{name.removeprefix('error-')}"
        found[name] = path
    return found


def _directory(data_dir: Path | None) -> DataDir:
    """What runs, or what ran last: the logs of a Riacho that is down are the ones most looked for."""
    if data_dir is not None:
        return DataDir(data_dir.absolute())
    return DataDir(Path(the_running(None).data_dir)) if all_running() else DataDir(default_data_dir())


def _show(name: str, lines: list[str], *, is_one: bool) -> None:
    for line in lines:
        click.echo(line if is_one else f"{name}: {line}")
