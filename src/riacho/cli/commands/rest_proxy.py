"""`riacho rest-proxy`: the REST proxy alone, in the foreground, with Confluent's property names."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.failures import PlainCommand
from riacho.cli.service_command import run_service, service_options
from riacho.cli.supervisor.services import REST_PROXY


@click.command("rest-proxy", cls=PlainCommand)
@service_options
def command(properties: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """Run the REST proxy until SIGTERM or Ctrl-C.

    \b
    riacho rest-proxy kafka-rest.properties
    riacho rest-proxy --override bootstrap.servers=localhost:9092

    PROPERTIES is a file with Confluent's names. Without one it serves port 8082 of this machine, for the brokers on
    localhost:9092. Variables named KAFKA_REST_... count as properties, as in the container images.

    Several may run on one cluster behind a load balancer. It works on any Kafka cluster; schemas come from the registry
    that schema.registry.url names.
    """
    run_service(REST_PROXY, properties, override, log_level)
