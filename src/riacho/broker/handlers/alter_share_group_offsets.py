"""AlterShareGroupOffsets, v0 (KIP-932): where an empty share group will start. A group that is not there is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.alter_share_group_offsets_request import (
        AlterShareGroupOffsetsRequest,
        AlterShareGroupOffsetsRequestTopic,
    )

_MESSAGES = {
    ErrorCode.UNSUPPORTED_VERSION: "The version of API is not supported.",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "Group authorization failed.",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "Topic authorization failed.",
    ErrorCode.INVALID_GROUP_ID: "The group id is invalid.",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
}


async def handle(ctx: BrokerRequestContext, request: AlterShareGroupOffsetsRequest) -> AlterShareGroupOffsetsResponse:
    if not ctx.coordinators.share_groups.is_enabled:
        return _refused(ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return _refused(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    failed = []
    allowed = []
    for topic in request.topics:
        if not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, topic.topic_name):
            failed.append(_failed(ctx, topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
        elif topic.topic_name not in ctx.metadata.image.topics:
            failed.append(_failed(ctx, topic, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        else:
            allowed.append(topic)
    if not request.group_id:
        return _refused(ErrorCode.INVALID_GROUP_ID)
    response = await ctx.coordinators.share_groups.alter_offsets(replace(request, topics=allowed))
    if response.error_code == ErrorCode.NONE:
        response.responses = [*failed, *response.responses]
    return response


def _refused(code: ErrorCode) -> AlterShareGroupOffsetsResponse:
    return AlterShareGroupOffsetsResponse(error_code=code, error_message=_MESSAGES[code])


def _failed(
    ctx: BrokerRequestContext, topic: AlterShareGroupOffsetsRequestTopic, code: ErrorCode
) -> AlterShareGroupOffsetsResponseTopic:
    known = ctx.metadata.image.topics.get(topic.topic_name)
    return AlterShareGroupOffsetsResponseTopic(
        topic_name=topic.topic_name,
        topic_id=ZERO_UUID if known is None else known.id,
        partitions=[
            AlterShareGroupOffsetsResponsePartition(
                partition_index=partition.partition_index, error_code=code, error_message=_MESSAGES[code]
            )
            for partition in topic.partitions
        ],
    )
