"""`riacho status`: what runs, where, and whether it is well. Exit code 0 only when all is well."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from riacho.cli.data_dir import DataDir, data_dir_option
from riacho.cli.failures import PlainCommand
from riacho.cli.health import Health, examine
from riacho.cli.output import TABLE, show_facts, show_json, show_rows, styled
from riacho.cli.run_state import RunState
from riacho.cli.running import the_running


@click.command("status", cls=PlainCommand)
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", help="`-o json` is --json.")
def command(data_dir: Path | None, as_json: bool, output: str) -> None:
    """Show what runs, where, and whether it is well.

    \b
    riacho status                            for people
    riacho status --json                     for programs
    riacho status && make my-tests           the exit code is 0 only when all is well
    """
    state = the_running(data_dir)
    healths = [examine(broker) for broker in state.brokers]
    well = state.supervisor.is_alive and all(health.is_well for health in healths)
    if as_json or output == "json":
        show_json(_as_json(state, healths, well))
    else:
        _tell(state, healths, well)
    if not well:
        sys.exit(1)


def _as_json(state: RunState, healths: list[Health], well: bool) -> dict[str, object]:
    return {
        "healthy": well,
        "bootstrap": state.bootstrap,
        "data_dir": state.data_dir,
        "logs_dir": str(DataDir(Path(state.data_dir)).logs),
        "ephemeral": state.is_ephemeral,
        "started_ms": state.started_ms,
        "supervisor": {"pid": state.supervisor.pid, "alive": state.supervisor.is_alive},
        "brokers": [health._asdict() for health in healths],
    }


def _tell(state: RunState, healths: list[Health], well: bool) -> None:
    click.echo(styled("Riacho is well.", "green") if well else styled("Riacho is not well.", "red"))
    show_facts(
        {
            "bootstrap": state.bootstrap,
            "metrics": ", ".join(health.metrics for health in healths if health.metrics) or None,
            "data": f"{state.data_dir}{' (deleted at the end)' if state.is_ephemeral else ''}",
            "logs": DataDir(Path(state.data_dir)).logs,
            "up for": _age((time.time_ns() // 1_000_000 - state.started_ms) // 1000),
            "supervisor": f"pid {state.supervisor.pid}{'' if state.supervisor.is_alive else ', gone'}",
        }
    )
    rows = [
        {
            "broker": health.node_id,
            "pid": health.pid,
            "state": health.trouble or "well",
            "answer_ms": health.answer_ms,
            "topics": health.topics,
            "partitions": health.partitions,
            "restarts": health.restarts,
        }
        for health in healths
    ]
    show_rows(rows, list(rows[0]), TABLE)


def _age(seconds: int) -> str:
    days, rest = divmod(max(seconds, 0), 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, rest = divmod(rest, 60)
    words = [f"{n} {unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(words[:2]) or "0 s"
