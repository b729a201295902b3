"""A broker's replicas for tests that make its partitions themselves: nothing is read from directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.partitions.replicas import Partitions, Replicas
from support.parts import untouched

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_cache import MetadataCache


def new_replicas(node_id: int, metadata: MetadataCache, clock: Clock, logs: Logs, metrics: BrokerMetrics) -> Replicas:
    return Replicas(node_id, untouched("directories"), metadata, clock, logs, metrics, 86_400_000)


def hosted_of(replicas: Replicas, topic: str, topic_id: bytes) -> Partitions:
    """The topic's partitions, by index; what a test puts here is hosted."""
    partitions = replicas.by_name.setdefault(topic, {})
    replicas.by_id[topic_id] = partitions
    return partitions
