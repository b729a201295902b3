"""The broker: every part of it, and how the parts are joined. Read this file to see the whole.

Start: bind the listeners (so that advertised ports are known), lock and read the data directories, replay the cluster
metadata, open the partitions it names, and only then accept. Stop: accept no more, answer what is parked, write the
checkpoints and the clean-shutdown marks.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.controller_driver import ClusterMetadata
from riacho.broker.fetch_sessions import FetchSessionCache
from riacho.broker.housekeeping import Housekeeping
from riacho.broker.limits import Limits
from riacho.broker.listener import Listener
from riacho.broker.metrics import BrokerMetrics
from riacho.broker.metrics_endpoint import MetricsEndpoint
from riacho.broker.replicas import Replicas
from riacho.broker.shard_runtime import GroupRuntime
from riacho.groups.config import GroupConfig
from riacho.log.directories import LogDirectories

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig
    from riacho.broker.environment import Environment
    from riacho.broker.faults import Faults
    from riacho.broker.logs import Logs
    from riacho.metadata.image import MetadataImage

# A full session cache lets a new session take the place of one unused for this long, as Kafka does.
_SESSION_EVICTION_MS = 120_000
# How long a stopping broker lets its last answers leave.
_DRAIN_S = 0.05


class Broker:
    def __init__(
        self, config: BrokerConfig, environment: Environment, logs: Logs, faults: Faults | None = None
    ) -> None:
        self.config = config
        self.clock = environment.clock
        self.rng = environment.rng
        self.logs = logs
        self.faults = faults
        self.limits = Limits.of(config)
        self.metrics = BrokerMetrics()
        self.fetch_sessions = FetchSessionCache(
            config.get("max.incremental.fetch.session.cache.slots"), _SESSION_EVICTION_MS, self.rng
        )
        self.listeners = [
            Listener(self, listener.name, listener.host, listener.port) for listener in config.broker_listeners
        ]
        self.metrics_endpoint: MetricsEndpoint | None = None
        # Bytes of half-received requests, over all connections.
        self.held_bytes = 0
        self.loop: asyncio.AbstractEventLoop
        self.directories: LogDirectories
        self.metadata: ClusterMetadata
        self.replicas: Replicas
        self.groups: GroupRuntime
        self._housekeeping = Housekeeping(self)
        self._started_ms = self.clock.monotonic_ms()

    @property
    def node_id(self) -> int:
        return self.config.node_id

    async def start(self) -> None:
        self.loop = asyncio.get_running_loop()
        bound: list[Listener | MetricsEndpoint] = []
        try:
            for listener in self.listeners:
                listener.bind()
                bound.append(listener)
            self.metrics_endpoint = self._bind_metrics()
            if self.metrics_endpoint is not None:
                bound.append(self.metrics_endpoint)
            self._open_storage()
        except BaseException:
            for taken in bound:
                taken.unbind()
            raise
        for listener in self.listeners:
            await listener.accept()
        if self.metrics_endpoint is not None:
            await self.metrics_endpoint.accept()
        self._housekeeping.start()
        self.logs.error.info(
            "broker started node_id=%d cluster_id=%s listeners=%s partitions=%d elapsed_ms=%d",
            self.node_id,
            self.metadata.image.cluster_id,
            ",".join(f"{listener.name}://{listener.host}:{listener.port}" for listener in self.listeners),
            self.replicas.partition_count(),
            self.uptime_ms(),
        )

    def _open_storage(self) -> None:
        config = self.config
        self.directories = LogDirectories(
            config.log_dirs, node_id=self.node_id, cluster_id=self._cluster_id(), new_directory_id=self._new_uuid
        )
        for path, reason in self.directories.offline.items():
            self.logs.error.error("log directory is out of service path=%s reason=%s", path, reason)
        self.metadata = ClusterMetadata.open(self)
        self.replicas = Replicas(
            self.node_id,
            self.directories,
            self.metadata,
            self.clock,
            self.logs,
            self.metrics,
            config.get("producer.id.expiration.ms"),
        )
        self.replicas.load()
        self.metadata.subscribe(self.replicas.image_changed)
        self.groups = GroupRuntime(GroupConfig.of(config.get), self.replicas, self.clock, self.metadata)
        self.metadata.subscribe(self._forget_offsets_of_deleted_topics)

    def _bind_metrics(self) -> MetricsEndpoint | None:
        port = self.config.get("riacho.metrics.port")
        if port < 0:
            return None
        endpoint = MetricsEndpoint(self, self.config.get("riacho.metrics.host"), port)
        try:
            endpoint.bind()
        except OSError as error:
            if self.config.is_set("riacho.metrics.port"):
                raise
            # The default port is a convenience: a second broker on this machine goes without.
            self.logs.error.warning("metrics are not served port=%d reason=%s", port, error.strerror)
            return None
        return endpoint

    def _forget_offsets_of_deleted_topics(self, old: MetadataImage, new: MetadataImage) -> None:
        if new.topics is not old.topics:
            deleted = old.topics.keys() - new.topics.keys()
            if deleted:
                self.groups.forget_topics(deleted)

    async def stop(self) -> None:
        """Graceful: whoever waits gets an answer, and the next start needs no recovery."""
        for listener in self.listeners:
            listener.stop_accepting()
        await self._housekeeping.stop()
        self.groups.close()
        self.replicas.release_waiting()
        await asyncio.sleep(_DRAIN_S)
        for listener in self.listeners:
            listener.close_connections()
        if self.metrics_endpoint is not None:
            self.metrics_endpoint.close()
        for close in (self.metadata.close, self.replicas.close):
            try:
                close()
            except (KafkaError, OSError) as error:
                # A full disk, say. No mark of a clean stop is left then, so the next start recovers.
                self.logs.error.error("stop is not clean reason=%s", error)
        self.logs.error.info("broker stopped node_id=%d", self.node_id)

    def connection_count(self) -> int:
        return sum(len(listener.connections) for listener in self.listeners)

    def uptime_ms(self) -> int:
        return self.clock.monotonic_ms() - self._started_ms

    def endpoint_of(self, node_id: int, listener_name: str) -> tuple[str, int]:
        """Where a client that came in by this listener reaches a broker."""
        if node_id == self.node_id:
            for listener in self.listeners:
                if listener.name == listener_name:
                    return self.config.advertised(listener_name, listener.port)
        broker = self.metadata.image.brokers.get(node_id)
        if broker is not None:
            for endpoint in broker.endpoints:
                if endpoint.name == listener_name:
                    return endpoint.host, endpoint.port
        raise KafkaError(ErrorCode.LISTENER_NOT_FOUND, f"broker {node_id} has no listener {listener_name}")

    def _cluster_id(self) -> str:
        """From the configuration, from a formatted directory, or new with the first start."""
        from riacho.base.ids import uuid_text
        from riacho.log.meta_properties import read_meta_properties

        for path in self.config.log_dirs:
            # A directory that cannot be read is set aside when the directories are opened.
            with suppress(OSError):
                meta = read_meta_properties(path)
                if meta is not None:
                    return meta.cluster_id
        configured: str | None = self.config.get("cluster.id") if self.config.is_set("cluster.id") else None
        return configured or uuid_text(self._new_uuid())

    def _new_uuid(self) -> bytes:
        """Random, and never one whose text starts with a dash, which command lines would take for an option."""
        while True:
            uuid = self.rng.token(16)
            # The first six bits make the first character; 62 is '-'.
            if uuid[0] >> 2 != 62:
                return uuid
