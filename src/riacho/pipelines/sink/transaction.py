"""One Kafka transaction under a transactional id: begun by one process, and ended by it or by another.

`begin` fences whoever had the id before and returns only when what that one had open is settled, one way or the other.
What it gives (a `Transaction`) is all that is needed to end it, so a task may write and the driver end.

The versions are the last ones before KIP-890's: partitions are added by the client and an epoch lasts from one `begin`
to the next, which every broker since 2.5 understands in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import TRANSACTION_KEY_TYPE, Cluster, check, error_of
from riacho.client.connection import Connection
from riacho.client.offsets import group_by_topic
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.errors import Fenced, as_sink_errors
from riacho.pipelines.sink.sink_cluster import SinkCluster
from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.end_txn_response import EndTxnResponse
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse

_INIT_PRODUCER_ID, _INIT_PRODUCER_ID_VERSION = 22, 5
_ADD_PARTITIONS, _ADD_PARTITIONS_VERSION = 24, 3
_END_TXN, _END_TXN_VERSION = 26, 4
_GONE = frozenset(
    {
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
        ErrorCode.INVALID_PRODUCER_ID_MAPPING,
        ErrorCode.TRANSACTION_COORDINATOR_FENCED,
    }
)


class Transaction(NamedTuple):
    transactional_id: str
    producer_id: int
    producer_epoch: int


def begin(cluster: SinkCluster, transactional_id: str, timeout_ms: int) -> Transaction:
    def work() -> Transaction:
        coordinator = cluster.transaction_coordinator(transactional_id)
        request = InitProducerIdRequest(transactional_id=transactional_id, transaction_timeout_ms=timeout_ms)
        version = min(coordinator.version_for(_INIT_PRODUCER_ID), _INIT_PRODUCER_ID_VERSION)
        response = cluster.ask(request, InitProducerIdResponse, coordinator, version)
        # Somebody else began in the same moment: whoever comes last wins, and that may still be this one.
        code = error_of(response.error_code)
        if code in (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH):
            code = ErrorCode.CONCURRENT_TRANSACTIONS
        check(code, _begin_detail(code, transactional_id, timeout_ms))
        return Transaction(transactional_id, response.producer_id, response.producer_epoch)

    return as_sink_errors(lambda: cluster.retry(work))


def idempotent_producer(cluster: Cluster) -> tuple[int, int]:
    """(producer id, epoch) for a producer without transactions."""

    def work() -> tuple[int, int]:
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0)
        connection = cluster.any()
        version = min(connection.version_for(_INIT_PRODUCER_ID), _INIT_PRODUCER_ID_VERSION)
        response = cluster.ask(request, InitProducerIdResponse, connection, version)
        check(response.error_code, _begin_detail(error_of(response.error_code), "", 0))
        return response.producer_id, response.producer_epoch

    return as_sink_errors(lambda: cluster.retry(work))


def add_partitions(
    cluster: SinkCluster,
    transaction: Transaction,
    topic_partitions: Iterable[TopicPartition],
    on_unknown: Callable[[str], object] = lambda topic: None,
) -> None:
    """`on_unknown` is called with a topic that the coordinator does not know, before it is asked again."""
    topics = group_by_topic(
        topic_partitions, lambda name, indexes: AddPartitionsToTxnTopic(name=name, partitions=indexes)
    )

    def work() -> None:
        coordinator = cluster.transaction_coordinator(transaction.transactional_id)
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=transaction.transactional_id,
            v3_and_below_producer_id=transaction.producer_id,
            v3_and_below_producer_epoch=transaction.producer_epoch,
            v3_and_below_topics=topics,
        )
        version = min(coordinator.version_for(_ADD_PARTITIONS), _ADD_PARTITIONS_VERSION)
        response = cluster.ask(request, AddPartitionsToTxnResponse, coordinator, version)
        for topic in response.results_by_topic_v3_and_below:
            for partition in topic.results_by_partition:
                code = error_of(partition.partition_error_code)
                # The others were not even tried: the one that is to blame says why.
                if code is not ErrorCode.OPERATION_NOT_ATTEMPTED:
                    _check_gone(code)
                    if code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                        # It was there a moment ago: the coordinator is behind, or it was deleted since.
                        on_unknown(topic.name)
                        code = ErrorCode.LEADER_NOT_AVAILABLE
                    check(code, f"{topic.name}-{partition.partition_index} cannot be written to: {code.name}.")

    as_sink_errors(lambda: cluster.retry(work))


def end(cluster: SinkCluster, transaction: Transaction, *, is_commit: bool) -> None:
    """When it returns, the outcome is certain and not announced yet. Fenced when another one has the id."""

    def work() -> None:
        coordinator = cluster.transaction_coordinator(transaction.transactional_id)
        _check_end(_end(cluster, coordinator, transaction, is_commit))

    as_sink_errors(lambda: cluster.retry(work))


def _end(cluster: Cluster, coordinator: Connection, transaction: Transaction, is_commit: bool) -> int:
    request = EndTxnRequest(
        transactional_id=transaction.transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        committed=is_commit,
    )
    version = min(coordinator.version_for(_END_TXN), _END_TXN_VERSION)
    return cluster.ask(request, EndTxnResponse, coordinator, version).error_code


def _check_end(error_code: int) -> None:
    code = error_of(error_code)
    _check_gone(code)
    if code is ErrorCode.INVALID_TXN_STATE:
        raise Fenced("The transaction was over before it could be ended; raise kafka.transaction.timeout.ms.")
    check(code)


def _check_gone(code: ErrorCode) -> None:
    if code in _GONE:
        raise Fenced(
            "The transaction was taken away: another attempt at this task or another driver of this query is at work, "
            "or the epoch took longer than kafka.transaction.timeout.ms."
        )


def _begin_detail(code: ErrorCode, transactional_id: str, timeout_ms: int) -> str | None:
    match code:
        case ErrorCode.INVALID_TRANSACTION_TIMEOUT:
            return f"The brokers do not allow transactions of {timeout_ms} ms; lower kafka.transaction.timeout.ms."
        case ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            return f"These credentials may not use the transactional id '{transactional_id}'."
        case ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
            return "These credentials may not write idempotently."
    return None


def abort_quietly(cluster: Cluster, transaction: Transaction) -> None:
    """One try, so that readers need not wait for the timeout: whoever comes next with this id settles it anyway."""
    with suppress(KafkaError):
        coordinator = cluster.coordinator(transaction.transactional_id, TRANSACTION_KEY_TYPE)
        _end(cluster, coordinator, transaction, False)
