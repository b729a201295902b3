"""kafka-avro-console-producer: every line of standard input, as JSON, becomes a record with a Avro schema."""

from __future__ import annotations

from riacho.cli.kafka.console_producer import run
from riacho.cli.kafka.launch import launch


def main() -> None:
    launch("kafka-avro-console-producer", run)
