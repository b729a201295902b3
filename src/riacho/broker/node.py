"""A node: its ports, its disks and its part in the quorum. Read this file and `server.py` to see the whole.

`open_node` binds the listeners, so that advertised ports are known, locks and reads the data directories, and opens the
node's part in the metadata quorum, which `join_quorum` joins. What a node serves as, a broker or a controller alone, is
a server on top of it (`server.py`).
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.broker.config import ListenerAddress
from riacho.broker.handlers.table import CONTROLLER_BY_KEY
from riacho.broker.ineffective_configs import follow_configs
from riacho.broker.metrics.metrics_endpoint import MetricsEndpoint, bind_metrics
from riacho.broker.parts.membership_parts import MembershipParts, open_membership
from riacho.broker.parts.node_parts import NodeParts, open_node_parts
from riacho.broker.parts.quorum_parts import QuorumParts, open_directories, open_quorum
from riacho.broker.parts.request_contexts import QuorumRequestContext
from riacho.broker.quotas.connection_quotas import ConnectionQuotas, follow_quotas
from riacho.broker.serving.listener import Listener, bind_listener
from riacho.broker.serving.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable

    from riacho.broker.config import BrokerConfig
    from riacho.broker.environment import Environment
    from riacho.broker.logs import Logs
    from riacho.broker.serving.connection import Connection
    from riacho.broker.serving.service import FaultInjector


@dataclass(frozen=True, slots=True)
class Node:
    parts: NodeParts
    quorum: QuorumParts
    membership: MembershipParts
    connection_quotas: ConnectionQuotas[Connection]
    listeners: tuple[Listener, ...]
    # None: there is no `riacho.metrics.port`.
    metrics_endpoint: MetricsEndpoint | None
    # For tests.
    faults: FaultInjector | None

    @property
    def node_id(self) -> int:
        return self.parts.config.node_id

    async def join_quorum(self) -> None:
        """KafkaError when the data are not of a kind that this version can keep."""
        quorum, membership = self.quorum, self.membership
        quorum.quorum.on_leader_changed += (quorum.controller.leader_changed, membership.leader_changed)
        service = Service(CONTROLLER_BY_KEY, partial(QuorumRequestContext, self.parts, quorum), self.faults)
        for listener in self.listeners:
            if listener.is_for_controllers:
                await listener.accept(service)
        quorum.quorum.start(self.parts.loop)
        self.parts.visitor_log.start(self.parts.loop)
        if self.parts.config.is_controller:
            quorum.controller.on_activated.append(membership.leader_recovery.activated)
            quorum.metadata.subscribe(membership.leader_recovery.image_changed)
            membership.controller_tasks.start()

    def stop_accepting(self) -> None:
        for listener in self.listeners:
            listener.stop_accepting()

    async def close(self, close_disks: Callable[[], None]) -> None:
        """Hand the quorum over, and let go of everything. `close_disks` writes what the next start reads."""
        logs = self.parts.logs.error
        await self.membership.controller_tasks.stop()
        try:
            await self.quorum.quorum.close()
        except (KafkaError, OSError) as error:
            # A full disk, say. No mark of a clean stop is left then, so the next start recovers.
            logs.error("stop is not clean reason=%s", error)
        try:
            close_disks()
        except (KafkaError, OSError) as error:
            logs.error("stop is not clean reason=%s", error)
        for listener in self.listeners:
            listener.close_connections()
        self.membership.close()
        self.parts.visitor_log.close()
        if self.metrics_endpoint is not None:
            self.metrics_endpoint.close()

    async def give_up(self) -> None:
        """After a start that did not come to its end: nothing was served yet, so there is nothing to keep but the
        vote."""
        self.stop_accepting()
        await self.parts.security.stop()
        await self.membership.lifecycle.close()
        await self.close(partial(self.quorum.directories.close, clean=False))


def open_node(config: BrokerConfig, environment: Environment, logs: Logs, faults: FaultInjector | None = None) -> Node:
    """Within the loop that it will run on. OSError, ConfigError or KafkaError; nothing is held then."""
    node = open_node_parts(config, environment, logs)
    quotas: ConnectionQuotas[Connection] = ConnectionQuotas(config, node.limits, node.clock, node.metrics, logs)
    with ExitStack() as opened:
        listeners: list[Listener] = []
        for address in config.listeners:
            listeners.append(bind_listener(node, quotas, address))
            opened.callback(listeners[-1].stop_accepting)
        metrics_endpoint = bind_metrics(config, environment.network, logs)
        if metrics_endpoint is not None:
            opened.callback(metrics_endpoint.unbind)
        advertised = [
            ListenerAddress(each.name, *config.advertised(each.name, each.port), config.protocol_of(each.name))
            for each in listeners
        ]
        directories = open_directories(node)
        opened.callback(partial(directories.close, clean=False))
        quorum = open_quorum(node, directories, advertised)
        follow_quotas(quorum.metadata, node.quotas, quotas)
        follow_configs(config.node_id, quorum.metadata, logs)
        membership = open_membership(node, quorum, CONTROLLER_BY_KEY, advertised)
        opened.pop_all()
    return Node(node, quorum, membership, quotas, tuple(listeners), metrics_endpoint, faults)
