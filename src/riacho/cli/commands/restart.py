"""`riacho restart`: brokers one after another, each in sync again before the next one goes down; then the services, and
the supervisor that looks after them.

The active controller comes last, so that it changes hands once. At the end leaders go back to where they belong.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import click

from riacho.base.errors import KafkaError
from riacho.cli.argument_names import complete_running_brokers, complete_running_services
from riacho.cli.data_dir import DataDir, data_dir_option
from riacho.cli.failures import PlainCommand
from riacho.cli.health import open_quick
from riacho.cli.output import remark
from riacho.cli.progress import Progress, progress
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.running import the_running
from riacho.cli.supervisor.supervisor_requests import check_known, renew_supervisor, restart, restart_service
from riacho.cli.views.cluster_view import ClusterView, some_of, view_cluster

_POLL_S = 0.1


@click.command("restart", cls=PlainCommand)
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
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_running_services,
    help="Only this service. May be repeated.",
)
@click.option("--rolling", is_flag=True, help="All of them, one after another; so it is without --broker.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0),
    default=120.0,
    metavar="SECONDS",
    help="How long a broker may take to be back and in sync. Default 120.",
)
def command(
    data_dir: Path | None, brokers: tuple[int, ...], services: tuple[str, ...], rolling: bool, timeout_s: float
) -> None:
    """Restart brokers one after another, while the cluster goes on; then the services, then the supervisor.

    \b
    riacho restart                           all of them
    riacho restart --service connect         that service alone
    riacho restart --broker 2                that one; starts one that was stopped

    Each broker hands its leaders over, stops, starts, and catches up before the next one is touched. If one does not,
    the others are left alone and the exit code is 1. Last, the supervisor starts anew in place, so that after an
    upgrade everything is of the new version.
    """
    if brokers and rolling:
        raise click.UsageError("--rolling is for all brokers: give it or --broker, not both.")
    state = the_running(data_dir)
    for node_id in brokers:
        check_known(state, node_id)
    directory = DataDir(Path(state.data_dir))
    named = _services(state, services, is_all=not brokers)
    chosen = list(dict.fromkeys(brokers)) or ([] if services else _order(state))
    _refuse_while_others_are_down(state, chosen)
    # Off a terminal the lines below tell.
    with progress("Restarting", len(chosen) + len(named), has_rate=False, has_lines=False) as bar:
        _restart(state, directory, chosen, named, timeout_s, bar)
    if not brokers and not services:
        _renew(state, directory, timeout_s)


def _restart(
    state: RunState, directory: DataDir, chosen: list[int], named: list[str], timeout_s: float, bar: Progress
) -> None:
    for node_id in chosen:
        # One copy is away during a restart: no other may be away then.
        _wait(state, node_id, timeout_s, "was not restarted", lambda view, me: not view.behind_besides(me))
        started = time.monotonic()
        restart(state, directory, node_id, timeout_s)
        _wait(state, node_id, timeout_s, "is up but not in sync", lambda view, me: view.is_in_sync_on(me))
        click.echo(f"Broker {node_id} is back after {time.monotonic() - started:.1f} s.")
        bar.advance()
    if chosen:
        _give_leaders_back(state)
    for name in named:
        started = time.monotonic()
        restart_service(state, directory, name, timeout_s)
        click.echo(f"{name} is back after {time.monotonic() - started:.1f} s.")
        bar.advance()


def _renew(state: RunState, directory: DataDir, timeout_s: float) -> None:
    """Last, since it looked after the restarts of all others."""
    if state.generation is None:
        remark("The supervisor is of an older version; `riacho down` and `riacho up` renew it.")
        return
    started = time.monotonic()
    renew_supervisor(state, directory, timeout_s)
    click.echo(f"The supervisor is back after {time.monotonic() - started:.1f} s.")


def _services(state: RunState, given: tuple[str, ...], *, is_all: bool) -> list[str]:
    known = [service.name for service in state.services]
    for name in given:
        if name not in known:
            raise click.ClickException(f"There is no service {name} here; there is: {', '.join(known) or 'none'}.")
    return list(dict.fromkeys(given)) or (known if is_all else [])


def _order(state: RunState) -> list[int]:
    """Those that are down first, the active controller last."""
    with open_quick(state.bootstrap) as cluster:
        active = view_cluster(cluster).controller_id
    node_ids = [broker.node_id for broker in state.brokers]
    return sorted(node_ids, key=lambda node_id: (node_id not in state.stopped, node_id == active, node_id))


def _refuse_while_others_are_down(state: RunState, chosen: list[int]) -> None:
    others = [node_id for node_id in state.stopped if node_id not in chosen]
    if chosen and others:
        raise click.ClickException(
            f"Broker {', '.join(map(str, others))} is down, and with one more away writes would stop. "
            "Bring it back first with `riacho up`."
        )


def _wait(
    state: RunState, node_id: int, timeout_s: float, otherwise: str, is_so: Callable[[ClusterView, int], bool]
) -> None:
    # Itself first: what it knows is not older than its own return.
    own = [broker.bootstrap for broker in state.brokers if broker.node_id == node_id]
    servers = ",".join([*own, state.bootstrap])
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            with open_quick(servers) as cluster:
                view = view_cluster(cluster, with_controller=False)
            if is_so(view, node_id):
                return
            reason = f"behind: {some_of(view.out_of_sync)}" if view.out_of_sync else "it is not in the cluster yet"
        except KafkaError as error:
            reason = error.detail.rstrip(".")
        if time.monotonic() > deadline:
            raise click.ClickException(f"Broker {node_id} {otherwise} after {timeout_s:g} s ({reason}).")
        time.sleep(_POLL_S)


def _give_leaders_back(state: RunState) -> None:
    """Every restart moved leaders to other brokers; left alone, the last to restart would end with none."""
    from riacho.client.elections import ElectionType, elect_leaders

    if len(state.brokers) > 1:
        with open_quick(state.bootstrap) as cluster:
            elect_leaders(cluster, ElectionType.PREFERRED, None)
