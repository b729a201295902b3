"""A Connect worker as a process: everything joined here, and nowhere else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from ssl import SSLContext

from riacho import KAFKA_VERSION
from riacho.base.config import ConfigError
from riacho.client.config_providers import providers_of
from riacho.pipelines.connect import config
from riacho.pipelines.connect.api.app import connect_app
from riacho.pipelines.connect.api.log_levels import LogLevels
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.brokers import await_brokers
from riacho.pipelines.connect.decisions.decisions import decide_config
from riacho.pipelines.connect.decisions.lease import Lease
from riacho.pipelines.connect.decisions.state import ConfigState
from riacho.pipelines.connect.decisions.writer import NotOpen
from riacho.pipelines.connect.plugins.catalog import CatalogProcess
from riacho.pipelines.connect.protocol import event_from
from riacho.pipelines.connect.running.start_preparation import StartPreparation
from riacho.pipelines.connect.running.supervisor import RunnerNews, Supervisor
from riacho.pipelines.connect.stores.checkpoints import Checkpoints
from riacho.pipelines.connect.stores.progress import Progress
from riacho.pipelines.connect.stores.sink_offsets import SinkOffsets
from riacho.pipelines.connect.stores.source_offsets import SourceOffsets
from riacho.pipelines.connect.stores.status_writer import StatusWriter
from riacho.pipelines.connect.stores.statuses import Statuses
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreTopic, StoreTopics
from riacho.pipelines.spark_child.child import python_module
from riacho.pipelines.spark_child.runners import Runners
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.errors import ReplicatedLogError
from riacho.single_writer.replicated_log import ReplicatedLog
from riacho.web.config import Settings
from riacho.web.errors import ApiError
from riacho.web.kafka_client import ClusterId
from riacho.web.options import app_options
from riacho.web.server import OnReady, run_service
from riacho.web.upstream import Upstream

_log = logging.getLogger("riacho.connect")
_RUNNER = "riacho.pipelines.connect.runner"
_REALM = "KafkaConnect"
_LEADER_LOOK_S = 0.05


class ConnectWorker:
    """`app` is what is served. Its topics are opened when the addresses are known, before anybody is let in.

    `connectors` are put in place once the worker leads: those of a standalone worker.
    """

    def __init__(self, settings: Settings, connectors: Mapping[str, Mapping[str, str]] | None = None) -> None:
        """ConfigError when a setting or a file cannot be used."""
        self._settings = settings
        self._connectors = dict(connectors or {})
        self._client = config.client_of(settings)
        self._replicated_log: ReplicatedLog | None = None
        self._upstream: Upstream | None = None
        self._placing: asyncio.Task[None] | None = None
        self._state = ConfigState()
        statuses, offsets, progress, levels = Statuses(), SourceOffsets(), Progress(), LogLevels()
        self._state.on_logger = levels.apply
        self._store = self._make_store(statuses, offsets)
        self._sink_offsets = SinkOffsets(config.own_client_of(settings, "admin."))
        self._catalog = CatalogProcess(
            config.modules_of(settings),
            config.defaults_of(settings),
            config.limits_of(settings),
            settings.names("riacho.catalog.command") or None,
        )
        checkpoints = Checkpoints(config.checkpoint_location(settings))
        lease = Lease()
        self._status_writer = StatusWriter(
            self._store,
            statuses,
            offsets,
            self._sink_offsets,
            status_topic=settings.text("status.storage.topic"),
            offsets_topic=settings.text("offset.storage.topic"),
            is_tracking_topics=settings.flag("topic.tracking.enable"),
            confirm=lease.confirm,
        )
        starting = StartPreparation(
            self._state, self._catalog, providers_of(settings.properties), checkpoints, offsets, self._sink_offsets
        )
        words = settings.names("riacho.runner.command") or python_module(_RUNNER)
        runners: Runners[RunnerNews] = Runners(config.runner_settings(settings), event_from, words)
        self._supervisor = Supervisor(
            self._state,
            starting,
            runners,
            self._status_writer,
            checkpoints,
            progress,
            lease,
            idle_ms=settings.integer("riacho.session.idle.ms"),
        )
        self.service = Service(
            self._state,
            statuses,
            self._catalog,
            self._supervisor,
            self._status_writer,
            offsets,
            self._sink_offsets,
            progress,
            levels,
            cluster_id=ClusterId(self._client, _log),
            version=KAFKA_VERSION,
            is_tracking_topics=settings.flag("topic.tracking.enable"),
            may_reset_topics=settings.flag("topic.tracking.allow.reset"),
            override_policy=settings.text("connector.client.config.override.policy"),
            defaults=config.defaults_of(settings),
        )
        self.app = connect_app(self.service, app_options(settings, _REALM), on_start=self._start, on_stop=self._stop)

    def _make_store(self, statuses: Statuses, offsets: SourceOffsets) -> StoreTopics:
        settings = self._settings
        topics = [
            StoreTopic(
                settings.text(f"{what}.storage.topic"),
                settings.integer(f"{what}.storage.partitions"),
                settings.integer(f"{what}.storage.replication.factor"),
                apply,
            )
            for what, apply in (("status", statuses.apply), ("offset", offsets.apply))
        ]
        producer = config.client_of(settings, "producer.")
        return StoreTopics(topics, self._client, settings.text("group.id"), producer)

    async def _start(self, addresses: Sequence[str]) -> None:
        settings = self._settings
        timeout_s = settings.integer("riacho.init.timeout.ms") / 1000
        url = config.own_url(settings, self._own_address(addresses)) if addresses else "http://127.0.0.1:0"
        self._status_writer.worker_id = url.partition("://")[2]
        self._upstream = Upstream(tls=self._client_tls(url))
        topic = settings.text("config.storage.topic")
        replicated_log = ReplicatedLog(
            ReplicatedLogConfig(
                topic=topic,
                group_id=settings.text("group.id"),
                url=url,
                client=self._client,
                replication_factor=settings.integer("config.storage.replication.factor"),
                forward_timeout_ms=settings.integer("riacho.leader.timeout.ms"),
                start_timeout_ms=settings.integer("riacho.init.timeout.ms"),
            ),
            self._state,
            self._upstream,
        )
        await await_brokers(settings.properties, timeout_s)
        try:
            # Both at once: each waits for the brokers more than for anything else.
            async with asyncio.TaskGroup() as group:
                group.create_task(self._store.start(timeout_s))
                group.create_task(replicated_log.start())
        except* ReplicatedLogError as errors:
            raise ConfigError(f"the log {topic} cannot be opened: {errors.exceptions[0]}") from None
        except* StoreError as errors:
            raise ConfigError(str(errors.exceptions[0])) from None
        self._replicated_log = replicated_log
        self.service.replicated_log = replicated_log
        self._supervisor.start(replicated_log)
        if self._connectors:
            self._placing = asyncio.create_task(self._place(), name="connect-standalone")

    async def _stop(self) -> None:
        if self._placing is not None:
            self._placing.cancel()
        await self._supervisor.stop()
        self.service.replicated_log = NotOpen()
        if self._replicated_log is not None:
            await self._replicated_log.stop()
        await self._store.stop()
        await self._catalog.close()
        self._sink_offsets.close()
        if self._upstream is not None:
            self._upstream.close()

    async def _place(self) -> None:
        """The connectors that a standalone worker was given; one that is wrong is logged and left out."""
        while not self._supervisor.is_leading:
            await asyncio.sleep(_LEADER_LOOK_S)
        for name, wanted in self._connectors.items():
            try:
                given = {**wanted, "name": name}
                await self.service.validate(name, given)
                known = self._state.connectors.get(name)
                if known is None or known.config != given:
                    await self.service.replicated_log.change(partial(decide_config, self._state, name, given))
            except ApiError as error:
                _log.error("connector cannot be created name=%s reason=%s", name, error.message)
            except ReplicatedLogError as error:
                _log.error("connector cannot be created name=%s reason=%s", name, error)

    def _own_address(self, addresses: Sequence[str]) -> str:
        wanted = self._settings.text("rest.advertised.listener").lower()
        chosen = [each for each in addresses if wanted and each.startswith(f"{wanted}://")]
        return (chosen or list(addresses))[0]

    def _client_tls(self, url: str) -> SSLContext | None:
        if not url.startswith("https://"):
            return None
        from riacho.client.tls import client_context, tls_settings

        return client_context(tls_settings(self._settings.get))


def run(
    properties: Mapping[str, str],
    on_ready: OnReady | None = None,
    connectors: Mapping[str, Mapping[str, str]] | None = None,
) -> int:
    """Runs until it is stopped; the exit code. What prevents a start is one sentence on stderr, and 1."""
    return run_service(
        config.load_worker_settings, lambda settings: ConnectWorker(settings, connectors), properties, on_ready
    )
