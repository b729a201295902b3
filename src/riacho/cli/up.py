"""`riacho up`: Riacho on this machine, in one command.

Checks what can be checked before anything starts (services, port, whether the data directory is in use), then hands
over to the supervisor: in this process, or with `--detach` in one that stays behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import click

from riacho.cli.broker_process import BrokerProcess
from riacho.cli.data_dir import DataDir, data_dir_option, default_data_dir
from riacho.cli.failures import PlainCommand
from riacho.cli.output import show_facts, styled
from riacho.cli.pairs import parse_pairs
from riacho.cli.readiness import HOST, answers, free_port, is_free
from riacho.cli.run_state import RunState, read_state

# name -> what it is
SERVICES = {"broker": "the event broker"}
METRICS_PORT = 9404
_FULL_CONTROL = "`riacho broker FILE` runs a broker that is all your own"
_OWN_PROPERTIES = {
    "listeners": f"use --port, or {_FULL_CONTROL}",
    "log.dirs": f"use --data-dir, or {_FULL_CONTROL}",
    "node.id": _FULL_CONTROL,
    "riacho.metrics.port": "use --metrics-port",
}


@click.command("up", cls=PlainCommand)
@click.option("--brokers", type=click.IntRange(min=1), default=1, metavar="N", help="How many brokers. Default 1.")
@click.option("--detach", is_flag=True, help="Return once everything answers; stop it later with `riacho down`.")
@click.option("--ephemeral", is_flag=True, help="Keep data in a temporary directory and delete it at the end.")
@data_dir_option
@click.option("--only", metavar="LIST", help=f"Only these services, separated by commas: {', '.join(SERVICES)}.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9092,
    envvar="RIACHO_PORT",
    metavar="P",
    help="The broker's port on 127.0.0.1, default $RIACHO_PORT or 9092; 0 takes a free one.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    metavar="P",
    help=f"The port of /metrics and /health; default {METRICS_PORT}, or a free one when that is taken.",
)
@click.option("-c", "--config", multiple=True, metavar="KEY=VALUE", help="A broker property. May be repeated.")
def command(
    brokers: int,
    detach: bool,
    ephemeral: bool,
    data_dir: Path | None,
    only: str | None,
    port: int,
    metrics_port: int | None,
    config: tuple[str, ...],
) -> None:
    """Start Riacho on this machine and say where everything is.

    \b
    riacho up                                until Ctrl-C
    riacho up --detach                       in the background; then `riacho status`, `riacho down`
    riacho up --ephemeral --port 0           leaves nothing behind, on a free port
    riacho up -c num.partitions=6            with a broker property

    A broker that crashes is started again. Logs are in the data directory, under logs/.
    """
    _check_services(only)
    if brokers > 1:
        raise click.ClickException("Clusters of several brokers are not there yet: --brokers can only be 1.")
    if ephemeral and data_dir is not None:
        raise click.ClickException("--ephemeral chooses the data directory by itself: give it or --data-dir, not both.")
    properties = _checked_properties(config)
    directory = DataDir(_temporary() if ephemeral else (data_dir or default_data_dir()).absolute())
    try:
        directory.create()
        lock = _lock(directory)
        ports = _checked_port(port), _metrics_port(metrics_port)
    except BaseException:
        _clean(directory, ephemeral)
        raise
    broker = BrokerProcess(
        directory, ports[0], metrics_port=ports[1], may_move_metrics=not metrics_port, properties=properties
    )

    def supervise(on_ready: Callable[[RunState], None]) -> None:
        from riacho.cli.process_mark import mark
        from riacho.cli.supervisor import Supervisor

        try:
            supervisor = Supervisor(
                directory, broker, mark(os.getpid()), say=_log_line, is_ephemeral=ephemeral, is_detached=detach
            )
            supervisor.run(on_ready)
        finally:
            _clean(directory, ephemeral)
            lock.close()

    if detach:
        from riacho.cli.detach import run_detached

        run_detached(lambda ready: supervise(lambda state: ready()), directory.supervisor_log)
        state = read_state(directory)
        assert state is not None, "a supervisor that is ready has written its state"
        _tell(state)
    else:
        supervise(_tell)
        click.echo("Riacho is down.", err=True)


def _check_services(only: str | None) -> None:
    if only is None:
        return
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in SERVICES]
    if unknown or not wanted:
        said = f"There is no service {', '.join(map(repr, unknown))}" if unknown else "--only names no service"
        raise click.ClickException(f"{said}; there is: {', '.join(SERVICES)}.")


def _checked_properties(config: tuple[str, ...]) -> dict[str, str]:
    properties = parse_pairs(config, "--config")
    for name, instead in _OWN_PROPERTIES.items():
        if name in properties:
            raise click.ClickException(f"{name} is set by `riacho up` itself; {instead}.")
    return properties


def _checked_port(port: int) -> int:
    if port == 0:
        return free_port()
    if is_free(port):
        return port
    who = "a Kafka broker answers there" if answers(HOST, port) else "another program has it"
    raise click.ClickException(f"Port {port} on {HOST} is taken ({who}). Choose another with --port.")


def _metrics_port(asked: int | None) -> int:
    if asked is None:
        return METRICS_PORT if is_free(METRICS_PORT) else free_port()
    return _checked_port(asked)


def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="riacho-"))


def _clean(directory: DataDir, ephemeral: bool) -> None:
    if ephemeral:
        shutil.rmtree(directory.path, ignore_errors=True)


def _lock(directory: DataDir) -> IO[bytes]:
    """Held by the supervisor as long as it lives; the system lets it go when it dies, however it dies."""
    lock = directory.lock_file.open("ab")
    state = read_state(directory)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        where = f" at {state.bootstrap}" if state is not None else ""
        raise click.ClickException(f"Riacho already runs on {directory.path}{where}. See `riacho status`.") from None
    if state is not None and state.is_alive:
        pids = ", ".join(str(process.pid) for process in state.processes if process.is_alive)
        raise click.ClickException(
            f"A broker of an earlier run still has {directory.path} (pid {pids}). Stop it with `riacho down`."
        )
    return lock


def _tell(state: RunState) -> None:
    click.echo(styled("Riacho is up.", "green"))
    show_facts(
        {
            "  bootstrap": state.bootstrap,
            "  metrics": ", ".join(broker.metrics for broker in state.brokers if broker.metrics),
            "  data": f"{state.data_dir}{' (deleted at the end)' if state.is_ephemeral else ''}",
            "  logs": DataDir(Path(state.data_dir)).logs,
        }
    )
    click.echo("Stop it with `riacho down`." if state.is_detached else "Stop it with Ctrl-C.")


def _log_line(text: str) -> None:
    click.echo(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}", err=True)
