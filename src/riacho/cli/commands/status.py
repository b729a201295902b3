"""`riacho status`: what runs, where, and whether it is well. Exit code 0 only when all is well."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from riacho.cli.data_dir import DataDir, data_dir_option
from riacho.cli.failures import PlainCommand
from riacho.cli.health import ClusterHealth, Health, ServiceHealth, examine
from riacho.cli.output import TABLE, is_terminal, remark, show_facts, show_json, show_rows, styled
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.running import the_running
from riacho.cli.views.cluster_view import some_of
from riacho.wire.code_form import code_form


@click.command("status", cls=PlainCommand)
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", help="`-o json` is --json.")
@click.option("-w", "--watch", is_flag=True, help="Until Ctrl-C, anew every few seconds.")
@click.option("--every", type=click.FloatRange(min=0.1), default=2.0, metavar="S", help="How often. Default 2.")
def command(data_dir: Path | None, as_json: bool, output: str, watch: bool, every: float) -> None:
    """Show what runs, where, and whether it is well.

    \b
    riacho status                            for people
    riacho status --watch                    until Ctrl-C
    riacho status --json                     for programs
    riacho status && make my-tests           exit code 0 only when all is well

    Of each broker it tells how many partitions it leads, how many of its replicas are in sync (5/6: one is not), and
    in how many milliseconds it answers; of the controllers, which one is active.
    """
    is_json = as_json or output == "json"
    if watch:
        _watch(data_dir, every, is_json=is_json)
    elif not _show(data_dir, is_json=is_json):
        sys.exit(1)


def _show(data_dir: Path | None, *, is_json: bool) -> bool:
    """Whether all is well."""
    state = the_running(data_dir)
    health = examine(state)
    if is_json:
        show_json(_as_json(state, health))
    else:
        _print_status(state, health)
    return health.is_well


def _watch(data_dir: Path | None, every_s: float, *, is_json: bool) -> None:
    """A Riacho that goes down meanwhile may come back: that is what one watches for."""
    try:
        while True:
            if not is_json and is_terminal(sys.stdout):
                click.clear()
            try:
                _show(data_dir, is_json=is_json)
            except click.ClickException as error:
                remark(error.message)
            time.sleep(every_s)
    except KeyboardInterrupt:
        return


def _as_json(state: RunState, health: ClusterHealth) -> dict[str, object]:
    view = health.view
    return {
        "healthy": health.is_well,
        "trouble": health.trouble,
        "bootstrap": state.bootstrap,
        "code": code_form(),
        "data_dir": state.data_dir,
        "logs_dir": str(DataDir(Path(state.data_dir)).logs),
        "ephemeral": state.is_ephemeral,
        "started_ms": state.started_ms,
        "supervisor": {"pid": state.supervisor.pid, "alive": state.supervisor.is_alive},
        "controller": view.controller_id if view is not None else None,
        "topics": view.topics if view is not None else None,
        "partitions": view.partitions if view is not None else None,
        "leaderless": view.leaderless if view is not None else None,
        "out_of_sync": view.out_of_sync if view is not None else None,
        "brokers": [broker._asdict() for broker in health.brokers],
        "services": [service._asdict() for service in health.services],
    }


def _print_status(state: RunState, health: ClusterHealth) -> None:
    click.echo(styled("Riacho is well.", "green") if health.is_well else styled("Riacho is not well.", "red"))
    show_facts(
        _troubles(health)
        | {
            "bootstrap": state.bootstrap,
            "metrics": ", ".join(broker.metrics for broker in health.brokers if broker.metrics) or None,
            "data": f"{state.data_dir}{' (deleted at the end)' if state.is_ephemeral else ''}",
            "logs": DataDir(Path(state.data_dir)).logs,
            "up for": _age((time.time_ns() // 1_000_000 - state.started_ms) // 1000),
            "code": code_form(),
            "supervisor": f"pid {state.supervisor.pid}{'' if state.supervisor.is_alive else ', gone'}",
        }
        | _view_facts(health)
    )
    rows = [
        {
            "broker": broker.node_id,
            "port": int(broker.bootstrap.rpartition(":")[2]),
            "pid": broker.pid,
            "state": "well" if broker.trouble is None else "unwell",
            "controller": _controller_word(broker),
            "leads": broker.leaders,
            "in_sync": f"{broker.in_sync}/{broker.replicas}",
            "ms": broker.answer_ms,
            "restarts": broker.restarts,
        }
        for broker in health.brokers
    ]
    show_rows(rows, list(rows[0]), TABLE)
    if health.services:
        click.echo()
        show_rows([_service_row(service) for service in health.services], list(_SERVICE_COLUMNS), TABLE)


_SERVICE_COLUMNS = ("service", "url", "pid", "state", "ms", "restarts")


def _service_row(service: ServiceHealth) -> dict[str, object]:
    state = "well" if service.trouble is None else "unwell"
    values = (service.name, service.url, service.pid, state, service.answer_ms, service.restarts)
    return dict(zip(_SERVICE_COLUMNS, values, strict=True))


def _troubles(health: ClusterHealth) -> dict[str, object]:
    """Sentences, for which the tables have no room."""
    facts: dict[str, object] = {"trouble": health.trouble} if health.trouble else {}
    facts |= {f"broker {broker.node_id}": broker.trouble for broker in health.brokers if broker.trouble}
    return facts | {service.name: service.trouble for service in health.services if service.trouble}


def _view_facts(health: ClusterHealth) -> dict[str, object]:
    view = health.view
    if view is None:
        return {}
    facts: dict[str, object] = {"topics": f"{view.topics}, with {view.partitions} partitions"}
    if view.leaderless:
        facts["no leader"] = some_of(view.leaderless)
    if view.out_of_sync:
        facts["not in sync"] = some_of(view.out_of_sync)
    return facts


def _controller_word(broker: Health) -> str | None:
    if broker.is_active_controller:
        return "active"
    return "standby" if broker.is_controller and broker.is_alive else None


def _age(seconds: int) -> str:
    days, rest = divmod(max(seconds, 0), 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, rest = divmod(rest, 60)
    words = [f"{n} {unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(words[:2]) or "0 s"
