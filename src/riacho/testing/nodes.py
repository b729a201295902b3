"""The settings of brokers in a test: quick to answer, quick to notice a loss, and nothing left behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from riacho.base.ids import uuid_text
from riacho.broker.environment import SystemRng
from riacho.broker.local_cluster import ClusterPlan, NodePorts, cluster_defaults, controllers_of
from riacho.client.loopback import free_ports

_DEFAULTS = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
    "log.cleaner.backoff.ms": "200",
    "riacho.metrics.port": "-1",
}
# A broker that was cut off is noticed in about three seconds; Kafka's defaults take nine and more.
_CLUSTER_DEFAULTS = {
    "broker.heartbeat.interval.ms": "300",
    "broker.session.timeout.ms": "3000",
    "replica.lag.time.max.ms": "3000",
    "controller.quorum.fetch.timeout.ms": "1500",
    "controller.quorum.election.timeout.ms": "750",
    # A leader stays where the test left it.
    "auto.leader.rebalance.enable": "false",
}


_PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
# By which brokers log in at each other, where everybody has to.
_BROKER_USER, _BROKER_PASSWORD = "riacho-broker", "riacho-broker"


def property_texts(properties: Mapping[str, object]) -> dict[str, str]:
    """As a properties file has them."""
    return {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in properties.items()}


def login_settings(users: Mapping[str, str], user: str | None = None) -> dict[str, str]:
    """Of a client of librdkafka; nothing where nobody has to log in. ValueError for a user who is not there."""
    if not users and user is None:
        return {}
    name = next(iter(users)) if user is None else user
    if name not in users:
        raise ValueError(f"there is no user {name!r}; choose from {', '.join(users) or 'none'}")
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": name,
        "sasl.password": users[name],
    }


def _secured(properties: dict[str, str], users: Mapping[str, str]) -> dict[str, str]:
    """The same node with a login at its clients' listener."""
    if not users:
        return properties
    everybody = {**users, _BROKER_USER: _BROKER_PASSWORD}
    options = " ".join(f"user_{name}={_quoted(password)}" for name, password in everybody.items())
    own = f'username="{_BROKER_USER}" password="{_BROKER_PASSWORD}"'
    return properties | {
        "listeners": properties["listeners"].replace("PLAINTEXT://", "SASL_PLAINTEXT://", 1),
        "listener.security.protocol.map": "SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": f"{_PLAIN_MODULE} required {own} {options};",
        "super.users": f"User:{_BROKER_USER}",
    }


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def node_properties(
    brokers: int, home: Path, properties: Mapping[str, str], users: Mapping[str, str] | None = None
) -> dict[int, dict[str, str]]:
    """By node id. One broker alone has its data in `home` itself and takes whatever port is free."""
    if brokers == 1:
        alone = _secured(ClusterPlan(None, (1,), {1: NodePorts(0)}).properties(1), users or {})
        return {1: alone | {"log.dirs": str(home)} | _DEFAULTS | dict(properties)}
    ports = free_ports(2 * brokers)
    plan = ClusterPlan(
        uuid_text(SystemRng().token(16)),
        controllers_of(brokers),
        {n: NodePorts(ports[2 * n - 2], controller=ports[2 * n - 1]) for n in range(1, brokers + 1)},
    )
    shared = _DEFAULTS | cluster_defaults(brokers) | _CLUSTER_DEFAULTS
    return {
        node_id: shared
        | _secured(plan.properties(node_id), users or {})
        | {"log.dirs": str(home / f"broker-{node_id}")}
        | dict(properties)
        for node_id in plan.node_ids
    }
