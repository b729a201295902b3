"""Who does what in a cluster on one machine: roles, ports and the properties that all brokers share.

The first one or three nodes are controllers too, the others brokers only. A quorum works while more than half of it
lives, so three controllers bear the loss of one; two would bear no loss at all, as one does, and break twice as often.
So two brokers have one controller, and more than three brokers still have three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riacho.client.loopback import HOST

CONTROLLER_LISTENER = "CONTROLLER"
_CONTROLLERS_MAX = 3
_REPLICATION_FACTOR_MAX = 3


@dataclass(frozen=True, slots=True)
class NodePorts:
    client: int
    metrics: int = -1
    # Of no use to a broker that is no controller.
    controller: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """`cluster_id` None: one broker alone makes up its own."""

    cluster_id: str | None
    controllers: tuple[int, ...]
    ports: dict[int, NodePorts]

    @property
    def node_ids(self) -> list[int]:
        return sorted(self.ports)

    def is_controller(self, node_id: int) -> bool:
        return node_id in self.controllers

    def properties(self, node_id: int) -> dict[str, str]:
        """What makes this node a member of the cluster; its data directory and its metrics are not in it."""
        ports = self.ports[node_id]
        properties = {
            "node.id": str(node_id),
            "process.roles": "broker,controller" if self.is_controller(node_id) else "broker",
            "listeners": f"PLAINTEXT://{HOST}:{ports.client}",
        }
        if len(self.ports) == 1:
            return properties
        if self.is_controller(node_id):
            properties["listeners"] += f",{CONTROLLER_LISTENER}://{HOST}:{ports.controller}"
        assert self.cluster_id is not None, "brokers that are to find each other share a cluster id"
        return properties | {
            "controller.listener.names": CONTROLLER_LISTENER,
            "controller.quorum.voters": ",".join(
                f"{voter}@{HOST}:{self.ports[voter].controller}" for voter in self.controllers
            ),
            "cluster.id": self.cluster_id,
        }


def controllers_of(brokers: int) -> tuple[int, ...]:
    """The controllers of a new cluster of this many brokers."""
    return tuple(range(1, _CONTROLLERS_MAX + 1)) if brokers >= _CONTROLLERS_MAX else (1,)


def cluster_defaults(brokers: int) -> dict[str, str]:
    """Copies on up to three brokers, and one of them may be away while writes with acks=all go on."""
    if brokers == 1:
        return {}
    factor = min(brokers, _REPLICATION_FACTOR_MAX)
    return {
        "default.replication.factor": str(factor),
        "min.insync.replicas": str(max(1, factor - 1)),
        "offsets.topic.replication.factor": str(factor),
        "transaction.state.log.replication.factor": str(factor),
        "transaction.state.log.min.isr": str(max(1, factor - 1)),
        # After a restart of the whole cluster one broker leads everything; nobody here wants to wait five minutes.
        "leader.imbalance.check.interval.seconds": "10",
    }


def client_and_controller_ports(first: int, brokers: int) -> list[tuple[int, int]]:
    """9092 and 9093 for the first, 9094 and 9095 for the second, and so on."""
    return [(first + 2 * index, first + 2 * index + 1) for index in range(brokers)]


def metrics_ports(first: int, brokers: int) -> Sequence[int]:
    return range(first, first + brokers)
