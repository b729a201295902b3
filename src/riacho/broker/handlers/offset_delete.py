"""OffsetDelete, v0 (KIP-496). Offsets of topics that the group still subscribes to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode
from riacho.broker.deferred import Deferred
from riacho.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest, OffsetDeleteRequestTopic


def handle(ctx: RequestContext, request: OffsetDeleteRequest) -> Any:
    topics = ctx.broker.metadata.image.topics
    unknown = [_unknown_topic(topic) for topic in request.topics if topic.name not in topics]
    request.topics = [topic for topic in request.topics if topic.name in topics]
    outcome = ctx.broker.groups.delete_offsets(request)
    if not unknown:
        return outcome
    if type(outcome) is Deferred:
        deferred = Deferred(on_abandon=outcome.abandon)
        outcome.then(lambda response: deferred.resolve(_with(response, unknown)))
        return deferred
    return _with(outcome, unknown)


def _with(response: OffsetDeleteResponse, unknown: list[OffsetDeleteResponseTopic]) -> OffsetDeleteResponse:
    if response.error_code == ErrorCode.NONE:
        response.topics.extend(unknown)
    return response


def _unknown_topic(topic: OffsetDeleteRequestTopic) -> OffsetDeleteResponseTopic:
    return OffsetDeleteResponseTopic(
        name=topic.name,
        partitions=[
            OffsetDeleteResponsePartition(
                partition_index=partition.partition_index, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            )
            for partition in topic.partitions
        ],
    )
