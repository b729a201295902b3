"""What a node serves as: a broker, which may be a controller too, or a controller alone.

Start: `open_node` (`node.py`), then `open_server` joins the quorum; a broker waits there for the cluster's metadata,
registers, and opens the partitions that it hosts. `serve` accepts, and the controller lets the broker in. A node that
is the whole quorum does all of this without waiting for anybody. Stop: ask the controller for leave, accept no more,
answer what is parked, hand the quorum over, write the checkpoints and the clean-shutdown marks.

A start that is given up while there is nothing to serve yet ends with `Node.give_up`; after that a server stops as it
does later, so that the next start need not recover anything either.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from riacho.broker.coordinator_parts import Coordinators, open_coordinators
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.housekeeping import Housekeeping, connection_chores, coordinator_chores
from riacho.broker.metrics.exposed_parts import ExposedBroker, ExposedQuorum
from riacho.broker.metrics.exposition import Exposition
from riacho.broker.parts.hosting_parts import HostingParts, open_hosting
from riacho.broker.parts.request_contexts import BrokerRequestContext
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.produce.produce_parts import ProduceParts, open_produce
from riacho.broker.quotas.idle_connections import IdleConnections
from riacho.broker.serving.service import Service
from riacho.wire.code_form import code_form

if TYPE_CHECKING:
    from riacho.broker.node import Node

# How long a stopping broker lets its last answers leave.
_DRAIN_S = 0.05
# How long a stopping broker waits for its leaderships to move. Kafka has no bound; a cluster that goes down as a whole
# would wait for ever for a controller that is gone.
_CONTROLLED_SHUTDOWN_MS = 10_000


@dataclass(frozen=True, slots=True)
class ControllerServer:
    node: Node

    async def serve(self) -> None:
        await _begin(self.node, "controller", None, 0)

    async def stop(self) -> None:
        """Graceful: the next start needs no recovery."""
        node = self.node
        node.stop_accepting()
        await node.parts.security.stop()
        await node.membership.lifecycle.close()
        await asyncio.sleep(_DRAIN_S)
        broker_epoch = node.membership.lifecycle.epoch
        await node.close(partial(node.quorum.directories.close, clean=True, broker_epoch=broker_epoch))
        node.parts.logs.error.info("controller stopped node_id=%d", node.node_id)


@dataclass(frozen=True, slots=True)
class BrokerServer:
    node: Node
    hosting: HostingParts
    coordinators: Coordinators
    produce: ProduceParts
    housekeeping: Housekeeping

    async def serve(self) -> None:
        """Accept, and be let in."""
        node, lifecycle = self.node, self.node.membership.lifecycle
        service = self._service()
        for listener in node.listeners:
            if not listener.is_for_controllers:
                await listener.accept(service)
        lifecycle.serve()
        lifecycle.start()
        await lifecycle.unfenced()
        await _begin(node, "broker", self._exposed(), self.hosting.replicas.partition_count())
        self.housekeeping.start()

    def _service(self) -> Service:
        node, quorum = self.node.parts, self.node.quorum
        return Service(
            apis=BY_KEY,
            new_context=partial(BrokerRequestContext, node, quorum, self.hosting, self.coordinators, self.produce),
            faults=self.node.faults,
            # A node that is the whole quorum decides everything itself.
            forwarding=None if node.config.is_alone else self.node.membership.forwarding,
            fast_paths=self.produce.fast_path_offers,
        )

    def _exposed(self) -> ExposedBroker:
        hosting, config = self.hosting, self.node.parts.config
        return ExposedBroker(
            config.node_id,
            hosting.replicas,
            hosting.replica_fetchers,
            hosting.isr_proposals,
            hosting.fetch_source.sessions,
            self.coordinators.groups,
            config.get("riacho.metrics.entries.max"),
        )

    async def stop(self) -> None:
        """Graceful: leaderships move first, whoever waits gets an answer, and the next start needs no recovery."""
        node, lifecycle = self.node, self.node.membership.lifecycle
        if self._wants_leave():
            await lifecycle.shut_down(_CONTROLLED_SHUTDOWN_MS)
        node.stop_accepting()
        await self.housekeeping.stop()
        await node.parts.security.stop()
        await lifecycle.close()
        await self.hosting.stop()
        self.coordinators.close()
        self.hosting.replicas.release_waiting()
        await asyncio.sleep(_DRAIN_S)
        await node.close(self._close_disks)
        self.produce.checking.close()
        node.parts.logs.error.info("broker stopped node_id=%d", node.node_id)

    def _wants_leave(self) -> bool:
        """Whether it asks the controller for leave, which gives what this broker leads to others."""
        node, brokers = self.node, self.node.quorum.metadata.image.brokers.values()
        in_service = {broker.id for broker in brokers if not broker.is_fenced}
        # One that was not let in yet leads nothing; and what one that is alone leads, nobody could take.
        could_give = node.node_id in in_service and len(in_service) > 1
        # A node whose metadata broke must not linger: while its port is open, it is taken for alive.
        is_whole = node.parts.breakdown.error is None
        return is_whole and could_give and bool(node.parts.config.get("controlled.shutdown.enable"))

    def _close_disks(self) -> None:
        self.hosting.close()
        self.node.quorum.directories.close(clean=True, broker_epoch=self.node.membership.lifecycle.epoch)


Server: TypeAlias = ControllerServer | BrokerServer


async def open_server(node: Node) -> Server:
    """Until this node could serve. Where others are needed for that and are not there, until they come."""
    await node.join_quorum()
    return await _open_broker(node) if node.parts.config.is_broker else ControllerServer(node)


async def start(node: Node) -> Server:
    """Until this node serves. Where it cannot, or is stopped before, it lets go of everything."""
    try:
        server = await open_server(node)
    except BaseException:
        await node.give_up()
        raise
    try:
        await server.serve()
    except BaseException:
        await server.stop()
        raise
    return server


async def _open_broker(node: Node) -> BrokerServer:
    """Register, and open what the metadata place here."""
    parts, quorum, lifecycle = node.parts, node.quorum, node.membership.lifecycle
    await lifecycle.join()
    await quorum.metadata.until(lambda image: image.end_offset > lifecycle.epoch)
    hosting = await open_hosting(parts, quorum, node.membership)
    coordinators = open_coordinators(
        parts.config,
        parts.environment,
        parts.logs,
        quorum.metadata,
        hosting.replicas,
        hosting.auto_topics,
        hosting.producer_ids,
        partial(NodePeers, quorum.endpoints.inter_broker, quorum.peers),
    )
    produce = open_produce(
        hosting.replicas,
        quorum.metadata,
        coordinators.transaction_verifier,
        parts.quotas,
        quorum.endpoints.of,
        clock=parts.clock,
        loop=parts.loop,
        executor=parts.environment.executor("record-checks"),
        logs=parts.logs,
        metrics=parts.metrics,
    )
    return BrokerServer(node, hosting, coordinators, produce, _housekeeping(node, hosting, coordinators))


def _housekeeping(node: Node, hosting: HostingParts, coordinators: Coordinators) -> Housekeeping:
    parts, limits = node.parts, node.parts.limits
    idle = IdleConnections(node.listeners, parts.clock, parts.metrics, limits.connection_idle_ms_max)
    chores = coordinator_chores(
        parts.config,
        coordinators.groups,
        coordinators.transactions,
        coordinators.share_coordinator,
        coordinators.share_partitions,
    )
    return Housekeeping(
        parts.config,
        parts.clock,
        parts.environment.executor,
        parts.logs,
        node.quorum.metadata,
        hosting.replicas,
        chores + connection_chores(idle),
    )


async def _begin(node: Node, role: str, exposed: ExposedBroker | None, partition_count: int) -> None:
    """What every server does when it serves."""
    parts, quorum = node.parts, node.quorum
    if node.metrics_endpoint is not None:
        exposed_quorum = ExposedQuorum(quorum.metadata, quorum.raft.node, quorum.controller)
        connections = node.connection_quotas
        await node.metrics_endpoint.accept(
            Exposition(parts.metrics, parts.quotas, connections, parts.clock, parts.started_ms, exposed_quorum, exposed)
        )
    parts.security.start(quorum.metadata)
    parts.logs.error.info(
        "%s started node_id=%d cluster_id=%s listeners=%s partitions=%d elapsed_ms=%d code=%s",
        role,
        node.node_id,
        quorum.metadata.image.cluster_id,
        ",".join(f"{listener.name}://{listener.host}:{listener.port}" for listener in node.listeners),
        partition_count,
        parts.clock.monotonic_ms() - parts.started_ms,
        code_form(),
    )
