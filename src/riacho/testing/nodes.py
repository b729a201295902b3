"""The settings of brokers in a test: quick to answer, quick to notice a loss, and nothing left behind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from riacho.base.ids import uuid_text
from riacho.broker.environment import SystemRng
from riacho.broker.local_cluster import ClusterPlan, NodePorts, cluster_defaults, controllers_of
from riacho.client.loopback import free_ports
from riacho.testing.listener_security import ListenerSecurity

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


def property_texts(properties: Mapping[str, object]) -> dict[str, str]:
    """As a properties file has them."""
    return {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in properties.items()}


def node_properties(
    brokers: int, home: Path, properties: Mapping[str, str], security: ListenerSecurity | None = None
) -> dict[int, dict[str, str]]:
    """By node id. One broker alone has its data in `home` itself and takes whatever port is free."""
    security = security or ListenerSecurity()
    if brokers == 1:
        alone = security.secured(ClusterPlan(None, (1,), {1: NodePorts(0)}).properties(1))
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
        | security.secured(plan.properties(node_id))
        | {"log.dirs": str(home / f"broker-{node_id}")}
        | dict(properties)
        for node_id in plan.node_ids
    }
