"""Settings of a service's Kafka clients: from its properties to the dict that confluent-kafka takes.

    kafka_client(properties, "kafkastore.")                  # the schema registry's
    kafka_client(properties, "client.", "producer.")         # the REST proxy's producer: the later prefix wins

Java's names work (`ssl.truststore.location`, `sasl.jaas.config`) and librdkafka's own do too. What neither knows is
dropped with a warning when the client is made: property files are shared with services that take more.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from riacho.base.config import ConfigError
from riacho.client.librdkafka import names as librdkafka_names

C = TypeVar("C")
_log = logging.getLogger("riacho.web")
# Settings of a service that stand under the prefix of its client, and are none of the client's.
_SERVICES_OWN = re.compile(
    r"(topic|topic\..*|timeout\.ms|init\.timeout\.ms|write\.max\.retries|update\.handlers|group\.id"
    r"|connection\.url|checkpoint\..*|zk\..*)"
)
_SERVICE_PREFIXES = frozenset({"kafkastore."})
_CLUSTER_ID_TIMEOUT_S = 10.0


def kafka_client(properties: Mapping[str, str], *prefixes: str) -> dict[str, Any]:
    """For librdkafka. `bootstrap.servers` may stand under a prefix or by itself; ConfigError where it does not."""
    wanted: dict[str, str] = {}
    if "bootstrap.servers" in properties:
        wanted["bootstrap.servers"] = properties["bootstrap.servers"]
    for prefix in prefixes:
        for name, value in properties.items():
            own = name.removeprefix(prefix)
            if own != name and not (prefix in _SERVICE_PREFIXES and _SERVICES_OWN.fullmatch(own)):
                wanted[own] = value
    servers = ",".join(_server(part) for part in wanted.get("bootstrap.servers", "").split(",") if part.strip())
    if not servers:
        name = (
            f"{prefixes[0]}bootstrap.servers" if prefixes and prefixes[0] in _SERVICE_PREFIXES else "bootstrap.servers"
        )
        raise ConfigError(f"{name} is not set: give the address of a broker, host:port")
    return librdkafka_names.translate({**wanted, "bootstrap.servers": servers})


def make_client(kind: Callable[[dict[str, Any]], C], config: Mapping[str, Any]) -> C:
    """A Producer, Consumer or AdminClient; ConfigError when a value cannot be used."""
    try:
        return librdkafka_names.make_client(kind, config, _warn)
    except ConfigError as error:
        raise ConfigError(f"the Kafka client cannot be set up: {str(error).rstrip('.')}") from None


async def cluster_id(config: Mapping[str, Any]) -> str:
    """Of the brokers that these settings reach."""
    from confluent_kafka.admin import AdminClient

    def ask() -> str:
        # It has a name, so that it lives until the answer is there.
        admin = make_client(AdminClient, config)
        return admin.describe_cluster(request_timeout=_CLUSTER_ID_TIMEOUT_S).result().cluster_id or ""

    return await asyncio.to_thread(ask)


class ClusterId:
    """The same, asked for once; empty while the brokers do not answer."""

    def __init__(self, config: Mapping[str, Any], log: logging.Logger) -> None:
        self._config = config
        self._log = log
        self._known = ""

    async def __call__(self) -> str:
        if not self._known:
            try:
                self._known = await cluster_id(self._config)
            except Exception as error:
                self._log.warning("cluster id not found reason=%s", error)
        return self._known


async def unknown_cluster_id() -> str:
    """Of a service that has no brokers to ask."""
    return ""


def _warn(name: str) -> None:
    _log.warning("setting of the Kafka client has no effect name=%s", name)


def _server(text: str) -> str:
    """`SASL_SSL://host:port` as the registry's property files have it: the protocol is a setting of its own."""
    return text.strip().rpartition("://")[2]
