"""`riacho down`: stop what `riacho up` started, in good order."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import click

from riacho.cli.argument_names import complete_running_brokers
from riacho.cli.data_dir import DataDir, data_dir_option
from riacho.cli.failures import PlainCommand
from riacho.cli.output import remark
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.running import remove_running, the_running

_POLL_S = 0.02
# After SIGKILL only the kernel has something left to do.
_KILL_TIMEOUT_S = 5.0


@click.command("down", cls=PlainCommand)
@data_dir_option
@click.option(
    "--broker",
    "brokers",
    type=int,
    multiple=True,
    metavar="N",
    shell_complete=complete_running_brokers,
    help="Only this one. May be repeated.",
)
@click.option(
    "--timeout", "timeout_s", type=float, default=40.0, metavar="SECONDS", help="Kill what has not stopped by then."
)
def command(data_dir: Path | None, brokers: tuple[int, ...], timeout_s: float) -> None:
    """Stop Riacho: services end first, then brokers hand over what they lead, write their checkpoints and end.

    \b
    riacho down                              what `riacho up` runs
    riacho down --broker 2                   one of a cluster, until `riacho up`
    riacho down --data-dir ./data            when several run

    Data stays, unless it was started with --ephemeral.
    """
    state = the_running(data_dir)
    if brokers:
        _stop_some(state, brokers, timeout_s)
    else:
        _stop_all(state, timeout_s)


def _stop_some(state: RunState, brokers: tuple[int, ...], timeout_s: float) -> None:
    from riacho.cli.supervisor.supervisor_requests import check_known, take_down

    for node_id in brokers:
        check_known(state, node_id)
    for node_id in brokers:
        take_down(state, DataDir(Path(state.data_dir)), node_id, timeout_s)
        click.echo(f"Broker {node_id} is down.")


def _stop_all(state: RunState, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    # The supervisor first: it stops its children. Only one that lost its supervisor is stopped from here.
    if state.supervisor.send(signal.SIGTERM):
        _wait([state.supervisor], deadline)
    orphans = [process for process in state.children if process.send(signal.SIGTERM)]
    _wait(orphans, deadline)
    killed = [process for process in state.processes if process.send(signal.SIGKILL)]
    if killed:
        remark(f"Killed after {timeout_s:g} s without an answer: pid {', '.join(str(p.pid) for p in killed)}.")
        _wait(killed, time.monotonic() + _KILL_TIMEOUT_S)
    directory = DataDir(Path(state.data_dir))
    directory.state_file.unlink(missing_ok=True)
    remove_running(directory)
    if state.is_alive:
        raise click.ClickException("Some processes could not be stopped; see `riacho status`.")
    if state.is_ephemeral:
        # Its supervisor deletes it, unless that was killed.
        shutil.rmtree(directory.path, ignore_errors=True)
    click.echo("Riacho is down.")


def _wait(processes: list[ProcessMark], deadline: float) -> None:
    while any(process.is_alive for process in processes) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
