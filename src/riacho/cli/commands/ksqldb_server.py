"""`riacho ksqldb-server`: a KSQL server alone, in the foreground, with ksqlDB's property names."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.failures import PlainCommand
from riacho.cli.service_command import run_service, service_options
from riacho.cli.supervisor.services import KSQL


@click.command("ksqldb-server", cls=PlainCommand)
@service_options
def command(properties: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """Run a KSQL server until SIGTERM or Ctrl-C.

    \b
    riacho ksqldb-server ksql-server.properties
    riacho ksqldb-server --override bootstrap.servers=localhost:9092

    PROPERTIES is a file with ksqlDB's names. Without one it serves port 8088 of this machine, for the brokers on
    localhost:9092. Variables named KSQL_... count as properties, as in the container images. `riacho ksql` is the
    prompt to it.

    Several may run with one ksql.service.id: statements are kept in a topic, one server is elected to run their
    queries on Spark, and the others send it what they are asked. Spark starts with the first query that needs it.
    """
    run_service(KSQL, properties, override, log_level)
