"""kafka-avro-console-consumer: prints records that have a Avro schema as JSON."""

from __future__ import annotations

from riacho.cli.kafka.console_consumer import run
from riacho.cli.kafka.launch import launch


def main() -> None:
    launch("kafka-avro-console-consumer", run)
