"""`riacho connect`: a Connect worker alone, in the foreground, with Kafka Connect's property names."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.failures import PlainCommand
from riacho.cli.service_command import run_service, service_options
from riacho.cli.supervisor.services import CONNECT


@click.command("connect", cls=PlainCommand)
@service_options
def command(properties: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """Run a Connect worker until SIGTERM or Ctrl-C.

    \b
    riacho connect connect-distributed.properties
    riacho connect --override bootstrap.servers=localhost:9092

    PROPERTIES is a file with Kafka Connect's names. Without one it serves port 8083 of this machine, for the brokers on
    localhost:9092. Variables named CONNECT_... count as properties, as in the container images.

    Several may run with one group.id: they keep connectors, offsets and states in topics, elect a leader that runs
    them on Spark, and the others send it what they are asked. Spark starts with the first connector.
    """
    run_service(CONNECT, properties, override, log_level)
