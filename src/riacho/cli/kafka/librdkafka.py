"""Kafka's Java client settings in librdkafka's words, for the tools that send and read records.

People hand the tools the property files of Java clients. Most names are the same; the rest is renamed here, settings
that only mean something to a JVM are left out, and names nobody knows are told once on stderr, as the Java client does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from riacho.cli.kafka.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, bootstrap_servers
from riacho.cli.kafka.librdkafka_security import is_security, security_settings
from riacho.cli.kafka.properties import key_value_pairs, load_properties

C = TypeVar("C")

_RENAMED = {
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "socket.connection.setup.timeout.max.ms": "socket.connection.setup.timeout.ms",
}
# Only a JVM has these.
_LEFT_OUT = re.compile(
    r"(key|value)\.(de)?serializer.*|partitioner\.(class|.*ignore.*|.*adaptive.*)|interceptor\.classes|metric(s|\.).*"
    r"|max\.block\.ms|max\.poll\.records|exclude\.internal\.topics|default\.api\.timeout\.ms|config\.providers|auto\.include\.jmx\.reporter"
    r"|transaction\.two\.phase\.commit\.enable|enable\.metrics\.push|client\.dns\.lookup.*|retry\.backoff\.max\.ms\.java"
)
_ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
    # librdkafka has no eager sticky assignor; range is the one that every Java member also has.
    "StickyAssignor": "range",
}
_UNKNOWN = re.compile(r'No such configuration property: "([^"]+)"')
# Above librdkafka's connection notices: a tool tells trouble in its own words.
_LOG_LEVEL = 2
REACH_TIMEOUT_S = 5.0


def client_properties(arguments: Arguments) -> dict[str, str]:
    """`--command-config`, with `--command-property` and `--bootstrap-server` going before it."""
    path = arguments.text("command-config")
    properties = load_properties(path) if path else {}
    words = arguments.all("command-property") if _takes(arguments, "command-property") else []
    properties |= key_value_pairs(words, "command-property")
    if arguments.has("bootstrap-server") or "bootstrap.servers" not in properties:
        properties["bootstrap.servers"] = bootstrap_servers(arguments)
    return properties


def _takes(arguments: Arguments, name: str) -> bool:
    return any(option.name == name for option in arguments.tool.options)


def translate(properties: Mapping[str, str]) -> dict[str, Any]:
    """Java's names and values in librdkafka's."""
    config: dict[str, Any] = {}
    for key, value in properties.items():
        if key == "buffer.memory":
            config["queue.buffering.max.kbytes"] = max(1, int(value) // 1024)
        elif key == "partition.assignment.strategy":
            names = [_ASSIGNORS.get(part.strip().rpartition(".")[2], part.strip()) for part in value.split(",")]
            config[key] = ",".join(dict.fromkeys(names))
        elif not is_security(key) and not _LEFT_OUT.fullmatch(key):
            config[_RENAMED.get(key, key)] = value
    config |= security_settings(properties)
    config.setdefault("log_level", _LOG_LEVEL)
    return config


def make_client(kind: Callable[[dict[str, Any]], C], config: dict[str, Any]) -> C:
    """A client; settings that librdkafka does not know are dropped with a notice, wrong values end the tool."""
    from confluent_kafka import KafkaException

    config = dict(config)
    if config.get("group.id") == "":
        # librdkafka would end the whole process.
        raise ToolError("Error: the group id may not be empty.")
    while True:
        try:
            return kind(config)
        except (KafkaException, TypeError, ValueError) as error:
            text = error.args[0].str() if isinstance(error, KafkaException) else str(error)
            unknown = _UNKNOWN.search(text)
            if unknown is None or unknown[1] not in config:
                raise ToolError(f"Error: {text}") from None
            print(f"Warning: the setting '{unknown[1]}' is not known and has no effect.", file=sys.stderr)
            del config[unknown[1]]


def reach(client: Any, servers: str, timeout_s: float, topic: str | None = None) -> Any:
    """The cluster's metadata, or one clear sentence: librdkafka by itself would go on trying without a word."""
    from confluent_kafka import KafkaError as ClientError
    from confluent_kafka import KafkaException

    try:
        return (
            client.list_topics(topic, timeout=timeout_s) if topic is not None else client.list_topics(timeout=timeout_s)
        )
    except KafkaException as error:
        cause = error.args[0]
        silent = cause.code() in (ClientError._TRANSPORT, ClientError._TIMED_OUT, ClientError._ALL_BROKERS_DOWN)
        reason = f"no broker answered within {timeout_s:g} s" if silent else cause.str()
        raise ToolError(f"Error: Cannot reach the cluster at {servers}: {reason}.") from None
