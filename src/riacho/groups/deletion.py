"""DeleteGroups and OffsetDelete decided, and what the deletion of a topic means for committed offsets."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import EMPTY, ClassicGroup
from riacho.groups.classic.records import offset_tombstone
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group
from riacho.groups.offsets.offsets import Offsets
from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest, OffsetDeleteRequestTopic
from riacho.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)


def decide_delete_group(group: Group | None, offsets: Offsets, context: DecisionContext) -> ErrorCode:
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND
    if not group.is_empty:
        return ErrorCode.NON_EMPTY_GROUP
    # Those of open transactions, too: their marker would bring them back, for a group that is not there.
    for topic, partition in sorted(offsets.places(group.group_id)):
        context.decision.records.append(offset_tombstone(group.group_id, topic, partition))
    context.decision.records.extend(group.tombstones())
    return ErrorCode.NONE


def decide_delete_offsets(
    group: Group | None, offsets: Offsets, request: OffsetDeleteRequest, context: DecisionContext
) -> OffsetDeleteResponse:
    if not request.group_id:
        return OffsetDeleteResponse(error_code=ErrorCode.INVALID_GROUP_ID)
    if not isinstance(group, ClassicGroup | ConsumerGroup):
        return OffsetDeleteResponse(error_code=ErrorCode.GROUP_ID_NOT_FOUND)
    if isinstance(group, ClassicGroup) and group.state is not EMPTY and not group.uses_consumer_protocol:
        # Which topics such a group reads cannot be known.
        return OffsetDeleteResponse(error_code=ErrorCode.NON_EMPTY_GROUP)
    return OffsetDeleteResponse(topics=[_delete_topic(group, offsets, topic, context) for topic in request.topics])


def forget_offsets(group_id: str, topics: set[str], offsets: Offsets, context: DecisionContext) -> None:
    for topic, partition in sorted(offsets.places(group_id)):
        if topic in topics:
            context.decision.records.append(offset_tombstone(group_id, topic, partition))


def _delete_topic(
    group: Group, offsets: Offsets, topic: OffsetDeleteRequestTopic, context: DecisionContext
) -> OffsetDeleteResponseTopic:
    subscribed = group.is_subscribed_to(topic.name)
    committed = offsets.of_group(group.group_id).get(topic.name, {})
    partitions = []
    for partition in topic.partitions:
        index = partition.partition_index
        code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if subscribed else ErrorCode.NONE
        partitions.append(OffsetDeleteResponsePartition(partition_index=index, error_code=code))
        if not subscribed and (index in committed or offsets.is_pending(group.group_id, topic.name, index)):
            context.decision.records.append(offset_tombstone(group.group_id, topic.name, index))
    return OffsetDeleteResponseTopic(name=topic.name, partitions=partitions)
