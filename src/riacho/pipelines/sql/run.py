"""The KSQL server as a process: everything joined here, and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from riacho.base.config import ConfigError
from riacho.client.http_client import HttpClient
from riacho.client.http_target import without_users
from riacho.pipelines.connect.brokers import await_brokers
from riacho.pipelines.spark_child.child import python_module
from riacho.pipelines.spark_child.runners import Runners
from riacho.pipelines.sql.analysis.outcomes import Outcome
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.endpoints.app import ksql_app
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import registry_of
from riacho.pipelines.sql.functions.aggregate_signatures import AGGREGATE_FUNCTIONS, AggregateFunction
from riacho.pipelines.sql.functions.registry import REGISTRY, Registry
from riacho.pipelines.sql.functions.user.definition import UserFunctionError
from riacho.pipelines.sql.functions.user.loading import install_user_aggregates, load_user_functions
from riacho.pipelines.sql.runner.protocol import AnyEvent, event_from
from riacho.pipelines.sql.server import config
from riacho.pipelines.sql.server.assertions import Assertions
from riacho.pipelines.sql.server.checkpoints import Checkpoints
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.connectors import Connectors
from riacho.pipelines.sql.server.definitions import Definitions
from riacho.pipelines.sql.server.describing import Describing
from riacho.pipelines.sql.server.executor import Executor
from riacho.pipelines.sql.server.headless import QueriesFile
from riacho.pipelines.sql.server.inference import inference
from riacho.pipelines.sql.server.inserting import Inserter
from riacho.pipelines.sql.server.leadership import Leadership
from riacho.pipelines.sql.server.listing import Listing
from riacho.pipelines.sql.server.members import Members
from riacho.pipelines.sql.server.query_metrics import query_metrics
from riacho.pipelines.sql.server.query_supervisor import QuerySupervisor
from riacho.pipelines.sql.server.questions import Questions
from riacho.pipelines.sql.server.selects import Selects
from riacho.pipelines.sql.server.service import NotOpen, Service
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.surroundings import Surroundings
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.serving.followed_tables import FollowedTables
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.serving.pull import PullQueries
from riacho.pipelines.sql.serving.push import PushQueries
from riacho.pipelines.sql.serving.spark_evaluation import SparkEvaluation
from riacho.pipelines.sql.serving.table_store import StoreError, TableStore
from riacho.pipelines.sql.syntax.statements import Parsed
from riacho.pipelines.sql.types import SqlType
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.errors import ReplicatedLogError
from riacho.single_writer.replicated_log import ReplicatedLog
from riacho.web.config import Settings
from riacho.web.kafka_client import cluster_id
from riacho.web.listeners import advertised_url
from riacho.web.options import app_options
from riacho.web.server import OnReady, run_service
from riacho.web.upstream import Upstream

_log = logging.getLogger("riacho.ksql")
_RUNNER = "riacho.pipelines.sql.runner"
_REALM = "ksql"
_THREADS = 64


class KsqlServer:
    """`app` is what is served. The command topic is opened when the addresses are known, before anybody is let in."""

    def __init__(self, settings: Settings) -> None:
        """ConfigError when a setting or a file cannot be used."""
        self._settings = settings
        self._client = config.client_of(settings)
        self._upstream: Upstream | None = None
        self._log: ReplicatedLog | None = None
        self._watching: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._state = CommandState()
        functions, aggregates = _functions(settings)
        registry_settings = config.registry_of(settings)
        registry = registry_of(registry_settings)
        self._topics = Topics(self._client)
        properties = config.query_properties(settings)
        words = settings.names("riacho.runner.command") or python_module(_RUNNER)
        runners: Runners[AnyEvent] = Runners(config.runner_settings(settings), event_from, words)
        self._supervisor = QuerySupervisor(
            self._state,
            runners,
            Checkpoints(config.checkpoint_location(settings)),
            trigger_ms=settings.integer("riacho.ksql.trigger.ms"),
        )
        self._state.on_change = self._changed
        url = registry_settings.get("schema.registry.url")
        shown_registry = {} if url is None else {"schema.registry.url": without_users(url)}
        self._evaluation = evaluation = SparkEvaluation(
            self._supervisor.send, functions, lambda: self._state.catalogue.types
        )
        surroundings = partial(
            Surroundings, self._topics.find, inference(registry), functions, aggregates, self._evaluate, shown_registry
        )
        shown_functions = functions.extended(each.function for each in aggregates.values())
        processing_log = config.processing_log_topic(settings)
        describing = Describing(self._state, self._supervisor, self._topics, shown_functions, processing_log)
        self._definitions = Definitions(
            self._state,
            NotOpen(),
            self._topics,
            registry,
            settings.integer("ksql.query.persistent.active.limit"),
        )

        def analysed(parsed: Parsed, session: Session) -> Outcome:
            given = surroundings().settings({**properties, **session.properties})
            return analyse(parsed, self._state.catalogue, given, self._state.sequence)

        self._http = HttpClient()
        self._inserter = Inserter(self._client)
        questions = Questions(
            Listing(self._state, self._supervisor, self._topics, shown_functions, describing, settings.properties),
            describing,
            Connectors(settings.text("ksql.connect.url"), self._http),
            Assertions(self._topics, registry),
            analysed,
        )
        self._executor = executor = Executor(
            self._state, self._definitions, questions, self._inserter, registry, surroundings, properties
        )
        try:
            self._store = TableStore(config.state_directory(settings) / "tables.db")
        except StoreError as error:
            raise ConfigError(str(error)) from None
        self._follower = Follower(self._store, self._client, registry)
        self._followed = FollowedTables(self._follower)
        self._push = PushQueries(
            self._client,
            registry,
            self._supervisor,
            self._topics.ends,
            # Of this process alone: as the file of tables is.
            self._store.path.parent / "transient" / self._store.path.stem,
            settings.integer("ksql.max.push.queries"),
            self._supervisor.trigger_ms,
        )
        self._pull = pull = PullQueries(
            self._store,
            self._follower,
            self._topics.ends,
            self._client,
            registry,
            evaluation.values,
            settings.integer("ksql.query.pull.catchup.timeout.ms") / 1000,
        )
        self._supervisor.on_rows = self._push.take
        self._supervisor.on_push_end = self._push.ended
        self._supervisor.on_evaluated = evaluation.answered
        self._supervisor.on_runner_end = self._runner_ended
        self._supervisor.is_needed_elsewhere = lambda: self._push.needs_spark or evaluation.is_waiting
        self.service = Service(
            self._state,
            executor,
            self._supervisor,
            settings.text("ksql.service.id"),
            lambda: cluster_id(self._client),
            NotOpen(),
            Selects(executor, self._push, pull, self._topics, self._client, registry),
            Members(self._client, config.group_id(settings)),
            denied_properties=frozenset(settings.names("ksql.properties.overrides.denylist")),
        )
        file = settings.text("ksql.queries.file")
        self._queries_file = QueriesFile(file) if file else None
        self.service.is_headless = self._queries_file is not None
        self.app = ksql_app(self.service, app_options(settings, _REALM), on_start=self._start, on_stop=self._stop)
        self.app.metrics.sources.append(lambda: query_metrics(self._supervisor, self._push))

    def _evaluate(self, expression: str, kind: SqlType) -> Any:
        """In a thread of analysis, never in the loop's own: it waits for the runner. KsqlError."""
        assert self._loop is not None, "statements are taken once it has started"
        asked = asyncio.run_coroutine_threadsafe(self._evaluation.constant(expression, kind), self._loop)
        return asked.result()

    def _runner_ended(self) -> None:
        self._evaluation.runner_ended()
        self._push.runner_ended()

    def _changed(self) -> None:
        self._supervisor.changed()
        self._followed.follow(self._state.catalogue)

    async def _start(self, addresses: Sequence[str]) -> None:
        settings = self._settings
        self._loop = asyncio.get_running_loop()
        # Most of what waits there waits for brokers: one that is away must not hold up those who ask others.
        self._loop.set_default_executor(ThreadPoolExecutor(_THREADS, "ksql"))
        self._executor.warm()
        await asyncio.to_thread(shutil.rmtree, self._push.scratch, ignore_errors=True)
        url = advertised_url(settings, addresses) if addresses else "http://127.0.0.1:0"
        self._supervisor.host = url.partition("://")[2]
        self._upstream = Upstream()
        await await_brokers(settings.properties, settings.integer("riacho.init.timeout.ms") / 1000)
        topic = config.command_topic(settings)
        log = ReplicatedLog(
            ReplicatedLogConfig(
                topic=topic,
                group_id=config.group_id(settings),
                url=url,
                client=self._client,
                replication_factor=settings.integer("ksql.command.topic.replication.factor"),
                forward_timeout_ms=settings.integer("riacho.leader.timeout.ms"),
                start_timeout_ms=settings.integer("riacho.init.timeout.ms"),
            ),
            self._state,
            self._upstream,
        )
        try:
            await log.start()
        except ReplicatedLogError as error:
            raise ConfigError(f"the command topic {topic} cannot be opened: {error}") from None
        self._log = self.service.writer = self._definitions.writer = log
        processing_log = config.processing_log_topic(settings)
        if processing_log:
            try:
                await asyncio.to_thread(self._topics.create, processing_log, 1, 3, {})
            except KsqlError as error:
                _log.warning("processing log is not kept: %s", error.message)
        self._follower.start()
        self._supervisor.start()
        file = self._queries_file
        carry_out = None if file is None else partial(file.run, self._executor, {})
        leadership = Leadership(log, self._supervisor.lead, self._supervisor.rest, carry_out)
        self._watching = asyncio.create_task(leadership.watch(), name="ksql-leadership")

    async def _stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await self._push.close_all()
            await self._supervisor.stop()
            await asyncio.to_thread(self._follower.stop)
        self.service.writer = NotOpen()
        if self._log is not None:
            await self._log.stop()
        self._pull.close()
        self._executor.close()
        self._store.close()
        await self._inserter.close()
        self._http.close()
        self._topics.close()
        if self._upstream is not None:
            self._upstream.close()


def _functions(settings: Settings) -> tuple[Registry, Mapping[str, AggregateFunction]]:
    """Ours, and those of the operator's modules; ConfigError where one of these cannot be had."""
    try:
        modules = settings.names("ksql.extension.modules")
        theirs = load_user_functions(modules)
        # Pull queries aggregate here.
        install_user_aggregates(modules)
    except UserFunctionError as error:
        raise ConfigError(str(error)) from None
    return REGISTRY.extended(theirs.functions), {**theirs.aggregates, **AGGREGATE_FUNCTIONS}


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    """Runs until it is stopped; the exit code. What prevents a start is one sentence on stderr, and 1."""
    return run_service(config.load_server_settings, KsqlServer, properties, on_ready)
