"""Transactions as their coordinators and the partitions' leaders tell of them: list, describe, producers, abort."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import TRANSACTION_KEY_TYPE, Cluster, check
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from riacho.wire.messages.describe_producers_response import DescribeProducersResponse, ProducerState
from riacho.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from riacho.wire.messages.describe_transactions_response import DescribeTransactionsResponse, TransactionState
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from riacho.wire.messages.list_transactions_response import ListTransactionsResponse
from riacho.wire.messages.list_transactions_response import TransactionState as ListedTransaction
from riacho.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from riacho.wire.messages.write_txn_markers_response import WriteTxnMarkersResponse

# What Kafka's admin client asks for when it only means to fence: the transaction that it starts is never used.
_FENCING_TIMEOUT_MS = 1
_LIST_TRANSACTIONS = 66
_DURATION_VERSION = 1
_PATTERN_VERSION = 2


class DescribedTransaction(NamedTuple):
    coordinator_id: int
    state: TransactionState


class Abort(NamedTuple):
    """An open transaction, as a partition knows it."""

    topic: str
    partition: int
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int


def list_transactions(
    cluster: Cluster,
    *,
    producer_ids: Iterable[int] = (),
    duration_ms: int = -1,
    pattern: str | None = None,
) -> dict[int, list[ListedTransaction]]:
    """By coordinator: every broker is asked for the transactions that it coordinates."""

    def work(broker_id: int) -> list[ListedTransaction]:
        connection = cluster.broker(broker_id)
        version = connection.version_for(_LIST_TRANSACTIONS)
        if duration_ms >= 0 and version < _DURATION_VERSION:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"Broker {broker_id} cannot filter by duration.")
        if pattern is not None and version < _PATTERN_VERSION:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"Broker {broker_id} cannot filter by a pattern.")
        request = ListTransactionsRequest(
            producer_id_filters=list(producer_ids), duration_filter=duration_ms, transactional_id_pattern=pattern
        )
        response = cluster.ask(request, ListTransactionsResponse, connection)
        check(response.error_code, f"The transactions of broker {broker_id} cannot be listed now.")
        return response.transaction_states

    brokers = sorted(cluster.retry(cluster.live_brokers))
    return {broker_id: cluster.retry(lambda b=broker_id: work(b)) for broker_id in brokers}  # type: ignore[misc]


def describe_transaction(cluster: Cluster, transactional_id: str) -> DescribedTransaction:
    """KafkaError TRANSACTIONAL_ID_NOT_FOUND when its coordinator does not know it."""

    def work() -> DescribedTransaction:
        coordinator_id, _ = cluster.find_coordinator(transactional_id, TRANSACTION_KEY_TYPE)
        request = DescribeTransactionsRequest(transactional_ids=[transactional_id])
        response = cluster.ask(request, DescribeTransactionsResponse, cluster.broker(coordinator_id))
        [state] = response.transaction_states
        check(state.error_code)
        return DescribedTransaction(coordinator_id, state)

    return cluster.retry(work)


def describe_transactions_at(
    cluster: Cluster, coordinator_id: int, transactional_ids: Iterable[str]
) -> dict[str, TransactionState]:
    """As the broker that coordinates them knows them, without those that it does not; one request for all, one
    attempt."""
    request = DescribeTransactionsRequest(transactional_ids=list(transactional_ids))
    response = cluster.ask(request, DescribeTransactionsResponse, cluster.broker(coordinator_id))
    return {each.transactional_id: each for each in response.transaction_states if not each.error_code}


def fence(cluster: Cluster, transactional_id: str) -> None:
    """Abort what is open under this id, and fence whoever opened it."""

    def work() -> None:
        request = InitProducerIdRequest(
            transactional_id=transactional_id,
            transaction_timeout_ms=_FENCING_TIMEOUT_MS,
            producer_id=-1,
            producer_epoch=-1,
        )
        coordinator = cluster.coordinator(transactional_id, TRANSACTION_KEY_TYPE)
        # Version 6 is not for clients yet (KIP-939).
        response: InitProducerIdResponse = coordinator.send(request, min(coordinator.version_for(22), 5))
        check(response.error_code)

    cluster.retry(work)


def describe_producers(
    cluster: Cluster, partitions: Iterable[TopicPartition], broker_id: int | None = None
) -> dict[TopicPartition, list[ProducerState]]:
    """What each partition's leader knows, or this broker."""
    wanted = list(partitions)
    by_broker: dict[int, list[TopicPartition]] = {}
    if broker_id is not None:
        by_broker[broker_id] = wanted
    else:
        leaders = cluster.retry(lambda: _leaders(cluster, wanted))
        for partition in wanted:
            by_broker.setdefault(leaders[partition], []).append(partition)
    found: dict[TopicPartition, list[ProducerState]] = {}
    for node_id, asked in by_broker.items():
        found |= cluster.retry(lambda n=node_id, a=asked: _producers_at(cluster, n, a))  # type: ignore[misc]
    return found


def abort(cluster: Cluster, transaction: Abort) -> None:
    """Write the marker of an abort where the transaction is open, past its coordinator."""
    where = (transaction.topic, transaction.partition)

    def work() -> None:
        marker = WritableTxnMarker(
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            coordinator_epoch=transaction.coordinator_epoch,
            transaction_result=False,
            topics=[WritableTxnMarkerTopic(name=transaction.topic, partition_indexes=[transaction.partition])],
        )
        leader = cluster.broker(_leaders(cluster, [where])[where])
        response = cluster.ask(WriteTxnMarkersRequest(markers=[marker]), WriteTxnMarkersResponse, leader)
        check(response.markers[0].topics[0].partitions[0].error_code)

    cluster.retry(work)


def _leaders(cluster: Cluster, partitions: Iterable[TopicPartition]) -> Mapping[TopicPartition, int]:
    wanted = list(partitions)
    topics = cluster.topics({topic for topic, _ in wanted})
    leaders: dict[TopicPartition, int] = {}
    for topic, index in wanted:
        found = next((each for each in topics[topic].partitions if each.partition_index == index), None)
        if found is None:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' has no partition {index}.")
        if found.leader_id < 0:
            raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, f"Partition {topic}-{index} has no leader.")
        leaders[topic, index] = found.leader_id
    return leaders


def _producers_at(
    cluster: Cluster, node_id: int, partitions: list[TopicPartition]
) -> dict[TopicPartition, list[ProducerState]]:
    request = DescribeProducersRequest(
        topics=group_by_topic(partitions, lambda name, indexes: TopicRequest(name=name, partition_indexes=indexes))
    )
    response = cluster.ask(request, DescribeProducersResponse, cluster.broker(node_id))
    found = {}
    for topic in response.topics:
        for partition in topic.partitions:
            check(partition.error_code, partition.error_message)
            found[topic.name, partition.partition_index] = partition.active_producers
    return found
