"""Mirror heartbeats: a record now and then, by which one sees how far and along which way mirrors reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.connectors.mirror.records import Heartbeat
from riacho.pipelines.connectors.mirror.settings import CLIENT_PREFIXES, INTERNAL_CONFIGS, MIRROR, target_cluster
from riacho.pipelines.plugin import SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TOPIC = "heartbeats"


class MirrorHeartbeatConnector(SourceConnector):
    CLASS: ClassVar[str] = "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector"
    DOC: ClassVar[str] = "Heartbeats of a mirror."
    CLIENT_PREFIXES: ClassVar[tuple[str, ...]] = CLIENT_PREFIXES
    CONFIG: ClassVar[ConfigDef] = MIRROR + ConfigDef(
        Definition("emit.heartbeats.interval.seconds", ConfigType.LONG, "1", doc="How often.", valid=at_least(0)),
    )

    def prepare(self) -> None:
        given: Mapping[str, Any] = self.settings
        target = target_cluster(given, self.context)
        target.create(TOPIC, 1, min(given["replication.factor"], target.brokers()), INTERNAL_CONFIGS)

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from riacho.pipelines.connectors.mirror.ticks import FORMAT, INTERVAL, TickDataSource

        spark.dataSource.register(TickDataSource)
        interval: Any = self.settings["emit.heartbeats.interval.seconds"]
        return spark.readStream.format(FORMAT).option(INTERVAL, str(interval * 1000)).load()

    def shape(self, batch: DataFrame) -> DataFrame:
        source, target = str(self.settings["source.cluster.alias"]), str(self.settings["target.cluster.alias"])
        beats = [Heartbeat(source, target, row[0]) for row in batch.collect()]
        rows = [(TOPIC, bytearray(each.key()), bytearray(each.value())) for each in beats]
        return batch.sparkSession.createDataFrame(rows, "topic string, key binary, value binary")
