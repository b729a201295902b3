"""Mirror source: topics of another Kafka cluster, record by record, with their partitions, keys, headers and times.

MirrorMaker 2's settings and names of topics. Records pass as bytes: use ByteArrayConverter for key and value.
Topics are made on this side before records come to them, and kept alike (`mirror_topics`); offset syncs
(`mirror_syncs`) let the checkpoint connector translate the offsets of consumer groups.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.connectors.mirror.policy import TOPICS_EXCLUDE, valid_patterns, wants
from riacho.pipelines.connectors.mirror.records import OffsetSync
from riacho.pipelines.connectors.mirror.settings import (
    CLIENT_PREFIXES,
    INTERNAL_CONFIGS,
    MIRROR,
    policy_of,
    source_cluster,
    target_cluster,
)
from riacho.pipelines.connectors.mirror.syncs import OffsetSyncs, read_syncs, write_syncs
from riacho.pipelines.connectors.mirror.topics import CONFIGS_EXCLUDE, sync_topics
from riacho.pipelines.connectors.offset_values import check_count, check_keys
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EARLIEST = -2


class MirrorSourceConnector(SourceConnector):
    CLASS: ClassVar[str] = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
    DOC: ClassVar[str] = "Topics of another Kafka cluster, with partitions, headers, times and configs."
    CLIENT_PREFIXES: ClassVar[tuple[str, ...]] = CLIENT_PREFIXES
    CONFIG: ClassVar[ConfigDef] = MIRROR + ConfigDef(
        Definition(
            "topics",
            ConfigType.LIST,
            ".*",
            doc="Names or patterns of the topics to mirror.",
            valid=valid_patterns,
            importance=Importance.HIGH,
        ),
        Definition("topics.exclude", ConfigType.LIST, TOPICS_EXCLUDE, doc="Those to leave out.", valid=valid_patterns),
        Definition(
            "refresh.topics.interval.seconds",
            ConfigType.LONG,
            "600",
            doc="How often topics, partitions and configs are looked at.",
            valid=at_least(0),
        ),
        Definition("sync.topic.configs.enabled", ConfigType.BOOLEAN, "true", doc="Keep the configs of topics alike."),
        Definition("config.properties.exclude", ConfigType.LIST, CONFIGS_EXCLUDE, doc="Configs that stay apart."),
        Definition("emit.offset-syncs.enabled", ConfigType.BOOLEAN, "true", doc="Write what translates offsets."),
        Definition(
            "offset-syncs.topic.location",
            ConfigType.STRING,
            "source",
            doc="The cluster that has them: source or target.",
        ),
        Definition(
            "max.records.per.batch",
            ConfigType.LONG,
            "500000",
            doc="How many records a micro-batch takes at most.",
            valid=at_least(1),
            importance=Importance.LOW,
        ),
    )

    def __init__(self, settings: Mapping[str, Any], context: Any) -> None:
        super().__init__(settings, context)
        self._known: dict[str, int] = {}
        self._looked_at: float | None = None
        self._syncs: OffsetSyncs | None = None
        self._held: DataFrame | None = None

    def prepare(self) -> None:
        given: Mapping[str, Any] = self.settings
        source, target = source_cluster(given, self.context), target_cluster(given, self.context)
        if policy_of(given).keeps_names and source.client.get("bootstrap.servers") == target.client.get(
            "bootstrap.servers"
        ):
            raise ConnectError("A cluster cannot be mirrored to itself under the same names")
        self._refresh()

    def _wanted(self) -> dict[str, int]:
        """Topics of the source to mirror, with how many partitions each has."""
        given: Mapping[str, Any] = self.settings
        policy = policy_of(given)
        return {
            topic: partitions
            for topic, partitions in source_cluster(given, self.context).topics().items()
            if wants(topic, given["topics"], given["topics.exclude"]) and not policy.comes_from_target(topic)
        }

    def _refresh(self) -> None:
        given: Mapping[str, Any] = self.settings
        wanted = self._wanted()
        sync_topics(
            source_cluster(given, self.context),
            target_cluster(given, self.context),
            policy_of(given),
            wanted,
            given["replication.factor"],
            frozenset(given["config.properties.exclude"]),
            given["sync.topic.configs.enabled"],
        )
        self._known = wanted
        self._looked_at = time.monotonic()

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        given: Mapping[str, Any] = self.settings
        pattern = policy_of(given).subscribe_pattern(given["topics"], given["topics.exclude"])
        client = source_cluster(given, self.context).client
        options = {
            **{f"kafka.{name}": value for name, value in client.items()},
            "kafka.isolation.level": client.get("isolation.level", "read_committed"),
            "subscribePattern": pattern,
            "includeHeaders": "true",
            "startingOffsets": self._starting(offsets),
            "maxOffsetsPerTrigger": str(given["max.records.per.batch"]),
        }
        return spark.readStream.format("riacho").options(**options).load().drop("timestampType")

    def _starting(self, offsets: Sequence[SourceOffset] | None) -> str:
        if not offsets:
            return "earliest"
        places = {topic: {str(n): _EARLIEST for n in range(count)} for topic, count in self._wanted().items()}
        for each in offsets:
            topic, partition = each.partition.get("topic"), str(each.partition.get("partition"))
            if each.offset is not None and topic in places and partition in places[topic]:
                # The last record that was read, as MirrorMaker 2 has it.
                places[topic][partition] = int(each.offset["offset"]) + 1
        return json.dumps(places)

    def shape(self, batch: DataFrame) -> DataFrame:
        from pyspark.sql import functions as F

        given: Mapping[str, Any] = self.settings
        policy = policy_of(given)
        self.close()
        self._held = batch.persist()
        first = self._held.groupBy("topic", "partition").agg(F.min("offset")).collect()
        self._follow_topics({(row[0], row[1]) for row in first})
        if given["emit.offset-syncs.enabled"]:
            self._write_syncs([(str(row[0]), int(row[1]), int(row[2])) for row in first])
        # The identity policy renames heartbeats all the same.
        renamed = F.concat(F.lit(policy.source + policy.separator), F.col("topic"))
        topic = (
            F.when(F.col("topic") == "heartbeats", renamed).otherwise(F.col("topic")) if policy.keeps_names else renamed
        )
        return self._held.withColumn("topic", topic).drop("offset")

    def close(self) -> None:
        if self._held is not None:
            self._held.unpersist()
        self._held = None

    def _follow_topics(self, found: set[tuple[str, int]]) -> None:
        given: Mapping[str, Any] = self.settings
        is_new = any(partition >= self._known.get(topic, 0) for topic, partition in found)
        interval = given["refresh.topics.interval.seconds"]
        if is_new or self._looked_at is None or time.monotonic() - self._looked_at >= interval:
            self._refresh()

    def _write_syncs(self, first: Sequence[tuple[str, int, int]]) -> None:
        given: Mapping[str, Any] = self.settings
        policy = policy_of(given)
        target = target_cluster(given, self.context)
        at_target = given["offset-syncs.topic.location"] == "target"
        keeper = target if at_target else source_cluster(given, self.context)
        topic = policy.offset_syncs()
        if self._syncs is None:
            keeper.create(topic, 1, min(given["replication.factor"], keeper.brokers()), INTERNAL_CONFIGS)
            self._syncs = read_syncs(keeper, topic)
        known = self._syncs
        new = [place for place in first if not known.reaches(*place)]
        ends = target.ends([(policy.remote(name), partition) for name, partition, _ in new])
        syncs = [OffsetSync(name, partition, at, ends[policy.remote(name), partition]) for name, partition, at in new]
        if syncs:
            write_syncs(keeper, topic, syncs)
        for sync in syncs:
            known.add(sync)

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        check_keys(offsets, ["cluster", "topic", "partition"], ["offset"])
        for each in offsets:
            check_count(each.partition, "partition")
            if each.offset is not None:
                check_count(each.offset, "offset")

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        alias = self.settings["source.cluster.alias"]
        return [
            SourceOffset({"cluster": alias, "partition": int(partition), "topic": topic}, {"offset": int(offset) - 1})
            for topic, partitions in end.items()
            for partition, offset in partitions.items()
            if int(offset) > 0
        ]
