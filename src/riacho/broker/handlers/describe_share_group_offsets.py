"""DescribeShareGroupOffsets, v0-1 (KIP-932): where share groups stand in partitions.

v1: the lag, which counts what is acknowledged beyond the start offset as done. -1 where that is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.describe_share_group_offsets_request import (
        DescribeShareGroupOffsetsRequest,
        DescribeShareGroupOffsetsRequestGroup,
        DescribeShareGroupOffsetsRequestTopic,
    )


async def handle(
    ctx: BrokerRequestContext, request: DescribeShareGroupOffsetsRequest
) -> DescribeShareGroupOffsetsResponse:
    return DescribeShareGroupOffsetsResponse(groups=[await _describe(ctx, group) for group in request.groups])


async def _describe(
    ctx: BrokerRequestContext, asked: DescribeShareGroupOffsetsRequestGroup
) -> DescribeShareGroupOffsetsResponseGroup:
    group = DescribeShareGroupOffsetsResponseGroup(group_id=asked.group_id)
    if not ctx.coordinators.share_groups.is_enabled:
        group.error_code = ErrorCode.UNSUPPORTED_VERSION
    elif not ctx.allows(AclOperation.DESCRIBE, AclResourceType.GROUP, asked.group_id):
        group.error_code = ErrorCode.GROUP_AUTHORIZATION_FAILED
    else:
        try:
            if asked.topics is None:
                group.topics = await _all_topics(ctx, asked.group_id)
            else:
                group.topics = await _topics(ctx, asked.group_id, asked.topics)
        except KafkaError as error:
            group.error_code, group.error_message = error.code, error.detail or error.code.name
    return group


async def _all_topics(ctx: BrokerRequestContext, group_id: str) -> list[DescribeShareGroupOffsetsResponseTopic]:
    """Those that the client may not see are left out."""
    found = []
    for topic_id, share in (await ctx.coordinators.share_groups.known_partitions(group_id)).items():
        topic = ctx.metadata.image.topics_by_id.get(topic_id)
        if topic is not None and ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.name, is_audited=False):
            found.append(await _stored(ctx, group_id, topic.name, sorted(share.partitions)))
    return found


async def _topics(
    ctx: BrokerRequestContext, group_id: str, asked: Iterable[DescribeShareGroupOffsetsRequestTopic]
) -> list[DescribeShareGroupOffsetsResponseTopic]:
    stored, unknown, denied = [], [], []
    for topic in asked:
        if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.topic_name):
            denied.append(_nowhere(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed."))
        elif topic.topic_name not in ctx.metadata.image.topics:
            unknown.append(_nowhere(topic))
        else:
            stored.append(await _stored(ctx, group_id, topic.topic_name, topic.partitions))
    return [*stored, *unknown, *denied]


async def _stored(
    ctx: BrokerRequestContext, group_id: str, name: str, partitions: Collection[int]
) -> DescribeShareGroupOffsetsResponseTopic:
    topic_id = ctx.metadata.image.topics[name].id
    return await ctx.coordinators.share_groups.described_offsets(group_id, topic_id, name, partitions)


def _nowhere(
    topic: DescribeShareGroupOffsetsRequestTopic, code: ErrorCode = ErrorCode.NONE, message: str | None = None
) -> DescribeShareGroupOffsetsResponseTopic:
    return DescribeShareGroupOffsetsResponseTopic(
        topic_name=topic.topic_name,
        partitions=[
            DescribeShareGroupOffsetsResponsePartition(
                partition_index=index, start_offset=-1, error_code=code, error_message=message
            )
            for index in topic.partitions
        ],
    )
