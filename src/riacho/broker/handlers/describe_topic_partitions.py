"""DescribeTopicPartitions, v0 (KIP-966): topics by name in pages, with their eligible leader replicas.

No topics means all. A page ends after `response_partition_limit` partitions, at most
`max.request.partition.size.limit`; the cursor that comes back says where the next begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access import authorized_operations
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import INTERNAL_TOPICS, name_problem
from riacho.metadata.image.topics import Partition, Topic
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from riacho.wire.messages.describe_topic_partitions_response import (
    Cursor,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


def handle(ctx: RequestContext, request: DescribeTopicPartitionsRequest) -> DescribeTopicPartitionsResponse:
    metadata = ctx.metadata
    image = metadata.image
    cursor = request.cursor
    if cursor is not None and cursor.partition_index < 0:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"cursor at partition {cursor.partition_index}")
    asked = {topic.name for topic in request.topics}
    seen = ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, asked or image.topics, is_audited=bool(asked))
    names = sorted(seen)
    first_partition = 0
    if cursor is not None:
        names = [name for name in names if name >= cursor.topic_name]
        if names and names[0] == cursor.topic_name:
            first_partition = cursor.partition_index
    limit = min(request.response_partition_limit, metadata.values.integer("max.request.partition.size.limit"))
    response = _page(image, names, first_partition, max(limit, 1))
    for described in response.topics:
        described.topic_authorized_operations = authorized_operations.authorized_operations(
            ctx, AclResourceType.TOPIC, described.name or ""
        )
    # Whether these exist has not been looked up.
    response.topics.extend(
        _denied(name) for name in sorted(asked - seen) if cursor is None or name >= cursor.topic_name
    )
    return response


def _page(image: MetadataImage, names: list[str], first_partition: int, room: int) -> DescribeTopicPartitionsResponse:
    response = DescribeTopicPartitionsResponse()
    for name in names:
        topic = image.topics.get(name)
        if topic is None:
            response.topics.append(_unknown(name))
            continue
        if room == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=0)
            break
        end = min(first_partition + room, len(topic.partitions))
        response.topics.append(_topic(image, topic, first_partition, end))
        room -= max(end - first_partition, 0)
        if end < len(topic.partitions):
            response.next_cursor = Cursor(topic_name=name, partition_index=end)
            break
        first_partition = 0
    return response


def _denied(name: str) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name)


def _unknown(name: str) -> DescribeTopicPartitionsResponseTopic:
    is_valid = name_problem(name) is None
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if is_valid else ErrorCode.INVALID_TOPIC_EXCEPTION
    return DescribeTopicPartitionsResponseTopic(error_code=code, name=name, is_internal=name in INTERNAL_TOPICS)


def _topic(image: MetadataImage, topic: Topic, first: int, end: int) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=[_partition(image, index, topic.partitions[index]) for index in range(first, end)],
    )


def _partition(image: MetadataImage, index: int, partition: Partition) -> DescribeTopicPartitionsResponsePartition:
    alive = {broker.id for broker in image.brokers.values() if not broker.is_fenced}
    has_leader = partition.leader in alive
    return DescribeTopicPartitionsResponsePartition(
        error_code=ErrorCode.NONE if has_leader else ErrorCode.LEADER_NOT_AVAILABLE,
        partition_index=index,
        leader_id=partition.leader if has_leader else -1,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=list(partition.isr),
        eligible_leader_replicas=list(partition.eligible_leader_replicas),
        last_known_elr=list(partition.last_known_elr),
        offline_replicas=[replica for replica in partition.replicas if replica not in alive],
    )
