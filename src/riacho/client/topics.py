"""What brokers tell about topics: names, partitions, configs, moves under way."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client import reassignments
from riacho.client.cluster import Cluster, check
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import Move
from riacho.wire.messages.describe_topic_partitions_request import Cursor, DescribeTopicPartitionsRequest, TopicRequest
from riacho.wire.messages.describe_topic_partitions_response import (
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

Topic = DescribeTopicPartitionsResponseTopic
Partition = DescribeTopicPartitionsResponsePartition


def describe_topics(cluster: Cluster, names: Sequence[str], partition_limit: int = 2000) -> list[Topic]:
    """By DescribeTopicPartitions (KIP-966), page by page; by Metadata where the broker has none of that."""
    try:
        return cluster.retry(lambda: _describe_by_pages(cluster, names, partition_limit))
    except KafkaError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION:
            raise
    return cluster.retry(lambda: _describe_by_metadata(cluster, names))


def _describe_by_pages(cluster: Cluster, names: Sequence[str], partition_limit: int) -> list[Topic]:
    found: dict[str, Topic] = {}
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in sorted(names)], response_partition_limit=partition_limit
    )
    while True:
        response = cluster.ask(request, DescribeTopicPartitionsResponse)
        for topic in response.topics:
            name = topic.name or ""
            check(topic.error_code, f"Topic '{name}' does not exist.")
            if name in found:
                found[name].partitions.extend(topic.partitions)
            else:
                found[name] = topic
        if response.next_cursor is None:
            return list(found.values())
        cursor = response.next_cursor
        request.topics = [topic for topic in request.topics if topic.name >= cursor.topic_name]
        request.cursor = Cursor(topic_name=cursor.topic_name, partition_index=cursor.partition_index)


def _describe_by_metadata(cluster: Cluster, names: Sequence[str]) -> list[Topic]:
    return [
        Topic(
            name=name,
            topic_id=topic.topic_id,
            is_internal=topic.is_internal,
            partitions=[
                Partition(
                    partition_index=p.partition_index,
                    leader_id=p.leader_id,
                    leader_epoch=p.leader_epoch,
                    replica_nodes=p.replica_nodes,
                    isr_nodes=p.isr_nodes,
                    offline_replicas=p.offline_replicas,
                )
                for p in topic.partitions
            ],
        )
        for name, topic in sorted(cluster.topics(names).items())
    ]


def list_reassignments(cluster: Cluster, topics: Sequence[Topic]) -> dict[TopicPartition, Move]:
    """Replica moves under way; none where the broker does not serve the API or the user may not ask."""
    partitions = [(topic.name or "", p.partition_index) for topic in topics for p in topic.partitions]
    try:
        return reassignments.list_reassignments(cluster, partitions)
    except KafkaError as error:
        if error.code in (ErrorCode.UNSUPPORTED_VERSION, ErrorCode.CLUSTER_AUTHORIZATION_FAILED):
            return {}
        raise
