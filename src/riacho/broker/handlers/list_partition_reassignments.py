"""ListPartitionReassignments, v0 (KIP-455): the moves under way. A single broker has nowhere to move a partition to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from riacho.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.metadata.topics import Topic
    from riacho.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest


def handle(ctx: RequestContext, request: ListPartitionReassignmentsRequest) -> ListPartitionReassignmentsResponse:
    image = ctx.broker.metadata.image
    asked: dict[str, Sequence[int]]
    if request.topics is None:
        asked = {name: range(len(topic.partitions)) for name, topic in image.topics.items()}
    else:
        asked = {topic.name: topic.partition_indexes for topic in request.topics}
    topics = [
        OngoingTopicReassignment(name=name, partitions=ongoing)
        for name, indexes in asked.items()
        if (topic := image.topics.get(name)) is not None and (ongoing := _ongoing(topic, indexes))
    ]
    return ListPartitionReassignmentsResponse(topics=topics)


def _ongoing(topic: Topic, indexes: Sequence[int]) -> list[OngoingPartitionReassignment]:
    return [
        OngoingPartitionReassignment(
            partition_index=index,
            replicas=list(state.replicas),
            adding_replicas=list(state.adding_replicas),
            removing_replicas=list(state.removing_replicas),
        )
        for index in indexes
        if index < len(topic.partitions)
        and ((state := topic.partitions[index]).adding_replicas or state.removing_replicas)
    ]
