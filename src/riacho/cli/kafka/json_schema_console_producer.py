"""kafka-json-schema-console-producer: every line of standard input, as JSON, becomes a record with a JSON Schema."""

from __future__ import annotations

from riacho.cli.kafka.console_producer import run
from riacho.cli.kafka.launch import launch


def main() -> None:
    launch("kafka-json-schema-console-producer", run)
