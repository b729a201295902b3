"""kafka-protobuf-console-producer: every line of standard input, as JSON, becomes a record with a Protobuf schema."""

from __future__ import annotations

from riacho.cli.kafka.console_producer import run
from riacho.cli.kafka.launch import launch


def main() -> None:
    launch("kafka-protobuf-console-producer", run)
