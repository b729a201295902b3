"""OffsetFetch, v1-10.

v2: null topics ask for all; an error for the whole. v5: leader epochs. v7: require_stable (KIP-447). v8: several groups
(KIP-709). v9: member id and epoch, of consumer groups only (KIP-848). v10: topic ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import settled
from riacho.groups.operations import OFFSET_FETCH
from riacho.security.operations import AclOperation, AclResourceType
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
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.messages.offset_fetch_request import OffsetFetchRequest

_GROUP_ERROR_VERSION = 2
_GROUPS_VERSION = 8
_TOPIC_ID_VERSION = 10


async def handle(ctx: BrokerRequestContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
    stable = request.require_stable
    if ctx.version < _GROUPS_VERSION:
        return _single(await _of_group(ctx, _as_group(request), stable))
    return OffsetFetchResponse(groups=[await _of_group(ctx, asked, stable) for asked in request.groups])


async def _of_group(
    ctx: BrokerRequestContext, asked: OffsetFetchRequestGroup, stable: bool
) -> OffsetFetchResponseGroup:
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.GROUP, asked.group_id):
        refused = OFFSET_FETCH.refused(asked, ErrorCode.GROUP_AUTHORIZATION_FAILED)
        if ctx.version >= _GROUP_ERROR_VERSION:
            refused.topics = []
        return refused
    image = ctx.metadata.image
    uses_ids = ctx.version >= _TOPIC_ID_VERSION
    if asked.topics is None:
        answer = await settled(ctx.coordinators.groups.ask(OFFSET_FETCH, asked, require_stable=stable))
        _show_allowed(ctx, answer, is_known_only=uses_ids)
        return answer
    named, hidden = _named(image, asked.topics) if uses_ids else (asked.topics, [])
    kept = []
    for topic in named:
        if ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.name):
            kept.append(topic)
        else:
            hidden.append(_refused_topic(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
    answer = await settled(
        ctx.coordinators.groups.ask(OFFSET_FETCH, replace(asked, topics=kept), require_stable=stable)
    )
    if not answer.error_code:
        answer.topics.extend(hidden)
    return answer


def _show_allowed(ctx: BrokerRequestContext, answer: OffsetFetchResponseGroup, *, is_known_only: bool) -> None:
    """Everything was asked for: leave out what the client may not see and, where topics go by id, what has none."""
    topics = ctx.metadata.image.topics
    seen = ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, [topic.name for topic in answer.topics])
    answer.topics = [
        topic for topic in answer.topics if topic.name in seen and (not is_known_only or topic.name in topics)
    ]
    if is_known_only:
        for topic in answer.topics:
            topic.topic_id = topics[topic.name].id


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


def _named(
    image: MetadataImage, topics: list[OffsetFetchRequestTopics]
) -> tuple[list[OffsetFetchRequestTopics], list[OffsetFetchResponseTopics]]:
    """The topics with their names, and the answers for those that have none."""
    known: list[OffsetFetchRequestTopics] = []
    unknown: list[OffsetFetchResponseTopics] = []
    for topic in topics:
        found = image.topics_by_id.get(topic.topic_id)
        if found is None:
            unknown.append(_refused_topic(topic, ErrorCode.UNKNOWN_TOPIC_ID))
        else:
            known.append(replace(topic, name=found.name))
    return known, unknown


def _refused_topic(topic: OffsetFetchRequestTopics, code: ErrorCode) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            OffsetFetchResponsePartitions(partition_index=index, committed_offset=-1, metadata="", error_code=code)
            for index in topic.partition_indexes
        ],
    )
