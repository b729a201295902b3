"""From a start command to a streaming query that is ready to run: the connector, its frame, its batch function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from riacho.base.config import ConfigType
from riacho.pipelines.connect.protocol import Settings, Start
from riacho.pipelines.connect.runner.awaited_topics import DEFAULT_MS, SETTING, await_topics, has_all
from riacho.pipelines.connect.runner.client_configs import ADMIN, CONSUMER, PRODUCER, client_config
from riacho.pipelines.connect.runner.cluster_topics import existing_topics
from riacho.pipelines.connect.runner.reports import Reports
from riacho.pipelines.connect.runner.starting_offsets import is_new, partitions_of, starting_offsets
from riacho.pipelines.connect.secret_text import secret_values
from riacho.pipelines.connectors import registry
from riacho.pipelines.connectors.scratch_id import scratch_id
from riacho.pipelines.pipeline import Pipeline, Step, Topics
from riacho.pipelines.plugin import ConnectError, Connector, Context, SinkConnector, SourceConnector
from riacho.pipelines.reach.validation import reach_refusals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

# One micro-batch is decoded, cached and delivered as a whole.
MAX_OFFSETS_PER_TRIGGER = 200_000


@dataclass(slots=True)
class QueryPlan:
    """`configs` has the worker's defaults under the connector's own; `pipeline` is what they say, and what is run."""

    start: Start
    settings: Settings
    configs: Mapping[str, str]
    pipeline: Pipeline[Step]
    connector: Connector
    reports: Reports

    @classmethod
    def of(cls, start: Start, settings: Settings) -> QueryPlan:
        """ConnectError or ConfigError in one sentence where the config cannot be used."""
        configs = {**settings.defaults, **start.configs}
        found = registry.find(configs.get("connector.class", ""), settings.modules)
        if issubclass(found, SinkConnector) is not start.is_sink:
            raise ConnectError(f"{found.CLASS} is a {registry.type_of(found)} connector.")
        refused = reach_refusals(found, start.configs, settings.limits, is_final=True)
        if refused:
            raise ConnectError(" ".join(refused.values()))
        os.makedirs(start.scratch, exist_ok=True)
        context = Context(
            name=start.name,
            configs=configs,
            bootstrap_servers=settings.bootstrap_servers,
            client_settings=dict(settings.client),
            tasks_max=start.tasks_max,
            scratch=start.scratch,
            limits=settings.limits,
        )
        connector = found(found.CONFIG.parse(configs), context)
        pipeline = Pipeline.from_connector(start.name, configs, start.is_sink)
        reports = Reports(f"{start.scratch}/reports.jsonl")
        reports.clear()
        return cls(start, settings, configs, pipeline, connector, reports)

    @property
    def secrets(self) -> tuple[str, ...]:
        return secrets_of(self.configs, self.connector) + secrets_of(self.settings.client, None)

    def writer(self, spark: SparkSession) -> DataStreamWriter:
        """All but started."""
        # Converters and transforms are columns of Spark's: imported when there is a Spark to work with.
        from riacho.pipelines.connect.runner.steps import Steps
        from riacho.pipelines.connect.runner.topic_creation import TopicCreation

        steps = Steps(self.pipeline.steps)
        steps.make()
        policy = self.pipeline.errors
        end = self.pipeline.source if self.start.is_sink else self.pipeline.sink
        topics = TopicCreation(self._client(ADMIN), end.creation if isinstance(end, Topics) else {})
        options = self._topic_options(PRODUCER) | {
            "riacho.delivery": self.pipeline.guarantee,
            # Tables and pages may have changed when a batch is read again: what was committed of it stays.
            "riacho.replay": "any",
            # But it is the same batch only if it has the offsets that it had.
            "riacho.checkpoint": self.start.checkpoint,
            # The writer tells checkpoints apart by itself; a name may not have slashes there.
            "riacho.sink.id": quote(self.start.name, safe=""),
            # For Spark Connect, where the writer does not get the id of its query.
            "riacho.query.id": scratch_id(self.start.scratch),
        }
        if isinstance(self.connector, SinkConnector):
            from riacho.pipelines.connect.runner.sink_batch import SinkBatch

            frame = self._topics_frame(spark, self._topics())
            process: object = SinkBatch(self.connector, steps, policy, options, topics, self.reports, self.secrets)
        else:
            from riacho.pipelines.connect.runner.source_batch import SourceBatch

            assert isinstance(self.connector, SourceConnector), "a connector is a source or a sink"
            frame = self.connector.open(spark, self.start.offsets if is_new(spark, self.start.checkpoint) else None)
            process = SourceBatch(self.connector, steps, policy, options, topics, self.reports, self.secrets)
        return (
            frame.writeStream.queryName(f"{self.start.name}#{self.start.generation}")
            .foreachBatch(process)  # type: ignore[arg-type]
            .option("checkpointLocation", self.start.checkpoint)
            .trigger(processingTime=f"{self.pipeline.trigger_ms} milliseconds")
        )

    def await_topics(
        self, is_over: Callable[[float], bool], session: Callable[[], object], report: Callable[[str], None]
    ) -> None:
        """Those that a sink names; ConnectError when one does not come."""
        if not self.start.is_sink:
            return
        names = self._topics().names
        if names:
            existing = partial(existing_topics, self._client(CONSUMER))
            if not has_all(names, existing):
                report(f"It waits for its topics to be there: {','.join(names)}.")
                # The source that makes it waits for Spark as well: that is not its time.
                session()
                timeout_s = int(self.configs.get(SETTING, DEFAULT_MS)) / 1000
                await_topics(names, existing, timeout_s, is_over)

    def _topics_frame(self, spark: SparkSession, topics: Topics) -> DataFrame:
        from riacho.pipelines.spark.read_format import read_format

        subscription = {"subscribePattern": topics.pattern} if topics.pattern else {"subscribe": ",".join(topics.names)}
        options = {
            # What another connector writes once is to be read once: not the attempts that were given up.
            "kafka.isolation.level": "read_committed",
            "maxOffsetsPerTrigger": str(MAX_OFFSETS_PER_TRIGGER),
            "includeHeaders": "true",
        }
        options |= self._topic_options(CONSUMER) | subscription
        if topics.reset not in ("earliest", "latest"):
            raise ConnectError(f"consumer.override.auto.offset.reset is {topics.reset}: it must be earliest or latest.")
        options["startingOffsets"] = topics.reset
        if self.start.offsets and is_new(spark, self.start.checkpoint):
            partitions = partitions_of(existing_topics(self._client(CONSUMER)), subscription)
            options["startingOffsets"] = starting_offsets(self.start.offsets, topics.reset, partitions)
        options |= topics.read_options
        return spark.readStream.format(read_format(spark)).options(**options).load()

    def _topics(self) -> Topics:
        """Those that a sink connector reads."""
        topics = self.pipeline.source
        if not isinstance(topics, Topics) or bool(topics.names) == bool(topics.pattern):
            raise ConnectError("A sink connector needs either topics or topics.regex, and not both.")
        return topics

    def _topic_options(self, kind: str) -> dict[str, str]:
        return {f"kafka.{name}": text for name, text in self._client(kind).items()}

    def _client(self, kind: str) -> dict[str, str]:
        return client_config(kind, self.start.name, self.settings, self.configs)


def secrets_of(configs: Mapping[str, str], connector: Connector | None) -> tuple[str, ...]:
    """Values that no trace may show: passwords by their type, and whatever is called like one."""
    typed = () if connector is None else connector.CONFIG
    return tuple(sorted(secret_values(configs, {each.name for each in typed if each.type is ConfigType.PASSWORD})))
