"""OffsetCommit, v2-10.

v2-4: the client's own retention time; v5 on, the broker's alone (KIP-211). v6: leader epochs (KIP-320). v7: group
instance id (KIP-345). v9: errors of the consumer protocol (KIP-848). v10: topic ids.
Topics and partitions that do not exist are refused each on their own; the rest is committed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Outcome, mapped
from riacho.groups.operations import OFFSET_COMMIT
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.offset_commit_request import OffsetCommitRequestTopic
from riacho.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.offset_commit_request import OffsetCommitRequest

_TOPIC_ID_VERSION = 10


def handle(ctx: BrokerRequestContext, request: OffsetCommitRequest) -> Outcome[OffsetCommitResponse]:
    ctx.check_group(AclOperation.READ, request.group_id)
    accepted: list[OffsetCommitRequestTopic] = []
    refused: list[OffsetCommitResponseTopic] = []
    for topic in request.topics:
        _screen(ctx, topic, accepted, refused)
    if refused and not accepted:
        return OffsetCommitResponse(topics=refused)
    outcome = ctx.coordinators.groups.ask(OFFSET_COMMIT, replace(request, topics=accepted), ctx.version)
    return mapped(outcome, lambda response: _join(response, refused)) if refused else outcome


def _screen(
    ctx: BrokerRequestContext,
    topic: OffsetCommitRequestTopic,
    accepted: list[OffsetCommitRequestTopic],
    refused: list[OffsetCommitResponseTopic],
) -> None:
    image = ctx.metadata.image
    if ctx.version >= _TOPIC_ID_VERSION:
        found, missing = image.topics_by_id.get(topic.topic_id), ErrorCode.UNKNOWN_TOPIC_ID
    else:
        found, missing = image.topics.get(topic.name), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    count, name = 0, topic.name
    if found is not None:
        name, count, missing = found.name, len(found.partitions), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    is_named = found is not None or ctx.version < _TOPIC_ID_VERSION
    if is_named and not ctx.allows(AclOperation.READ, AclResourceType.TOPIC, name):
        found, count, missing = None, 0, ErrorCode.TOPIC_AUTHORIZATION_FAILED
    known = [partition for partition in topic.partitions if 0 <= partition.partition_index < count]
    if len(known) == len(topic.partitions) and found is not None:
        accepted.append(topic if topic.name == name else replace(topic, name=name))
        return
    unknown = [
        OffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=missing)
        for partition in topic.partitions
        if not 0 <= partition.partition_index < count
    ]
    refused.append(OffsetCommitResponseTopic(name=name, topic_id=topic.topic_id, partitions=unknown))
    if known:
        accepted.append(OffsetCommitRequestTopic(name=name, topic_id=topic.topic_id, partitions=known))


def _join(response: OffsetCommitResponse, refused: list[OffsetCommitResponseTopic]) -> OffsetCommitResponse:
    committed = {(topic.name, topic.topic_id): topic for topic in response.topics}
    for topic in refused:
        same = committed.get((topic.name, topic.topic_id))
        if same is None:
            response.topics.append(topic)
        else:
            same.partitions.extend(topic.partitions)
    return response
