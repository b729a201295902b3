"""Clients of librdkafka for the tools that send and read records, set up by the property files of Java clients.

Names nobody knows are told once on stderr, as the Java client does (the known ones: `client/librdkafka/names.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from riacho.base.config import ConfigError
from riacho.cli.broker_trouble import BrokerTrouble
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, bootstrap_servers
from riacho.cli.kafka.properties import key_value_pairs, load_properties
from riacho.client.librdkafka import names as librdkafka_names

C = TypeVar("C")

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
    """Java's names and values in librdkafka's; ToolError when they cannot be used."""
    try:
        return librdkafka_names.translate(properties)
    except ConfigError as error:
        raise ToolError(f"Error: {error}.") from None


def make_client(kind: Callable[[dict[str, Any]], C], config: dict[str, Any]) -> C:
    """A client; settings that librdkafka does not know are dropped with a notice, wrong values end the tool."""
    if config.get("group.id") == "":
        # librdkafka would end the whole process.
        raise ToolError("Error: the group id may not be empty.")
    try:
        return librdkafka_names.make_client(kind, {"error_cb": BrokerTrouble(_tell), **config}, _warn)
    except ConfigError as error:
        raise ToolError(f"Error: {error}") from None


def _warn(name: str) -> None:
    _tell(f"Warning: the setting '{name}' is not known and has no effect.")


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


def reach(client: Any, config: Mapping[str, Any], timeout_s: float, topic: str | None = None) -> Any:
    """The cluster's metadata, or one clear sentence: librdkafka by itself would go on trying without a word.

    `config` is what the client was made with, in Java's names or in librdkafka's.
    """
    from confluent_kafka import KafkaError as ClientError
    from confluent_kafka import KafkaException

    try:
        return (
            client.list_topics(topic, timeout=timeout_s) if topic is not None else client.list_topics(timeout=timeout_s)
        )
    except KafkaException as error:
        cause = error.args[0]
        silent = cause.code() in (ClientError._TRANSPORT, ClientError._TIMED_OUT, ClientError._ALL_BROKERS_DOWN)
        if silent and (told := _refusal(config)) is not None:
            raise ToolError(f"Error: {told}") from None
        reason = f"no broker answered within {timeout_s:g} s" if silent else cause.str()
        raise ToolError(f"Error: Cannot reach the cluster at {config['bootstrap.servers']}: {reason}.") from None


def _refusal(config: Mapping[str, Any]) -> str | None:
    """What our own client is told: librdkafka knows only that time went by when a login or TLS fails."""
    from riacho.base.errors import ErrorCode, KafkaError
    from riacho.client.cluster import Cluster
    from riacho.client.connection import HungUp
    from riacho.client.settings import client_settings

    try:
        settings = client_settings(config["bootstrap.servers"], {k: v for k, v in config.items() if isinstance(v, str)})
        with Cluster(settings) as cluster:
            cluster.metadata([])
    except KafkaError as error:
        is_refusal = isinstance(error, HungUp) or error.code is ErrorCode.SASL_AUTHENTICATION_FAILED
        return error.detail if is_refusal else None
    return None
