"""What the bank demo shows when everything runs: figures, pages of the control center, commands to try."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import click

from riacho.cli.demo.archive_connector import CONNECTOR, DLQ
from riacho.cli.demo.balances import TABLE
from riacho.cli.demo.transfers import TOPIC, Sent
from riacho.cli.output import show_facts, styled
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.services import CONNECT, CONTROL_CENTER, KSQL, REST_PROXY, SCHEMA_REGISTRY

TOTALS = "transfer-totals"
# As the control center names the one cluster that it was given.
_CLUSTER = "default"
_RICHEST = f"SELECT account, transfers, cents / 100.0 AS balance FROM {TABLE} ORDER BY cents DESC;"


def show_tour(state: RunState, archive: Path, sent: Sent, seconds: float) -> None:
    urls = {service.name: service.url for service in state.services}
    registry, rest, connect, ksql = (urls[each.name] for each in (SCHEMA_REGISTRY, REST_PROXY, CONNECT, KSQL))
    click.echo()
    click.echo(styled(f"All of it runs, {seconds:.0f} s after the start.", "green"))
    click.echo()
    show_facts(
        {
            "control center": urls[CONTROL_CENTER.name],
            "brokers": state.bootstrap,
            "schema registry": f"{registry}/subjects",
            "REST proxy": f"{rest}/topics",
            "Connect": f"{connect}/connectors/{CONNECTOR}/status",
            "KSQL": f"{ksql}/info",
            "archive": archive,
            "sent so far": f"{sent.good} transfers, {sent.reversals} of them reversals, {sent.poison} poison",
        }
    )
    click.echo()
    click.echo(styled("See, in a browser:", "bold"))
    show_facts({f"  {what}": url for what, url in stations(urls[CONTROL_CENTER.name]).items()})
    click.echo()
    click.echo(styled("Try, in another terminal:", "bold"))
    for command in (
        "riacho status",
        f"riacho pipeline list --connect {connect}",
        f"riacho pipeline show {CONNECTOR} --connect {connect}",
        f"riacho consume {TOTALS} --from start -n 5",
        f'riacho ksql {ksql} -e "SELECT * FROM {TABLE};"',
        f"riacho consume {DLQ} --from start -n 1 -o json",
        f"kafka-consumer-groups --bootstrap-server {state.brokers[0].bootstrap} --describe --group connect-{CONNECTOR}",
        f"curl -s {registry}/subjects/{TOPIC}-value/versions/1",
        f"curl -s {connect}/connectors/{CONNECTOR}/status",
        f"kill -9 {state.brokers[1].process.pid}      # broker 2: nothing is lost, and it comes back",
    ):
        click.echo(f"  {command}")
    click.echo()
    click.echo("Transfers go on. Ctrl-C stops them, counts, and ends everything.")


def stations(control_center: str) -> dict[str, str]:
    """The pages of the control center that show the demo's parts, by what is to be seen there."""
    at = f"{control_center}/clusters/{_CLUSTER}"
    return {
        "who writes what, and who reads it": f"{at}/flow?fit=true",
        "the transfers, decoded": f"{at}/topics/{TOPIC}",
        "the archive's connector": f"{at}/connectors/{CONNECTOR}",
        "how far behind it is": f"{at}/groups/connect-{CONNECTOR}",
        "all pipelines, with their rates": f"{at}/pipelines",
        "balances, by SQL (Ctrl+Enter runs it)": f"{at}/sql?sql={quote(_RICHEST)}",
    }
