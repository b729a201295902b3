"""A node: every part of it, and how the parts are joined. Read this file to see the whole.

Start: bind the listeners (so that advertised ports are known), lock and read the data directories, join the metadata
quorum; a broker then waits for the cluster's metadata, registers, opens the partitions that it hosts, accepts, and is
let in by the controller. A node that is the whole quorum does all of this without waiting for anybody. Stop: ask the
controller for leave, accept no more, answer what is parked, hand the quorum over, write the checkpoints and the
clean-shutdown marks.
"""
# Long because: it is the one place where every part of a node is built and joined, in order.

# Long because: it is the one place where all parts of a node are joined.
from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.base.ids import random_uuid
from riacho.broker.access.authorization import authorizer_of, follow_acls
from riacho.broker.access.node_security import NodeSecurity
from riacho.broker.config import ListenerAddress
from riacho.broker.coordinator_parts import Coordinators, open_coordinators
from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.fetch.fetch_sessions import FetchSessionCache
from riacho.broker.fetch.replica_selector import Selector, selector_for
from riacho.broker.handlers.table import CONTROLLER_BY_KEY
from riacho.broker.housekeeping import Housekeeping, connection_chores, coordinator_chores
from riacho.broker.ineffective_configs import follow_configs
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.membership.cluster_identity import cluster_id_of
from riacho.broker.membership.failure_detector import FailureDetector
from riacho.broker.membership.incarnation import Incarnation
from riacho.broker.membership.run_marks import RunMarks, read_boot_id
from riacho.broker.membership.suspects import Suspects
from riacho.broker.metrics.exposition import Exposition
from riacho.broker.metrics.metrics_endpoint import MetricsEndpoint, bind_metrics
from riacho.broker.metrics.node_parts import BrokerParts, QuorumParts
from riacho.broker.partitions.auto_topics import AutoTopics
from riacho.broker.partitions.broken_directories import BrokenDirectories
from riacho.broker.partitions.directory_assignments import DirectoryAssignments
from riacho.broker.partitions.full_directories import FullDirectories
from riacho.broker.partitions.replica_moves import ReplicaMoves
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.peers.peer_connector import PeerConnector
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.broker.produce.produce_parts import ProduceParts, open_produce
from riacho.broker.quorum.controller_channel import ControllerChannel
from riacho.broker.quorum.controller_registration import ControllerRegistration
from riacho.broker.quorum.controller_tasks import ControllerTasks
from riacho.broker.quorum.forwarding import Forwarding
from riacho.broker.quorum.leader_recovery import LeaderRecovery
from riacho.broker.quorum.quorum import Quorum
from riacho.broker.quotas.connection_quotas import ConnectionQuotas, follow_quotas
from riacho.broker.quotas.idle_connections import IdleConnections
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.quotas.replication_quota import ReplicationQuotas
from riacho.broker.replication.isr_proposals import IsrProposals
from riacho.broker.replication.leader_connections import LeaderConnections
from riacho.broker.replication.replica_fetcher import FetcherWorld
from riacho.broker.replication.replica_fetchers import ReplicaFetchers
from riacho.broker.requests.large_requests import LargeRequests
from riacho.broker.requests.limits import Limits
from riacho.broker.requests.memory_pool import MemoryPool
from riacho.broker.requests.request_context import RequestContext
from riacho.broker.serving.incoming import CHUNK_SIZE_BYTES
from riacho.broker.serving.listener import Listener
from riacho.log.directories import LogDirectories
from riacho.wire.code_form import code_form

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig
    from riacho.broker.environment import Environment
    from riacho.broker.faults import Faults
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quorum.raft_driver import RaftDriver
    from riacho.broker.serving.connection import Connection
    from riacho.security.authorizer import Authorizer

# A full session cache lets a new session take the place of one unused for this long, as Kafka does.
_SESSION_EVICTION_MS = 120_000
# How long a stopping broker lets its last answers leave.
_DRAIN_S = 0.05
# How long a stopping broker waits for its leaderships to move. Kafka has no bound; a cluster that goes down as a whole
# would wait for ever for a controller that is gone.
_CONTROLLED_SHUTDOWN_MS = 10_000


class Broker:
    def __init__(
        self, config: BrokerConfig, environment: Environment, logs: Logs, faults: Faults | None = None
    ) -> None:
        self.config = config
        self._environment = environment
        self.clock, self.rng = environment.clock, environment.rng
        self.network, self.files = environment.network, environment.files
        self.executor = environment.executor
        self._environment = environment
        self.logs = logs
        self.faults = faults
        self.limits = Limits.of(config)
        self.metrics = BrokerMetrics()
        self.quotas = Quotas(config, self.clock)
        self.connection_quotas: ConnectionQuotas[Connection] = ConnectionQuotas(
            config, self.limits, self.clock, self.metrics, logs
        )
        self.fetch_sessions = FetchSessionCache(
            config.get("max.incremental.fetch.session.cache.slots"), _SESSION_EVICTION_MS, self.rng
        )
        self.security = NodeSecurity(config, self.metrics.authentications, logs)
        self.peer_security = self.security.peers
        self.listeners = [Listener(self, listener.name, listener.host, listener.port) for listener in config.listeners]
        for listener in self.listeners:
            self.connection_quotas.add_listener(listener)
        self.suspects = Suspects(self.clock)
        # Who may do what; None lets everybody do everything.
        self.authorizer: Authorizer | None = authorizer_of(config)
        self.metrics_endpoint: MetricsEndpoint | None = None
        self.memory = MemoryPool(self.limits.held_size_bytes_max)
        # What connections read into.
        self.chunk = memoryview(bytearray(CHUNK_SIZE_BYTES))
        self.large_requests = LargeRequests(self.memory)
        self.loop: asyncio.AbstractEventLoop
        self.directories: LogDirectories
        self.quorum: Quorum
        self.metadata: MetadataCache
        self.raft: RaftDriver
        self.controller: ControllerDriver
        self.endpoints: BrokerEndpoints
        self.peer_connector: PeerConnector
        self.controller_channel: ControllerChannel
        self.forwarding: Forwarding
        self.failure_detector: FailureDetector
        self.controller_tasks: ControllerTasks
        self.lifecycle: BrokerLifecycle
        self.auto_topics: AutoTopics
        self.producer_ids: ProducerIdBlocks
        self.replicas: Replicas
        self.isr_proposals: IsrProposals
        self.directory_assignments: DirectoryAssignments
        self.replica_moves: ReplicaMoves
        self.replication_quotas: ReplicationQuotas
        self.replica_selector: Selector | None
        self.replica_fetchers: ReplicaFetchers
        # Why this node cannot go on, when it cannot.
        self.broken: KafkaError | None = None
        self._is_broken = asyncio.Event()
        self._is_started = False
        self.fast_path_epoch = FastPathEpoch()
        self.produce: ProduceParts
        self._housekeeping: Housekeeping | None = None
        self._started_ms = self.clock.monotonic_ms()

    @property
    def node_id(self) -> int:
        return self.config.node_id

    async def start(self) -> None:
        """Until this node serves. Where others are needed for that and are not there, until they come."""
        self.loop = asyncio.get_running_loop()
        bound: list[Listener | MetricsEndpoint] = []
        try:
            for listener in self.listeners:
                listener.bind()
                bound.append(listener)
            self.metrics_endpoint = bind_metrics(self.config, self.network, self.logs)
            if self.metrics_endpoint is not None:
                bound.append(self.metrics_endpoint)
            self._open_storage()
            await self._join_quorum()
            if self.config.is_broker:
                await self._join_cluster()
        except BaseException:
            for taken in bound:
                taken.unbind()
            raise
        if self.metrics_endpoint is not None:
            await self.metrics_endpoint.accept(self._exposition())
        self.security.start(self.metadata)
        if self.config.is_broker:
            self._housekeeping = self._open_housekeeping()
            self._housekeeping.start()
        self._is_started = True
        self.logs.error.info(
            "%s started node_id=%d cluster_id=%s listeners=%s partitions=%d elapsed_ms=%d code=%s",
            self._role(),
            self.node_id,
            self.metadata.image.cluster_id,
            ",".join(f"{listener.name}://{listener.host}:{listener.port}" for listener in self.listeners),
            self.replicas.partition_count() if self.config.is_broker else 0,
            self.uptime_ms(),
            code_form(),
        )

    def _open_storage(self) -> None:
        config, new_uuid = self.config, partial(random_uuid, self.rng)
        self.directories = LogDirectories(
            config.log_dirs,
            node_id=self.node_id,
            cluster_id=cluster_id_of(config, new_uuid),
            new_directory_id=new_uuid,
            files=self.files,
        )
        for path, reason in self.directories.offline.items():
            self.logs.error.error("log directory is out of service path=%s reason=%s", path, reason)
        advertised = self._advertised()
        controller_listeners = [each for each in advertised if config.is_controller_listener(each.name)]
        self.quorum = Quorum(config, self._environment, self.logs, self.directories, controller_listeners)
        self.metadata, self.raft, self.controller = self.quorum.metadata, self.quorum.raft, self.quorum.controller
        follow_quotas(self.metadata, self.quotas, self.connection_quotas)
        self.security.follow(self.metadata)
        follow_acls(self.authorizer, self.metadata)
        self.metadata.subscribe(self.fast_path_epoch.image_changed)
        follow_configs(self.node_id, self.metadata, self.logs)
        security = self.peer_security
        self.raft.security = security.to_controllers
        self.endpoints = BrokerEndpoints(config, advertised, self.metadata)
        self.peer_connector = PeerConnector(self.node_id, self.network, security.to_brokers, security.to_controllers)
        self.controller_channel = ControllerChannel(
            self.controller, self.raft, self.peer_connector, CONTROLLER_BY_KEY, self._own_context
        )
        request_timeout_ms = config.get("request.timeout.ms")
        self.forwarding = Forwarding(
            self.controller, self.raft, self.controller_channel, self.peer_connector, request_timeout_ms
        )
        self._open_controller(controller_listeners)
        self._open_membership([each for each in advertised if each not in controller_listeners])
        self.auto_topics = AutoTopics(self.metadata, self.controller_channel)
        self.producer_ids = ProducerIdBlocks(self.node_id, self.lifecycle, self.controller_channel)

    def _open_controller(self, listeners: list[ListenerAddress]) -> None:
        """`listeners`: at which other nodes reach this controller."""
        config, clock, logs, controller = self.config, self.clock, self.logs, self.controller
        self.failure_detector = FailureDetector(self.node_id, controller, self.network, clock, logs)
        peers = NodePeers(self.endpoints.inter_broker, self.peer_connector, "leader-recovery")
        session_ms = config.get("broker.session.timeout.ms")
        self._leader_recovery = LeaderRecovery(controller, peers, clock, logs, session_ms)
        registration = ControllerRegistration(
            self.node_id, random_uuid(self.rng), listeners, self.metadata, self.controller_channel, logs
        )
        beside = (self.failure_detector, self._leader_recovery)
        self.controller_tasks = ControllerTasks(
            config, clock, logs, controller, beside, registration if listeners else None
        )

    def _open_membership(self, listeners: list[ListenerAddress]) -> None:
        """`listeners`: at which clients and brokers reach this broker."""
        config, directories = self.config, self.directories
        incarnation_id = random_uuid(self.rng)
        marks = RunMarks(directories, read_boot_id(config.get("riacho.boot.id.file"), self.files))
        self.lifecycle = BrokerLifecycle(
            config,
            Incarnation(incarnation_id, tuple(listeners), marks),
            directories,
            self.metadata,
            self.controller_channel,
            self.clock,
            self.logs,
        )

    def _own_context(self) -> RequestContext:
        """Of a request that this node sends to itself."""
        context = RequestContext(self, "", "")
        context.is_own = True
        return context

    async def _join_quorum(self) -> None:
        self.raft.on_leader_changed = self._leader_changed
        self.raft.on_broken = self.break_down
        self.controller.on_activated.append(self.failure_detector.activated)
        for listener in self.listeners:
            if listener.is_for_controllers:
                await listener.accept()
        self.quorum.start(self.loop)
        if self.config.is_controller:
            self.controller.on_activated.append(self._leader_recovery.activated)
            self.metadata.subscribe(self._leader_recovery.image_changed)
            self.controller_tasks.start()

    def _leader_changed(self, leader_id: int, epoch: int) -> None:
        self.controller.leader_changed()
        self.controller_channel.leader_changed()
        self.lifecycle.wake()

    async def _join_cluster(self) -> None:
        """Register, open what the metadata place here, accept, and be let in."""
        config = self.config
        await self.lifecycle.join()
        await self.metadata.until(lambda image: image.end_offset > self.lifecycle.epoch)
        metadata, clock, logs = self.metadata, self.clock, self.logs
        lag_ms_max, expiry_ms = config.get("replica.lag.time.max.ms"), config.get("producer.id.expiration.ms")
        self.isr_proposals = IsrProposals(self.node_id, metadata, clock, logs, self.controller_channel.send, lag_ms_max)
        self.replicas = Replicas(
            self.node_id, self.directories, metadata, clock, logs, self.metrics, expiry_ms, self.isr_proposals
        )
        self.replication_quotas = ReplicationQuotas(self.node_id, self.metadata)
        self.replica_selector = selector_for(config.get("replica.selector.class"))
        self.replica_fetchers = self._new_replica_fetchers()
        for _ in self.replicas.load_in_steps():
            await asyncio.sleep(0)
        self.replica_fetchers.start()
        directories, replicas = self.directories, self.replicas
        self.directory_assignments = DirectoryAssignments(
            self.node_id, directories, replicas, metadata, self.controller_channel, self.lifecycle, logs
        )
        for hosted in self.replicas.all():
            self.directory_assignments.hosted(hosted)
        for listener in (self.replica_fetchers.role_changed, self.directory_assignments.hosted):
            self.replicas.when_late(listener)
        BrokenDirectories(
            config, directories, replicas, self.lifecycle, logs, self.replica_fetchers.gone, self.break_down
        )
        self._full_directories = FullDirectories(
            directories, replicas, self.files, clock, logs, self.replica_fetchers.role_changed
        )
        self.replica_moves = ReplicaMoves(directories, replicas, self.directory_assignments, metadata, clock, logs)
        self.replica_moves.start()
        # In this order: a partition has its role before anybody follows its leader.
        for part in (self.replicas, self.replica_fetchers, self.directory_assignments):
            self.metadata.subscribe(part.image_changed)
        for follower in (self.replication_quotas, self.suspects, self.lifecycle, self.fast_path_epoch):
            self.metadata.subscribe(follower.image_changed)
        parts = (
            self.replicas,
            self.auto_topics,
            self.producer_ids,
            partial(NodePeers, self.endpoints.inter_broker, self.peer_connector),
        )
        self._take_coordinators(open_coordinators(config, self._environment, logs, metadata, *parts))
        self.produce = open_produce(
            self.replicas,
            metadata,
            self.transaction_verifier,
            self.quotas,
            self.endpoints.of,
            clock=clock,
            loop=self.loop,
            executor=self.executor("record-checks"),
            logs=logs,
            metrics=self.metrics,
        )
        for served in self.client_listeners():
            await served.accept()
        self.lifecycle.serve()
        self.lifecycle.start()
        await self.lifecycle.unfenced()

    def _take_coordinators(self, opened: Coordinators) -> None:
        self._coordinators = opened
        self.groups, self.transactions = opened.groups, opened.transactions
        self.share_coordinator, self.share_groups = opened.share_coordinator, opened.share_groups
        self.share_partitions, self.share_persister = opened.share_partitions, opened.share_persister
        self.transaction_markers, self.marker_writer = opened.transaction_markers, opened.marker_writer
        self.transaction_verifier = opened.transaction_verifier

    def _exposition(self) -> Exposition:
        quorum, broker = QuorumParts(self.metadata, self.raft.node, self.controller), None
        if self.config.is_broker:
            broker = BrokerParts(
                self.node_id,
                self.replicas,
                self.replica_fetchers,
                self.isr_proposals,
                self.fetch_sessions,
                self.groups,
                self.config.get("riacho.metrics.entries.max"),
            )
        connections, started_ms = self.connection_quotas, self._started_ms
        return Exposition(self.metrics, self.quotas, connections, self.clock, started_ms, quorum, broker)

    def _open_housekeeping(self) -> Housekeeping:
        groups, transactions, shares = self.groups, self.transactions, self.share_partitions
        idle = IdleConnections(self.listeners, self.clock, self.metrics, self.limits.connection_idle_ms_max)
        of_others = coordinator_chores(self.config, groups, transactions, self.share_coordinator, shares)
        of_others += connection_chores(idle)
        return Housekeeping(self.config, self.clock, self.executor, self.logs, self.metadata, self.replicas, of_others)

    def _new_replica_fetchers(self) -> ReplicaFetchers:
        leaders = LeaderConnections(self.endpoints, self.peer_connector, self.metadata, self.suspects)
        world = FetcherWorld(
            self.node_id,
            self.clock,
            self.logs.error,
            self.metadata.own_broker_epoch,
            leaders.connect,
            self.replication_quotas.follower,
            self.suspects.heard,
        )
        return ReplicaFetchers(world, self.replicas, self.metadata)

    def break_down(self, error: KafkaError) -> None:
        """This node can keep none of its promises any more; whoever runs it must stop it."""
        self.broken = error
        self._is_broken.set()

    async def until_broken(self) -> None:
        await self._is_broken.wait()

    async def stop(self) -> None:
        """Graceful: leaderships move first, whoever waits gets an answer, and the next start needs no recovery."""
        if not self._is_started:
            await self._give_up_starting()
            return
        wants_leave = self.config.is_broker and self.config.get("controlled.shutdown.enable")
        # A node whose metadata broke must not linger: while its port is open, it is taken for alive.
        if wants_leave and self.broken is None and self._has_company():
            await self.lifecycle.shut_down(_CONTROLLED_SHUTDOWN_MS)
        for listener in self.listeners:
            listener.stop_accepting()
        if self._housekeeping is not None:
            await self._housekeeping.stop()
        await self.security.stop()
        await self.lifecycle.close()
        if self.config.is_broker:
            self._full_directories.close()
            await self.replica_moves.stop()
            await self.replica_fetchers.stop()
            self._coordinators.close()
            self.replicas.release_waiting()
            self.produce.checking.close()
        await asyncio.sleep(_DRAIN_S)
        await self.controller_tasks.stop()
        for close in (self.quorum.close, self._close_replicas):
            try:
                await close()
            except (KafkaError, OSError) as error:
                # A full disk, say. No mark of a clean stop is left then, so the next start recovers.
                self.logs.error.error("stop is not clean reason=%s", error)
        for listener in self.listeners:
            listener.close_connections()
        self.controller_channel.close()
        self.forwarding.close()
        if self.metrics_endpoint is not None:
            self.metrics_endpoint.close()
        self.logs.error.info("%s stopped node_id=%d", self._role(), self.node_id)

    def _has_company(self) -> bool:
        """Whether any other broker could take over what this one leads."""
        return any(
            broker.id != self.node_id and not broker.is_fenced for broker in self.metadata.image.brokers.values()
        )

    async def _give_up_starting(self) -> None:
        """Nothing was served yet, so there is nothing to keep but the vote."""
        for listener in self.listeners:
            listener.stop_accepting()
            listener.close_connections()
        if hasattr(self, "quorum"):
            await self.lifecycle.close()
            await self.controller_tasks.stop()
            await self.quorum.close()
        if hasattr(self, "directories"):
            self.directories.close(clean=False)

    async def _close_replicas(self) -> None:
        if self.config.is_broker:
            self.isr_proposals.close()
            self.directory_assignments.close()
        self.directories.close(clean=True, broker_epoch=self.lifecycle.epoch)

    def _role(self) -> str:
        return "broker" if self.config.is_broker else "controller"

    def client_listeners(self) -> list[Listener]:
        return [listener for listener in self.listeners if not listener.is_for_controllers]

    def _advertised(self) -> list[ListenerAddress]:
        """Where others reach the listeners, which are bound by now."""
        config = self.config
        return [
            ListenerAddress(each.name, *config.advertised(each.name, each.port), config.protocol_of(each.name))
            for each in self.listeners
        ]

    def connection_count(self) -> int:
        return self.connection_quotas.connection_count()

    def uptime_ms(self) -> int:
        return self.clock.monotonic_ms() - self._started_ms
