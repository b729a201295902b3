"""A node's part in the metadata quorum, and what it knows of the cluster by it. Every node has it: as a voter, or as
one who follows the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.ids import random_uuid
from riacho.broker.access.authorization import follow_acls
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.membership.cluster_identity import cluster_id_of
from riacho.broker.membership.failure_detector import FailureDetector
from riacho.broker.membership.suspects import Suspects
from riacho.broker.peers.peer_connector import PeerConnector
from riacho.broker.quorum.quorum import Quorum
from riacho.log.directories import LogDirectories

if TYPE_CHECKING:
    from riacho.broker.config import ListenerAddress
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quorum.raft_driver import RaftDriver


@dataclass(frozen=True, slots=True)
class QuorumParts:
    directories: LogDirectories
    quorum: Quorum
    # The quorum's.
    metadata: MetadataCache
    raft: RaftDriver
    controller: ControllerDriver
    failure_detector: FailureDetector
    suspects: Suspects
    endpoints: BrokerEndpoints
    peers: PeerConnector


def open_directories(node: NodeParts) -> LogDirectories:
    """Lock and read the data directories."""
    config, new_uuid = node.config, partial(random_uuid, node.environment.rng)
    directories = LogDirectories(
        config.log_dirs,
        node_id=config.node_id,
        cluster_id=cluster_id_of(config, new_uuid),
        new_directory_id=new_uuid,
        files=node.environment.files,
    )
    for path, reason in directories.offline.items():
        node.logs.error.error("log directory is out of service path=%s reason=%s", path, reason)
    return directories


def open_quorum(node: NodeParts, directories: LogDirectories, advertised: Sequence[ListenerAddress]) -> QuorumParts:
    """`advertised`: where others reach this node's listeners. The quorum is joined when its driver is started."""
    config, clock, logs, network = node.config, node.clock, node.logs, node.environment.network
    for_controllers = [each for each in advertised if config.is_controller_listener(each.name)]
    security = node.security.peers
    quorum = Quorum(
        config,
        node.environment,
        logs,
        directories,
        for_controllers,
        security.to_controllers,
        node.breakdown.happen,
    )
    metadata, controller = quorum.metadata, quorum.controller
    node.security.follow(metadata)
    follow_acls(node.authorizer, metadata)
    metadata.subscribe(node.fast_path_epoch.image_changed)
    failure_detector = FailureDetector(config.node_id, controller, network, clock, logs)
    controller.on_activated.append(failure_detector.activated)
    return QuorumParts(
        directories=directories,
        quorum=quorum,
        metadata=metadata,
        raft=quorum.raft,
        controller=controller,
        failure_detector=failure_detector,
        suspects=Suspects(clock),
        endpoints=BrokerEndpoints(config, advertised, metadata),
        peers=PeerConnector(config.node_id, network, security.to_brokers, security.to_controllers),
    )
