"""Offset syncs: which offset of a mirrored partition is which on the other side.

Before a micro-batch is written, its first offset of each partition is paired with the end of the target's partition:
records from there on lie from there on. The pair goes to MirrorMaker 2's topic before any of the batch is written, and
a batch that is done again finds it there and makes none: its records may be on the target already, and the end is past
them then. A group's offset is translated with the nearest pair before it, never beyond what it has read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from riacho.base.config import ConfigError
from riacho.client.librdkafka.fatal_errors import flush
from riacho.client.librdkafka.names import make_client, translate
from riacho.pipelines.connectors.mirror.cluster import MirrorCluster, Partition, reason_of
from riacho.pipelines.connectors.mirror.records import OffsetSync
from riacho.pipelines.plugin import ConnectError

_TIMEOUT_S = 30.0
# Pairs remembered for each partition; groups further behind than the oldest are not translated.
_PAIRS_MAX = 64


@dataclass(slots=True)
class OffsetSyncs:
    _pairs: dict[Partition, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, sync: OffsetSync) -> None:
        pairs = self._pairs.setdefault((sync.topic, sync.partition), [])
        # A source topic that was made anew begins again.
        while pairs and pairs[-1][0] >= sync.upstream:
            pairs.pop()
        pairs.append((sync.upstream, sync.downstream))
        del pairs[:-_PAIRS_MAX]

    def reaches(self, topic: str, partition: int, upstream: int) -> bool:
        pairs = self._pairs.get((topic, partition))
        return bool(pairs) and pairs is not None and pairs[-1][0] >= upstream

    def translate(self, topic: str, partition: int, upstream: int) -> int | None:
        """Where a group that has read up to `upstream` may go on; None where that is not known."""
        pairs = self._pairs.get((topic, partition), [])
        index = bisect_right(pairs, upstream, key=lambda pair: pair[0]) - 1
        if index < 0:
            return None
        first, downstream = pairs[index]
        # Past the pair by at least one record; by how many is not known where the source has gaps.
        return downstream if first == upstream else downstream + 1


def read_syncs(cluster: MirrorCluster, topic: str) -> OffsetSyncs:
    """All that the topic has now; none where it is missing."""
    syncs = OffsetSyncs()
    if topic not in cluster.topics():
        return syncs
    for key, value in _records(cluster, topic):
        try:
            syncs.add(OffsetSync.parse(key, value))
        except ValueError:
            continue  # somebody else's record
    return syncs


def _records(cluster: MirrorCluster, topic: str) -> Iterator[tuple[bytes, bytes]]:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition

    own = {"group.id": "riacho-mirror", "enable.auto.commit": False, "enable.partition.eof": True}
    try:
        consumer = make_client(Consumer, translate(cluster.client) | own, lambda name: None)
        try:
            consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
            while True:
                message = consumer.poll(_TIMEOUT_S)
                if message is None:
                    raise ConnectError(f"The cluster {cluster.alias} did not give the records of {topic} in time")
                error = message.error()
                if error is not None:
                    if error.name() == "_PARTITION_EOF":
                        return
                    raise KafkaException(error)
                key, value = message.key(), message.value()
                if key is not None and value is not None:
                    yield key, value
        finally:
            consumer.close()
    except (KafkaException, ConfigError) as failure:
        raise ConnectError(f"The topic {topic} of {cluster.alias} cannot be read: {reason_of(failure)}") from None


def write_syncs(cluster: MirrorCluster, topic: str, syncs: Iterable[OffsetSync]) -> None:
    """Returns when all are there."""
    from confluent_kafka import KafkaException, Producer

    failures: list[str] = []
    own = {"acks": "all", "enable.idempotence": True, "message.timeout.ms": int(_TIMEOUT_S * 1000)}
    try:
        producer = make_client(Producer, translate(cluster.client) | own, lambda name: None)
        for sync in syncs:
            producer.produce(
                topic,
                sync.value(),
                sync.key(),
                0,
                on_delivery=lambda error, message: failures.append(error.str()) if error else None,
            )
        left = flush(producer, _TIMEOUT_S * 2)
    except (KafkaException, ConfigError, BufferError) as error:
        raise ConnectError(f"The topic {topic} of {cluster.alias} cannot be written: {reason_of(error)}") from None
    if failures or left:
        reason = failures[0] if failures else "it took too long"
        raise ConnectError(f"The topic {topic} of {cluster.alias} cannot be written: {reason}")
