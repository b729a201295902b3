"""A broker's replicas for tests that make its partitions themselves: nothing is read from directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from riacho.broker.partitions.replicas import Partitions, Replicas
from riacho.metadata.image.topics import Topic
from support.parts import untouched

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.metadata.image.topics import Partition


def new_replicas(node_id: int, metadata: MetadataCache, clock: Clock, logs: Logs, metrics: BrokerMetrics) -> Replicas:
    return Replicas(node_id, untouched("directories"), metadata, clock, logs, metrics, 86_400_000)


def hosted_of(replicas: Replicas, topic: str, topic_id: bytes) -> Partitions:
    """The topic's partitions, by index; what a test puts here is hosted."""
    partitions = replicas.by_name.setdefault(topic, {})
    replicas.by_id[topic_id] = partitions
    return partitions


def publish_topic(metadata: MetadataCache, topic: str, topic_id: bytes, *partitions: Partition) -> None:
    """Let the image name this topic, and no other."""
    named = Topic(topic, topic_id, partitions)
    metadata.publish(structs.replace(metadata.image, topics={topic: named}, topics_by_id={topic_id: named}))
