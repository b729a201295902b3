"""Transactions that are open on a partition while no coordinator is going to end them (KIP-664).

A candidate is older than any transaction may be. It hangs when nobody knows its producer, or when the coordinator's
transaction of that producer does not have this partition.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.offsets import TopicPartition
from riacho.client.transactions import describe_producers, describe_transaction, list_transactions
from riacho.wire.messages.describe_producers_response import ProducerState

_BATCH_SIZE = 500
_NO_OFFSET = -1


class OpenTransaction(NamedTuple):
    topic: str
    partition: int
    producer: ProducerState


def find_hanging(
    cluster: Cluster, partitions: list[TopicPartition], broker_id: int | None, timeout_ms: int, now_ms: int
) -> list[OpenTransaction]:
    candidates = []
    for start in range(0, len(partitions), _BATCH_SIZE):
        described = describe_producers(cluster, partitions[start : start + _BATCH_SIZE], broker_id)
        candidates += [
            OpenTransaction(*partition, producer)
            for partition, producers in described.items()
            for producer in producers
            if producer.current_txn_start_offset != _NO_OFFSET and now_ms - producer.last_timestamp > timeout_ms
        ]
    return _hanging(cluster, candidates) if candidates else []


def partitions_to_search(
    cluster: Cluster, topic: str | None, partition: int | None, broker_id: int | None
) -> list[TopicPartition]:
    if topic is not None and partition is not None:
        return [(topic, partition)]
    found = cluster.topics([topic]).values() if topic is not None else cluster.metadata().topics
    return [
        (each.name or "", state.partition_index)
        for each in found
        for state in each.partitions
        if broker_id is None or broker_id in state.replica_nodes
    ]


def _hanging(cluster: Cluster, candidates: Iterable[OpenTransaction]) -> list[OpenTransaction]:
    by_producer: dict[int, list[OpenTransaction]] = {}
    for candidate in candidates:
        by_producer.setdefault(candidate.producer.producer_id, []).append(candidate)
    listed = list_transactions(cluster, producer_ids=by_producer)
    ids = {each.producer_id: each.transactional_id for states in listed.values() for each in states}
    hanging: list[OpenTransaction] = []
    for producer_id, opened in by_producer.items():
        expected = _partitions_of(cluster, ids[producer_id]) if producer_id in ids else set()
        hanging += [each for each in opened if (each.topic, each.partition) not in expected]
    return hanging


def _partitions_of(cluster: Cluster, transactional_id: str) -> set[TopicPartition]:
    """Where its coordinator will still write a marker."""
    try:
        state = describe_transaction(cluster, transactional_id).state
    except KafkaError as error:
        if error.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            return set()
        raise
    return {(topic.topic, index) for topic in state.topics for index in topic.partitions}
