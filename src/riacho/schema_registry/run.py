"""The schema registry as a process: everything joined here, and nowhere else."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from starlette.responses import Response

from riacho import __version__
from riacho.base.config import ConfigError
from riacho.base.decision import Decision
from riacho.schema_registry import config
from riacho.schema_registry.app import RegistryApp, registry_app
from riacho.schema_registry.authorization import load_rules
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.ready_answers import ReadyAnswers
from riacho.schema_registry.records import NOOP_KEY
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.service import Service
from riacho.schema_registry.state import State
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.errors import NotLeader, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.single_writer.replicated_log import ReplicatedLog
from riacho.web.call import Call
from riacho.web.config import Settings
from riacho.web.kafka_client import ClusterId, kafka_client, make_client
from riacho.web.listeners import advertised_url, parse_listener
from riacho.web.options import app_options
from riacho.web.server import OnReady, run_service
from riacho.web.upstream import Upstream

T = TypeVar("T")
_REALM = "SchemaRegistry"


class SchemaRegistry:
    """`app` is what is served. Its replicated log opens when the addresses are known, before anybody is let in."""

    def __init__(self, settings: Settings) -> None:
        """ConfigError when a setting or a file cannot be used."""
        self._settings = settings
        self._client = _accepted(kafka_client(settings.properties, "kafkastore."))
        self._replicated_log: ReplicatedLog | None = None
        self._upstream: Upstream | None = None
        rules = settings.text("authorization.rules.file")
        options = app_options(settings, _REALM)
        if rules and options["authenticator"] is None:
            raise ConfigError("authorization.rules.file needs to know who calls: set authentication.method=BASIC")
        size = settings.integer("schema.cache.size")
        state = State()
        self.service = Service(
            Registry(state, config.defaults_of(settings), ParsedSchemas(size)),
            _NotOpen(),
            ReadyAnswers(state, size),
            load_rules(rules) if rules else None,
            cluster_id=ClusterId(self._client, logging.getLogger("riacho.schema_registry")),
            group_id=config.group_id_of(settings),
            software_version=__version__,
            schema_limits=config.limits_of(settings, "schema"),
            subject_limits=config.limits_of(settings, "subject"),
            version_limits=config.limits_of(settings, "subject.version"),
            context_limits=config.limits_of(settings, "context"),
        )
        self.app: RegistryApp = registry_app(self.service, options, on_start=self._start, on_stop=self._stop)

    async def _start(self, addresses: Sequence[str]) -> None:
        self._upstream = Upstream(
            tls=self._client_tls(),
            connect_timeout_s=self._settings.integer("leader.connect.timeout.ms") / 1000,
        )
        settings = self._settings
        replicated_log = ReplicatedLog(
            ReplicatedLogConfig(
                topic=settings.text("kafkastore.topic"),
                group_id=config.group_id_of(settings),
                url=self._own_url(addresses),
                client=self._client,
                is_eligible=config.is_eligible(settings),
                replication_factor=settings.integer("kafkastore.topic.replication.factor"),
                noop=Append(NOOP_KEY, None),
                write_timeout_ms=config.write_timeout_ms(settings),
                forward_timeout_ms=settings.integer("leader.read.timeout.ms"),
                start_timeout_ms=settings.integer("kafkastore.init.timeout.ms"),
            ),
            self.service.registry.state,
            self._upstream,
        )
        try:
            await replicated_log.start()
        except ReplicatedLogError as error:
            raise ConfigError(f"the log {settings.text('kafkastore.topic')} cannot be opened: {error}") from None
        self._replicated_log = replicated_log
        self.service.replicated_log = replicated_log

    async def _stop(self) -> None:
        self.service.replicated_log = _NotOpen()
        if self._replicated_log is not None:
            await self._replicated_log.stop()
        if self._upstream is not None:
            self._upstream.close()

    def _own_url(self, addresses: Sequence[str]) -> str:
        """Of the listener that instances use among themselves."""
        wanted = self._settings.text("inter.instance.protocol").lower()
        chosen = [each for each in addresses if parse_listener(each).is_tls is (wanted == "https")]
        return advertised_url(self._settings, chosen or addresses)

    def _client_tls(self) -> Any:
        if self._settings.text("inter.instance.protocol").lower() != "https":
            return None
        from riacho.client.tls import client_context, tls_settings

        return client_context(tls_settings(self._settings.get))


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Runs until it is stopped; the exit code. What prevents a start is one sentence on stderr, and 1."""
    return run_service(config.load_registry_settings, SchemaRegistry, properties, on_ready)


class _NotOpen:
    """In the replicated log's place before it opens and after it has closed."""

    is_leader = False

    async def change(self, decide: Callable[[], Decision[Append, T]]) -> T:
        raise NotLeader("The registry is starting or stopping.")

    async def forward(self, call: Call) -> Response:
        raise NotLeader("The registry is starting or stopping.")

    async def barrier(self) -> None:
        raise NotLeader("The registry is starting or stopping.")


def _accepted(client: dict[str, Any]) -> dict[str, Any]:
    """The settings that the Kafka client takes; others are warned about. ConfigError when one cannot be used."""
    from confluent_kafka.admin import AdminClient

    accepted: dict[str, Any] = {}

    def made(given: dict[str, Any]) -> AdminClient:
        admin = AdminClient(given)
        accepted.update(given)
        return admin

    make_client(made, client)
    return accepted
