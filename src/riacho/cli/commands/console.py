"""`riacho console`, or `riacho control-center`: the console alone, in the foreground, for any Kafka clusters."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.failures import PlainCommand
from riacho.cli.service_command import run_service, service_options
from riacho.cli.supervisor.services import CONTROL_CENTER


@click.command("console", cls=PlainCommand)
@service_options
def command(properties: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """Run the console until SIGTERM or Ctrl-C.

    \b
    riacho console console.properties
    riacho console --override bootstrap.servers=localhost:9092
    riacho control-center console.properties

    Without a file it serves port 9021 of this machine, for the brokers on localhost:9092. Variables named
    CONTROL_CENTER_... count as properties.

    One console shows one cluster (bootstrap.servers) or several (clusters=a,b and cluster.a.bootstrap.servers). They
    may be any Kafka clusters; schema.registry.url, connect.url and ksql.url name what is beside them.
    """
    run_service(CONTROL_CENTER, properties, override, log_level)
