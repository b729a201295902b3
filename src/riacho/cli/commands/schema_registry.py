"""`riacho schema-registry`: the schema registry alone, in the foreground, with Confluent's property names."""

from __future__ import annotations

from pathlib import Path

import click

from riacho.cli.failures import PlainCommand
from riacho.cli.service_command import run_service, service_options
from riacho.cli.supervisor.services import SCHEMA_REGISTRY


@click.command("schema-registry", cls=PlainCommand)
@service_options
def command(properties: Path | None, override: tuple[str, ...], log_level: str) -> None:
    """Run the schema registry until SIGTERM or Ctrl-C.

    \b
    riacho schema-registry schema-registry.properties
    riacho schema-registry --override kafkastore.bootstrap.servers=localhost:9092

    PROPERTIES is a file with Confluent's names. Without one it serves port 8081 of this machine, for the brokers on
    localhost:9092. Variables named SCHEMA_REGISTRY_... count as properties, as in the container images.

    Several may run on one cluster: they keep their schemas in one topic (kafkastore.topic, default _schemas), elect a
    leader that writes, and the others send writes there. It works on any Kafka cluster.
    """
    run_service(SCHEMA_REGISTRY, properties, override, log_level)
