"""OffsetCommit, v2-10.

v2-4: the client's own retention time; v5 on, the broker's alone (KIP-211). v6: leader epochs (KIP-320). v7: group
instance id (KIP-345). v9: errors of the consumer protocol (KIP-848). v10: topic ids.
Topics and partitions that do not exist are refused each on their own; the rest is committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode
from riacho.broker.deferred import Deferred
from riacho.wire.messages.offset_commit_request import OffsetCommitRequestTopic
from riacho.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.metadata.image import MetadataImage
    from riacho.wire.messages.offset_commit_request import OffsetCommitRequest

_TOPIC_ID_VERSION = 10


def handle(ctx: RequestContext, request: OffsetCommitRequest) -> Any:
    image = ctx.broker.metadata.image
    asked, request.topics = request.topics, []
    refused: list[OffsetCommitResponseTopic] = []
    for topic in asked:
        _screen(image, topic, ctx.version, request.topics, refused)
    if not refused:
        return ctx.broker.groups.commit_offsets(request, ctx.version)
    if not request.topics:
        return OffsetCommitResponse(topics=refused)
    return _merged(ctx.broker.groups.commit_offsets(request, ctx.version), refused)


def _screen(
    image: MetadataImage,
    topic: OffsetCommitRequestTopic,
    version: int,
    accepted: list[OffsetCommitRequestTopic],
    refused: list[OffsetCommitResponseTopic],
) -> None:
    if version >= _TOPIC_ID_VERSION:
        found, missing = image.topics_by_id.get(topic.topic_id), ErrorCode.UNKNOWN_TOPIC_ID
    else:
        found, missing = image.topics.get(topic.name), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    count = 0
    if found is not None:
        topic.name, count, missing = found.name, len(found.partitions), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    known = [partition for partition in topic.partitions if 0 <= partition.partition_index < count]
    if len(known) == len(topic.partitions) and found is not None:
        accepted.append(topic)
        return
    unknown = [
        OffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=missing)
        for partition in topic.partitions
        if not 0 <= partition.partition_index < count
    ]
    refused.append(OffsetCommitResponseTopic(name=topic.name, topic_id=topic.topic_id, partitions=unknown))
    if known:
        accepted.append(OffsetCommitRequestTopic(name=topic.name, topic_id=topic.topic_id, partitions=known))


def _merged(outcome: Any, refused: list[OffsetCommitResponseTopic]) -> Any:
    if type(outcome) is Deferred:
        deferred = Deferred(on_abandon=outcome.abandon)
        outcome.then(lambda response: deferred.resolve(_join(response, refused)))
        return deferred
    return _join(outcome, refused)


def _join(response: OffsetCommitResponse, refused: list[OffsetCommitResponseTopic]) -> OffsetCommitResponse:
    committed = {(topic.name, topic.topic_id): topic for topic in response.topics}
    for topic in refused:
        same = committed.get((topic.name, topic.topic_id))
        if same is None:
            response.topics.append(topic)
        else:
            same.partitions.extend(topic.partitions)
    return response
