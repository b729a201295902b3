"""OffsetDelete, v0 (KIP-496). Offsets of topics that the group still subscribes to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode
from riacho.broker.merging import merged
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest, OffsetDeleteRequestTopic


def handle(ctx: RequestContext, request: OffsetDeleteRequest) -> Any:
    ctx.check_group(AclOperation.DELETE, request.group_id)
    topics = ctx.broker.metadata.image.topics
    refused = []
    kept = []
    for topic in request.topics:
        if not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, topic.name):
            refused.append(_refused_topic(topic, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
        elif topic.name not in topics:
            refused.append(_refused_topic(topic, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        else:
            kept.append(topic)
    request.topics = kept
    outcome = ctx.broker.groups.delete_offsets(request)
    return merged(outcome, lambda response: _with(response, refused)) if refused else outcome


def _with(response: OffsetDeleteResponse, refused: list[OffsetDeleteResponseTopic]) -> OffsetDeleteResponse:
    if response.error_code == ErrorCode.NONE:
        response.topics.extend(refused)
    return response


def _refused_topic(topic: OffsetDeleteRequestTopic, code: ErrorCode) -> OffsetDeleteResponseTopic:
    return OffsetDeleteResponseTopic(
        name=topic.name,
        partitions=[
            OffsetDeleteResponsePartition(partition_index=partition.partition_index, error_code=code)
            for partition in topic.partitions
        ],
    )
