"""One topic as `riacho topic describe` shows it: partitions with their offsets, and the settings that are its own."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.base.ids import uuid_text
from riacho.client.cluster import Cluster
from riacho.client.configs import describe_configs
from riacho.client.offsets import EARLIEST, LATEST, list_offsets
from riacho.client.topics import describe_topics
from riacho.metadata.image.config_resource import ConfigSource, ResourceType

PARTITION_COLUMNS = ("partition", "leader", "replicas", "isr", "start", "end", "records")


@dataclass(frozen=True, slots=True)
class TopicView:
    name: str
    topic_id: str
    is_internal: bool
    replication_factor: int
    partitions: list[dict[str, object]]
    configs: dict[str, str | None]

    @property
    def records(self) -> int:
        return sum(p["records"] for p in self.partitions if isinstance(p["records"], int))

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "topic_id": self.topic_id,
            "internal": self.is_internal,
            "replication_factor": self.replication_factor,
            "partitions": self.partitions,
            "configs": self.configs,
        }


def view_topics(cluster: Cluster, names: list[str]) -> list[TopicView]:
    topics = describe_topics(cluster, names)
    all_partitions = [(topic.name or "", p.partition_index) for topic in topics for p in topic.partitions]
    starts = list_offsets(cluster, dict.fromkeys(all_partitions, EARLIEST))
    ends = list_offsets(cluster, dict.fromkeys(all_partitions, LATEST))
    configs = describe_configs(cluster, ResourceType.TOPIC, names)
    views = []
    for topic in topics:
        name = topic.name or ""
        rows: list[dict[str, object]] = []
        for p in sorted(topic.partitions, key=lambda p: p.partition_index):
            start, end = starts[name, p.partition_index], ends[name, p.partition_index]
            known = start.offset >= 0 and end.offset >= 0
            rows.append(
                {
                    "partition": p.partition_index,
                    "leader": p.leader_id if p.leader_id >= 0 else None,
                    "replicas": list(p.replica_nodes),
                    "isr": list(p.isr_nodes),
                    "start": start.offset if known else None,
                    "end": end.offset if known else None,
                    "records": end.offset - start.offset if known else None,
                }
            )
        own = {
            entry.name: entry.value
            for entry in configs.get(name, [])
            if entry.config_source == ConfigSource.DYNAMIC_TOPIC_CONFIG
        }
        factor = max((len(p.replica_nodes) for p in topic.partitions), default=0)
        views.append(TopicView(name, uuid_text(topic.topic_id), topic.is_internal, factor, rows, own))
    return views
