"""Mirror checkpoints: offsets of the source's consumer groups in terms of the mirrored topics.

They go to MirrorMaker 2's checkpoints topic, from which clients can look them up, and with `sync.group.offsets.enabled`
into the groups of this cluster themselves, while those have no members and only forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.connectors.mirror.cluster import MirrorCluster
from riacho.pipelines.connectors.mirror.policy import valid_patterns, wants
from riacho.pipelines.connectors.mirror.records import Checkpoint
from riacho.pipelines.connectors.mirror.settings import (
    CLIENT_PREFIXES,
    INTERNAL_CONFIGS,
    MIRROR,
    policy_of,
    source_cluster,
    target_cluster,
)
from riacho.pipelines.connectors.mirror.syncs import read_syncs
from riacho.pipelines.plugin import SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_GROUPS_EXCLUDE = "console-consumer-.*,connect-.*,__.*"


class MirrorCheckpointConnector(SourceConnector):
    CLASS: ClassVar[str] = "org.apache.kafka.connect.mirror.MirrorCheckpointConnector"
    DOC: ClassVar[str] = "Offsets of consumer groups of another cluster, translated for mirrored topics."
    CLIENT_PREFIXES: ClassVar[tuple[str, ...]] = CLIENT_PREFIXES
    CONFIG: ClassVar[ConfigDef] = MIRROR + ConfigDef(
        Definition("groups", ConfigType.LIST, ".*", doc="Consumer groups to follow.", valid=valid_patterns),
        Definition("groups.exclude", ConfigType.LIST, _GROUPS_EXCLUDE, doc="Those to leave out.", valid=valid_patterns),
        Definition("emit.checkpoints.interval.seconds", ConfigType.LONG, "60", doc="How often.", valid=at_least(0)),
        Definition(
            "sync.group.offsets.enabled", ConfigType.BOOLEAN, "false", doc="Commit for the groups of this cluster."
        ),
        Definition(
            "offset-syncs.topic.location", ConfigType.STRING, "source", doc="The cluster that has the offset syncs."
        ),
    )

    def prepare(self) -> None:
        given: Mapping[str, Any] = self.settings
        source_cluster(given, self.context).topics()
        target = target_cluster(given, self.context)
        replicas = min(given["replication.factor"], target.brokers())
        target.create(policy_of(given).checkpoints(), 1, replicas, INTERNAL_CONFIGS)

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from riacho.pipelines.connectors.mirror.ticks import FORMAT, INTERVAL, TickDataSource

        spark.dataSource.register(TickDataSource)
        interval: Any = self.settings["emit.checkpoints.interval.seconds"]
        return spark.readStream.format(FORMAT).option(INTERVAL, str(interval * 1000)).load()

    def shape(self, batch: DataFrame) -> DataFrame:
        """What is found now: a batch that is done again tells the state of then, which is as good or better."""
        given: Mapping[str, Any] = self.settings
        found = self.checkpoints()
        if given["sync.group.offsets.enabled"]:
            self._sync_groups(target_cluster(given, self.context), found)
        topic = policy_of(given).checkpoints()
        rows = [(topic, 0, bytearray(each.key()), bytearray(each.value())) for each in found]
        return batch.sparkSession.createDataFrame(rows, "topic string, partition int, key binary, value binary")

    def checkpoints(self) -> list[Checkpoint]:
        given: Mapping[str, Any] = self.settings
        policy = policy_of(given)
        source, target = source_cluster(given, self.context), target_cluster(given, self.context)
        keeper = target if given["offset-syncs.topic.location"] == "target" else source
        syncs = read_syncs(keeper, policy.offset_syncs())
        groups = [name for name in source.groups() if wants(name, given["groups"], given["groups.exclude"])]
        found = []
        for group in sorted(groups):
            for (topic, partition), upstream in sorted(source.committed(group).items()):
                downstream = syncs.translate(topic, partition, upstream)
                if downstream is not None:
                    found.append(Checkpoint(group, policy.remote(topic), partition, upstream, downstream))
        ends = target.ends(sorted({(each.topic, each.partition) for each in found}))
        return [each for each in found if each.downstream <= ends[each.topic, each.partition]]

    def _sync_groups(self, target: MirrorCluster, found: Sequence[Checkpoint]) -> None:
        present = target.groups()
        for group in sorted({each.group for each in found}):
            if not present.get(group, True):
                continue
            committed = target.committed(group) if group in present else {}
            places = {(each.topic, each.partition): each.downstream for each in found if each.group == group}
            ahead = {place: offset for place, offset in places.items() if offset > committed.get(place, -1)}
            if ahead:
                target.commit(group, ahead)
