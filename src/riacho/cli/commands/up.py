"""`riacho up`: Riacho on this machine, in one command.

Checks what can be checked before anything starts (what to run, ports, whether the data directory is in use and for how
many brokers it was made), then hands over to the supervisor: in this process, or with `--detach` in one that stays
behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import click

from riacho.base.packages import how_to_install
from riacho.broker.local_cluster import ClusterPlan, cluster_defaults
from riacho.cli.argument_names import complete_broker_properties, list_of
from riacho.cli.cluster_file import growth, keep, settle
from riacho.cli.data_dir import DataDir, data_dir_option, default_data_dir
from riacho.cli.failures import PlainCommand
from riacho.cli.output import log_line, remark, show_facts, styled
from riacho.cli.pairs import parse_pairs
from riacho.cli.supervisor.port_choice import METRICS_PORT, choose_ports, choose_service_ports
from riacho.cli.supervisor.run_state import RunState, read_state
from riacho.cli.supervisor.service_settings import (
    each_service,
    given_settings,
    parameter,
    port_option,
    settings_file_option,
)
from riacho.cli.supervisor.services import (
    BROKER,
    PARTS,
    SERVICES,
    can_run_services,
)
from riacho.cli.supervisor.supervised_broker import SupervisedBroker
from riacho.cli.supervisor.supervised_service import SupervisedService
from riacho.client.loopback import HOST

_FULL_CONTROL = "`riacho broker FILE` runs a broker that is all your own"
_OWN_PROPERTIES = {
    "listeners": f"use --port, or {_FULL_CONTROL}",
    "log.dirs": f"use --data-dir, or {_FULL_CONTROL}",
    "node.id": _FULL_CONTROL,
    "process.roles": _FULL_CONTROL,
    "controller.listener.names": _FULL_CONTROL,
    "controller.quorum.voters": _FULL_CONTROL,
    "controller.quorum.bootstrap.servers": _FULL_CONTROL,
    "riacho.metrics.port": "use --metrics-port",
}
_BACK_TIMEOUT_S = 60.0


@click.command("up", cls=PlainCommand)
@click.option(
    "--brokers",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many brokers, a process each. Default: as many as the data directory has, or 1.",
)
@click.option("--detach", is_flag=True, help="Return once everything answers; stop it later with `riacho down`.")
@click.option("--ephemeral", is_flag=True, help="Keep data in a temporary directory and delete it at the end.")
@data_dir_option
@click.option(
    "--only",
    metavar="LIST",
    envvar="RIACHO_ONLY",
    shell_complete=list_of(PARTS),
    help=f"Only these, separated by commas: {', '.join(PARTS)}. Default $RIACHO_ONLY or all.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9092,
    envvar="RIACHO_PORT",
    metavar="P",
    help="The first broker's port on 127.0.0.1, default $RIACHO_PORT or 9092; 0 takes free ones.",
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    metavar="P",
    help=f"The first broker's port of /metrics and /health; default {METRICS_PORT}, or a free one when that is taken.",
)
@each_service(port_option)
@click.option(
    "-c",
    "--config",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_broker_properties,
    help="A broker property. May be repeated.",
)
@each_service(settings_file_option)
def command(
    brokers: int | None,
    detach: bool,
    ephemeral: bool,
    data_dir: Path | None,
    only: str | None,
    port: int,
    metrics_port: int | None,
    config: tuple[str, ...],
    **of_services: Any,
) -> None:
    """Start Riacho on this machine and say where everything is.

    \b
    riacho up                          until Ctrl-C
    riacho up --detach                 in the background, until `riacho down`
    riacho up --brokers 3              a cluster: ports 9092, 9094 and 9096
    riacho up --ephemeral --port 0     leaves nothing behind, on free ports
    riacho up -c num.partitions=6      with a broker property
    riacho up --only broker            without the HTTP services
    riacho up --connect-config FILE    Connect with settings of your own

    What crashes is started again. Logs are in the data directory, under logs/.

    A cluster's brokers share nothing but the cluster: each has its process, its data, its port (every second one from
    --port on; those between are the controllers'). Topics have default.replication.factor=3, min.insync.replicas=2
    and offsets.topic.replication.factor=3 unless -c says otherwise (with two brokers: 2, 1 and 2). With three or more
    brokers the first three are controllers too, with fewer only the first: a quorum works while more than half of it
    lives, so two controllers would bear no loss either, and fail twice as often as one.

    `riacho up` on a data directory that is running starts the brokers that `riacho down --broker N` stopped.
    """
    wanted = _wanted_services(only)
    if ephemeral and data_dir is not None:
        raise click.UsageError("--ephemeral chooses the data directory by itself: give it or --data-dir, not both.")
    properties = _checked_properties(config)
    given = given_settings({name: of_services[parameter(name, "config")] for name in SERVICES}, wanted)
    directory = DataDir(_temporary() if ephemeral else (data_dir or default_data_dir()).absolute())
    try:
        directory.create()
        lock = _lock(directory)
        if lock is None:
            _bring_back(directory, brokers)
            return
        made = settle(directory, brokers, properties.pop("cluster.id", None))
        remark(growth(directory, made) or "")
        ports = choose_ports(port, metrics_port, made.brokers, made.controllers)
        asked = {name: of_services[parameter(name, "port")] for name in wanted}
        service_ports = choose_service_ports(asked, is_free_choice=port == 0)
        keep(directory, made)
    except BaseException:
        _clean(directory, ephemeral)
        raise
    plan = ClusterPlan(made.cluster_id, made.controllers, ports)
    children = _children(directory, plan, properties, may_move_metrics=not metrics_port)
    services = _services(directory, plan, service_ports, given)

    def supervise(on_ready: Callable[[RunState], None]) -> None:
        from riacho.cli.supervisor import succession
        from riacho.cli.supervisor.process_mark import mark
        from riacho.cli.supervisor.supervisor import Supervisor

        supervisor = Supervisor(
            directory,
            children,
            mark(os.getpid()),
            services=services,
            is_ephemeral=ephemeral,
            is_detached=detach,
        )
        succession.supervise(supervisor, directory, lock, on_ready)

    if detach:
        from riacho.cli.supervisor.detach import run_detached

        run_detached(lambda ready: supervise(lambda state: ready()), directory.supervisor_log)
        state = read_state(directory)
        assert state is not None, "a supervisor that is ready has written its state"
        _print_started(state)
    else:
        supervise(_print_started)
        click.echo("Riacho is down.", err=True)


def _children(
    directory: DataDir, plan: ClusterPlan, properties: Mapping[str, str], *, may_move_metrics: bool
) -> list[SupervisedBroker]:
    from riacho.cli.supervisor.broker_process import BrokerProcess

    is_cluster = len(plan.ports) > 1
    children = []
    for node_id, ports in plan.ports.items():
        process = BrokerProcess(
            directory,
            ports.client,
            node_id=node_id,
            metrics_port=ports.metrics,
            may_move_metrics=may_move_metrics,
            properties={**cluster_defaults(len(plan.ports)), **properties},
            membership=plan.properties(node_id),
        )
        members = plan.node_ids if is_cluster else ()
        is_controller = plan.is_controller(node_id)
        children.append(SupervisedBroker(process, is_controller=is_controller, members=members, say=log_line))
    return children


def _services(
    directory: DataDir, plan: ClusterPlan, ports: Mapping[str, int], given: Mapping[str, Mapping[str, str]]
) -> list[SupervisedService]:
    from riacho.cli.supervisor.service_process import ServiceProcess
    from riacho.cli.supervisor.services import service_properties

    bootstrap = ",".join(f"{HOST}:{node.client}" for node in plan.ports.values())
    metrics_ports = [node.metrics for node in plan.ports.values()]
    processes = [
        ServiceProcess(
            directory,
            SERVICES[name],
            port,
            service_properties(SERVICES[name], bootstrap, ports, directory, given.get(name), metrics_ports),
        )
        for name, port in ports.items()
    ]
    return [SupervisedService(process, say=log_line) for process in processes]


def _wanted_services(only: str | None) -> list[str]:
    """The names of the services that are to run beside the brokers."""
    if only is None:
        if can_run_services():
            return list(SERVICES)
        remark(f"Only the brokers: the services need more packages ({how_to_install('services')}).")
        return []
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in PARTS]
    if unknown or not wanted:
        said = f"There is no service {', '.join(map(repr, unknown))}" if unknown else "--only names no service"
        raise click.UsageError(f"{said}; there is: {', '.join(PARTS)}.")
    if BROKER not in wanted:
        raise click.UsageError(
            f"The services need a broker: --only {BROKER},{','.join(wanted)}. "
            f"For another cluster's brokers run `riacho {wanted[0]}`."
        )
    services = [name for name in SERVICES if name in wanted]
    if services and not can_run_services():
        raise click.ClickException(
            f"{services[0]} needs packages that are not installed: {how_to_install('services')}."
        )
    return services


def _checked_properties(config: tuple[str, ...]) -> dict[str, str]:
    properties = parse_pairs(config, "--config")
    for name, instead in _OWN_PROPERTIES.items():
        if name in properties:
            raise click.UsageError(f"{name} is set by `riacho up` itself; {instead}.")
    if properties:
        from riacho.broker.config import ineffective_properties, unknown_properties

        for told in unknown_properties(properties):
            # In a file, brokers read past what they do not know; here nobody would see that they did.
            if told.endswith("?"):
                raise click.UsageError(told[:1].upper() + told[1:])
            remark(f"Warning: {told}.")
        for told in ineffective_properties(properties):
            remark(f"Warning: {told}.")
    return properties


def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="riacho-"))


def _clean(directory: DataDir, ephemeral: bool) -> None:
    if ephemeral:
        shutil.rmtree(directory.path, ignore_errors=True)


def _lock(directory: DataDir) -> IO[bytes] | None:
    """Held by the supervisor as long as it lives; the system lets it go when it dies, however it dies.

    None: another supervisor has it.
    """
    lock = directory.lock_file.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    state = read_state(directory)
    if state is not None and state.is_alive:
        pids = ", ".join(str(process.pid) for process in state.processes if process.is_alive)
        raise click.ClickException(
            f"A broker of an earlier run still has {directory.path} (pid {pids}). Stop it with `riacho down`."
        )
    return lock


def _bring_back(directory: DataDir, brokers: int | None) -> None:
    """Riacho runs here already. Brokers that were taken down one by one come back; otherwise there is nothing to do."""
    from riacho.cli.supervisor.supervisor_requests import bring_back

    state = read_state(directory)
    if state is None or not state.stopped or brokers not in (None, len(state.brokers)):
        where = f" at {state.bootstrap}" if state is not None else ""
        raise click.ClickException(f"Riacho already runs on {directory.path}{where}. See `riacho status`.")
    for node_id in state.stopped:
        bring_back(state, directory, node_id, _BACK_TIMEOUT_S)
        click.echo(f"Broker {node_id} is up.")


def _print_started(state: RunState) -> None:
    click.echo(styled("Riacho is up.", "green"))
    show_facts(
        {
            "  bootstrap": state.bootstrap,
            "  metrics": ", ".join(broker.metrics for broker in state.brokers if broker.metrics),
        }
        | {f"  {service.name}": service.url for service in state.services}
        | {
            "  data": f"{state.data_dir}{' (deleted at the end)' if state.is_ephemeral else ''}",
            "  logs": DataDir(Path(state.data_dir)).logs,
        }
    )
    click.echo("Stop it with `riacho down`." if state.is_detached else "Stop it with Ctrl-C.")
