"""How a node takes part in its cluster: its way to the active controller, its registration, a controller's tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.ids import random_uuid
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.membership.incarnation import Incarnation
from riacho.broker.membership.shutdown_markers import ShutdownMarkers, read_boot_id
from riacho.broker.parts.request_contexts import own_context
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.quorum.controller_channel import ControllerChannel
from riacho.broker.quorum.controller_registration import ControllerRegistration
from riacho.broker.quorum.controller_tasks import ControllerTasks
from riacho.broker.quorum.forwarding import Forwarding
from riacho.broker.quorum.leader_recovery import LeaderRecovery

if TYPE_CHECKING:
    from riacho.broker.config import ListenerAddress
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.parts.quorum_parts import QuorumParts
    from riacho.broker.requests.api import Api


@dataclass(frozen=True, slots=True)
class MembershipParts:
    channel: ControllerChannel
    forwarding: Forwarding
    lifecycle: BrokerLifecycle
    leader_recovery: LeaderRecovery
    controller_tasks: ControllerTasks

    def leader_changed(self) -> None:
        """The quorum has another leader."""
        self.channel.leader_changed()
        self.lifecycle.wake()

    def close(self) -> None:
        self.channel.close()
        self.forwarding.close()


def open_membership(
    node: NodeParts, quorum: QuorumParts, apis: Mapping[int, Api], advertised: Sequence[ListenerAddress]
) -> MembershipParts:
    """`apis` are those that controllers serve."""
    config, clock, logs = node.config, node.clock, node.logs
    channel = ControllerChannel(quorum.controller, quorum.raft, quorum.peers, apis, partial(own_context, node, quorum))
    for_controllers = [each for each in advertised if config.is_controller_listener(each.name)]
    peers = NodePeers(quorum.endpoints.inter_broker, quorum.peers, "leader-recovery")
    session_ms = config.get("broker.session.timeout.ms")
    leader_recovery = LeaderRecovery(quorum.controller, peers, clock, logs, session_ms)
    incarnation_id = random_uuid(node.environment.rng)
    registration = ControllerRegistration(
        config.node_id, incarnation_id, for_controllers, quorum.metadata, channel, logs
    )
    return MembershipParts(
        channel=channel,
        forwarding=Forwarding(quorum.controller, quorum.raft, channel, quorum.peers, config.get("request.timeout.ms")),
        lifecycle=BrokerLifecycle(
            config,
            _incarnation(node, quorum, [each for each in advertised if each not in for_controllers]),
            quorum.directories,
            quorum.metadata,
            channel,
            clock,
            logs,
        ),
        leader_recovery=leader_recovery,
        controller_tasks=ControllerTasks(
            config,
            clock,
            logs,
            quorum.controller,
            (quorum.failure_detector, leader_recovery),
            registration if for_controllers else None,
        ),
    )


def _incarnation(node: NodeParts, quorum: QuorumParts, listeners: Sequence[ListenerAddress]) -> Incarnation:
    """`listeners`: at which clients and brokers reach this broker."""
    boot_id = read_boot_id(node.config.get("riacho.boot.id.file"), node.environment.files)
    return Incarnation(
        random_uuid(node.environment.rng), tuple(listeners), ShutdownMarkers(quorum.directories, boot_id)
    )
