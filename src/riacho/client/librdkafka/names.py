"""Kafka's Java client settings in librdkafka's words.

People hand over the property files of Java clients, to the tools and to the services. Most names are the same; the rest
is renamed here, and settings that only mean something to a JVM are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from riacho.base.config import ConfigError
from riacho.client.librdkafka.security import is_security, security_settings

_RENAMED = {
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
    "socket.connection.setup.timeout.max.ms": "socket.connection.setup.timeout.ms",
}
# Only a JVM has these, and profiles of `riacho` those that are no client's settings.
_LEFT_OUT = re.compile(
    r"(key|value)\.(de)?serializer.*|partitioner\.(class|.*ignore.*|.*adaptive.*)|interceptor\.classes|metric(s|\.).*"
    r"|max\.block\.ms|max\.poll\.records|exclude\.internal\.topics|default\.api\.timeout\.ms|config\.providers|auto\.include\.jmx\.reporter"
    r"|(connect|ksql)\.url|riacho\..*"
    r"|transaction\.two\.phase\.commit\.enable|enable\.metrics\.push|client\.dns\.lookup.*|retry\.backoff\.max\.ms\.java"
)
_ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
    # librdkafka has no eager sticky assignor; range is the one that every Java member also has.
    "StickyAssignor": "range",
}
# Above librdkafka's connection notices: trouble is said in our own words.
_LOG_LEVEL = 2
_UNKNOWN = re.compile(r'No such configuration property: "([^"]+)"')

C = TypeVar("C")


def translate(properties: Mapping[str, str]) -> dict[str, Any]:
    """Java's names and values in librdkafka's; ConfigError when those of its security cannot be used."""
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


def make_client(kind: Callable[[dict[str, Any]], C], config: Mapping[str, Any], unknown: Callable[[str], None]) -> C:
    """A client without the settings that librdkafka does not know, with which `unknown` is called; ConfigError when a
    value cannot be used."""
    from confluent_kafka import KafkaException

    config = dict(config)
    while True:
        try:
            return kind(config)
        except (KafkaException, TypeError, ValueError) as error:
            text = error.args[0].str() if isinstance(error, KafkaException) else str(error)
            found = _UNKNOWN.search(text)
            if found is None or found[1] not in config:
                raise ConfigError(text) from None
            unknown(found[1])
            del config[found[1]]
