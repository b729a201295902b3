"""OffsetDelete, v0 (KIP-496). Offsets of topics that the group still subscribes to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Outcome, mapped
from riacho.groups.operations import OFFSET_DELETE
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest, OffsetDeleteRequestPartition


def handle(ctx: BrokerRequestContext, request: OffsetDeleteRequest) -> Outcome[OffsetDeleteResponse]:
    ctx.check_group(AclOperation.DELETE, request.group_id)
    topics = ctx.metadata.image.topics
    refused = []
    kept = []
    for topic in request.topics:
        if not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, topic.name):
            refused.append(_refused(topic.name, topic.partitions, ErrorCode.TOPIC_AUTHORIZATION_FAILED))
            continue
        found = topics.get(topic.name)
        count = 0 if found is None else len(found.partitions)
        missing = [each for each in topic.partitions if not 0 <= each.partition_index < count]
        if missing:
            refused.append(_refused(topic.name, missing, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        if found is not None:
            known = [each for each in topic.partitions if 0 <= each.partition_index < count]
            kept.append(replace(topic, partitions=known))
    outcome = ctx.coordinators.groups.ask(OFFSET_DELETE, replace(request, topics=kept))
    return mapped(outcome, lambda response: _with(response, refused)) if refused else outcome


def _with(response: OffsetDeleteResponse, refused: list[OffsetDeleteResponseTopic]) -> OffsetDeleteResponse:
    if response.error_code == ErrorCode.NONE:
        by_name = {topic.name: topic for topic in response.topics}
        for topic in refused:
            if topic.name in by_name:
                by_name[topic.name].partitions.extend(topic.partitions)
            else:
                response.topics.append(topic)
    return response


def _refused(name: str, partitions: list[OffsetDeleteRequestPartition], code: ErrorCode) -> OffsetDeleteResponseTopic:
    return OffsetDeleteResponseTopic(
        name=name,
        partitions=[
            OffsetDeleteResponsePartition(partition_index=partition.partition_index, error_code=code)
            for partition in partitions
        ],
    )
