"""What the bank demo shows when everything runs: its connector's config, figures, commands and addresses to try."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.demo.balances import TABLE
from riacho.cli.demo.transfers import TOPIC, Sent
from riacho.cli.output import show_facts, styled
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.services import CONNECT, CONTROL_CENTER, KSQL, REST_PROXY, SCHEMA_REGISTRY

CONNECTOR = "transfers-archive"
DLQ = "transfers-dlq"
TOTALS = "transfer-totals"


def archive_config(archive: Path, registry: str) -> dict[str, str]:
    """Every transfer as a row of Parquet, without the holder's name; what cannot be read goes to the dead letters."""
    return {
        "connector.class": "DirectorySink",
        "tasks.max": "2",
        "topics": TOPIC,
        "directory": str(archive),
        "format": "parquet",
        "partition.by": "kind",
        "include.metadata": "true",
        "key.converter": "io.confluent.connect.avro.AvroConverter",
        "key.converter.schema.registry.url": registry,
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url": registry,
        "transforms": "mask,bank",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "transforms.mask.fields": "holder",
        "transforms.mask.replacement": "***",
        "transforms.bank.type": "org.apache.kafka.connect.transforms.InsertField$Value",
        "transforms.bank.static.field": "bank",
        "transforms.bank.static.value": "Banco Riacho",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": DLQ,
        "errors.deadletterqueue.context.headers.enable": "true",
    }


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
    click.echo(styled("Try, in another terminal:", "bold"))
    for command in (
        "riacho status",
        f"riacho pipeline list --connect {connect}",
        f"riacho pipeline show {CONNECTOR} --connect {connect}",
        f"riacho consume {TOTALS} --from start -n 5",
        f'riacho ksql {ksql} -e "SELECT * FROM {TABLE};"      # by account; its Spark starts as you read this',
        f"riacho consume {DLQ} --from start -n 1 -o json",
        f"kafka-consumer-groups --bootstrap-server {state.brokers[0].bootstrap} --describe --group connect-{CONNECTOR}",
        f"curl -s {registry}/subjects/{TOPIC}-value/versions/1",
        f"curl -s {connect}/connectors/{CONNECTOR}/status",
        f"kill -9 {state.brokers[1].process.pid}      # broker 2: nothing is lost, and it comes back",
    ):
        click.echo(f"  {command}")
    click.echo()
    click.echo("Transfers go on. Ctrl-C stops them, counts, and ends everything.")
