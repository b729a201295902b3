"""The console tools for records with schemas: those of `data_tools.py`, with a reader and a formatter of their own."""

from __future__ import annotations

from typing import Any

from riacho.cli.kafka.flags.data_tools import CONSOLE_CONSUMER, CONSOLE_PRODUCER
from riacho.cli.kafka.flags.options import Tool

# name in the tool's name -> (name for people, first part of Confluent's class names)
KINDS = {"avro": ("Avro", "Avro"), "json-schema": ("JSON Schema", "JsonSchema"), "protobuf": ("Protobuf", "Protobuf")}
_PACKAGE = "io.confluent.kafka.formatter"
_READER_KEYS = (
    "schema.registry.url", "value.schema", "value.schema.file", "value.schema.id", "value.refs", "key.schema",
    "key.schema.file", "key.schema.id", "key.refs", "use.latest.version", "auto.register.schemas", "key.serializer",
    "basic.auth.user.info", "parse.key", "key.separator", "parse.headers", "null.marker",
)  # fmt: skip
_FORMATTER_KEYS = (
    "schema.registry.url", "print.schema.ids", "schema.id.separator", "key.deserializer", "basic.auth.user.info",
    "print.timestamp", "print.partition", "print.offset", "print.headers", "print.key", "key.separator",
)  # fmt: skip


def _producer(kind: str) -> Tool:
    people, java = KINDS[kind]
    changes: dict[str, dict[str, Any]] = {
        "line-reader": {"default": f"{_PACKAGE}.{java}MessageReader"},
        "reader-property": {"offers": _READER_KEYS},
    }
    options = tuple(option._replace(**changes.get(option.name, {})) for option in CONSOLE_PRODUCER.options)
    about = f"Sends each line of standard input, as JSON, to a topic with a {people} schema."
    return CONSOLE_PRODUCER._replace(name=f"kafka-{kind}-console-producer", help=about, options=options)


def _consumer(kind: str) -> Tool:
    people, java = KINDS[kind]
    changes: dict[str, dict[str, Any]] = {
        "formatter": {"default": f"{_PACKAGE}.{java}MessageFormatter", "offers": (f"{java}MessageFormatter",)},
        "formatter-property": {"offers": _FORMATTER_KEYS},
    }
    options = tuple(option._replace(**changes.get(option.name, {})) for option in CONSOLE_CONSUMER.options)
    about = f"Prints the records of topics that have a {people} schema, as JSON."
    return CONSOLE_CONSUMER._replace(name=f"kafka-{kind}-console-consumer", help=about, options=options)


SCHEMA_TOOLS = tuple(make(kind) for kind in KINDS for make in (_producer, _consumer))
