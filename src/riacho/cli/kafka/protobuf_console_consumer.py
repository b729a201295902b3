"""kafka-protobuf-console-consumer: prints records that have a Protobuf schema as JSON."""

from __future__ import annotations

from riacho.cli.kafka.console_consumer import run
from riacho.cli.kafka.launch import launch


def main() -> None:
    launch("kafka-protobuf-console-consumer", run)
