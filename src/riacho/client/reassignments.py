"""Moves of replicas between brokers (KIP-455): what is under way, starting and cancelling them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from riacho.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse
from riacho.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from riacho.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
)

Move = OngoingPartitionReassignment


def list_reassignments(
    cluster: Cluster, partitions: Iterable[TopicPartition] | None = None
) -> dict[TopicPartition, Move]:
    """The moves under way, of these partitions or of all."""
    request = ListPartitionReassignmentsRequest(
        timeout_ms=cluster.settings.request_timeout_ms,
        topics=None
        if partitions is None
        else group_by_topic(
            partitions,
            lambda name, indexes: ListPartitionReassignmentsTopics(name=name, partition_indexes=indexes),
        ),
    )

    def work() -> ListPartitionReassignmentsResponse:
        response = cluster.ask(request, ListPartitionReassignmentsResponse, cluster.controller())
        check(response.error_code, response.error_message)
        return response

    return {(topic.name, p.partition_index): p for topic in cluster.retry(work).topics for p in topic.partitions}


def alter_reassignments(
    cluster: Cluster,
    targets: Mapping[TopicPartition, Sequence[int] | None],
    *,
    allow_replication_factor_change: bool = True,
) -> dict[TopicPartition, KafkaError]:
    """Start a move to each list of replicas, cancel where it is None. Gives the partitions that were refused."""

    def partition(name: str, index: int) -> ReassignablePartition:
        replicas = targets[name, index]
        return ReassignablePartition(partition_index=index, replicas=None if replicas is None else list(replicas))

    request = AlterPartitionReassignmentsRequest(
        timeout_ms=cluster.settings.request_timeout_ms,
        allow_replication_factor_change=allow_replication_factor_change,
        topics=group_by_topic(
            targets,
            lambda name, indexes: ReassignableTopic(name=name, partitions=[partition(name, i) for i in indexes]),
        ),
    )

    def work() -> AlterPartitionReassignmentsResponse:
        response = cluster.ask(request, AlterPartitionReassignmentsResponse, cluster.controller())
        check(response.error_code, response.error_message)
        return response

    return {
        (topic.name, p.partition_index): KafkaError(error_of(p.error_code), p.error_message or "")
        for topic in cluster.retry(work).responses
        for p in topic.partitions
        if p.error_code
    }
