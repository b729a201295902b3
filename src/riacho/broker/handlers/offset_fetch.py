"""OffsetFetch, v1-10.

v2: null topics ask for all; an error for the whole. v5: leader epochs. v7: require_stable (KIP-447). v8: several groups
(KIP-709). v9: member id and epoch, of consumer groups only (KIP-848). v10: topic ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup, OffsetFetchRequestTopics
from riacho.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.metadata.image import MetadataImage
    from riacho.wire.messages.offset_fetch_request import OffsetFetchRequest

_GROUPS_VERSION = 8
_TOPIC_ID_VERSION = 10


async def handle(ctx: RequestContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
    groups, stable = ctx.broker.groups, request.require_stable
    if ctx.version < _GROUPS_VERSION:
        return _single(await groups.fetch_offsets(_as_group(request), require_stable=stable))
    answers = []
    for asked in request.groups:
        if ctx.version < _TOPIC_ID_VERSION:
            answers.append(await groups.fetch_offsets(asked, require_stable=stable))
        else:
            answers.append(await _by_topic_id(ctx, asked, stable))
    return OffsetFetchResponse(groups=answers)


def _as_group(request: OffsetFetchRequest) -> OffsetFetchRequestGroup:
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestTopics(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in request.topics
        ]
    return OffsetFetchRequestGroup(group_id=request.group_id, topics=topics)


def _single(group: OffsetFetchResponseGroup) -> OffsetFetchResponse:
    return OffsetFetchResponse(
        error_code=group.error_code,
        topics=[
            OffsetFetchResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetFetchResponsePartition(
                        partition_index=partition.partition_index,
                        committed_offset=partition.committed_offset,
                        committed_leader_epoch=partition.committed_leader_epoch,
                        metadata=partition.metadata,
                        error_code=partition.error_code,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in group.topics
        ],
    )


async def _by_topic_id(ctx: RequestContext, asked: OffsetFetchRequestGroup, stable: bool) -> OffsetFetchResponseGroup:
    image = ctx.broker.metadata.image
    unknown = _resolve(image, asked)
    answer = await ctx.broker.groups.fetch_offsets(asked, require_stable=stable)
    if asked.topics is None:
        answer.topics = [topic for topic in answer.topics if topic.name in image.topics]
        for topic in answer.topics:
            topic.topic_id = image.topics[topic.name].id
    answer.topics.extend(unknown)
    return answer


def _resolve(image: MetadataImage, asked: OffsetFetchRequestGroup) -> list[OffsetFetchResponseTopics]:
    """Give every topic its name; the answers for those that have none."""
    unknown: list[OffsetFetchResponseTopics] = []
    if asked.topics is None:
        return unknown
    known = []
    for topic in asked.topics:
        found = image.topics_by_id.get(topic.topic_id)
        if found is None:
            unknown.append(_unknown_topic(topic))
        else:
            topic.name = found.name
            known.append(topic)
    asked.topics = known
    return unknown


def _unknown_topic(topic: OffsetFetchRequestTopics) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(
        topic_id=topic.topic_id,
        partitions=[
            OffsetFetchResponsePartitions(
                partition_index=index, committed_offset=-1, metadata="", error_code=ErrorCode.UNKNOWN_TOPIC_ID
            )
            for index in topic.partition_indexes
        ],
    )
