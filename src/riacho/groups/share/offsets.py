"""AlterShareGroupOffsets, DeleteShareGroupOffsets and the deletion of a share group: the group coordinator's part.

Where a share group stands in a partition is the share coordinator's to know. To move it, its state is created anew
with another start offset; to forget it, its state is deleted. Both only while nobody reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.decision_context import DecisionContext
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.heartbeat import StateToCreate
from riacho.groups.share.records import state_record
from riacho.groups.share.state import TopicShare
from riacho.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestTopic,
)
from riacho.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from riacho.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from riacho.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)

_UNKNOWN = "This server does not host this topic-partition."
_NOT_EMPTY = "The group is not empty."


@dataclass(slots=True)
class AlterOffsets:
    """What to answer if the share coordinator does what is `to_create`."""

    response: AlterShareGroupOffsetsResponse
    to_create: StateToCreate | None = None

    @classmethod
    def refused(cls, error: KafkaError) -> AlterOffsets:
        return cls(AlterShareGroupOffsetsResponse(error_code=error.code, error_message=error.detail))


@dataclass(slots=True)
class DeleteState:
    """What the share coordinator must forget, by topic; and the topics that could not be, with the reason."""

    code: ErrorCode = ErrorCode.NONE
    message: str | None = None
    partitions: Mapping[bytes, Collection[int]] = field(default_factory=dict)
    names: Mapping[bytes, str] = field(default_factory=dict)
    failed: list[DeleteShareGroupOffsetsResponseTopic] = field(default_factory=list)

    @classmethod
    def refused(cls, error: KafkaError) -> DeleteState:
        return cls(error.code, error.detail)

    def response(self, errors: Mapping[bytes, ErrorCode]) -> DeleteShareGroupOffsetsResponse:
        """Given what went wrong with a topic at the share coordinator, where it did."""
        if self.code is not ErrorCode.NONE:
            return DeleteShareGroupOffsetsResponse(error_code=self.code, error_message=self.message)
        topics = []
        for topic_id, name in self.names.items():
            code = errors.get(topic_id, ErrorCode.NONE)
            message = None if code is ErrorCode.NONE else code.name
            topics.append(
                DeleteShareGroupOffsetsResponseTopic(
                    topic_name=name, topic_id=topic_id, error_code=code, error_message=message
                )
            )
        return DeleteShareGroupOffsetsResponse(responses=[*topics, *self.failed])


def begin_alter_offsets(
    group: ShareGroup, request: AlterShareGroupOffsetsRequest, context: DecisionContext
) -> AlterOffsets:
    """`group` may be one that is not there yet."""
    _check_empty(group)
    topics: list[AlterShareGroupOffsetsResponseTopic] = []
    shares: dict[bytes, TopicShare] = {}
    offsets: dict[bytes, dict[int, int]] = {}
    for topic in request.topics:
        topic_id = context.topics.topic_id(topic.topic_name)
        count = context.topics.partition_count(topic.topic_name)
        topics.append(_altered_topic(topic, topic_id, count))
        wanted = {p.partition_index: p.start_offset for p in topic.partitions if 0 <= p.partition_index < count}
        if topic_id is not None and wanted:
            shares[topic_id] = TopicShare(topic.topic_name, frozenset(wanted))
            offsets[topic_id] = wanted
    response = AlterShareGroupOffsetsResponse(responses=topics)
    if not shares:
        return AlterOffsets(response)
    context.once_applied(lambda: group.live.initializing(shares, context.now_ms))
    context.decision.records.append(state_record(group.group_id, group.state.begun(shares)))
    return AlterOffsets(response, StateToCreate(group.group_id, group.epoch, offsets))


def begin_delete_offsets(
    group: ShareGroup, request: DeleteShareGroupOffsetsRequest, context: DecisionContext
) -> DeleteState:
    _check_empty(group)
    outcome = DeleteState()
    partitions: dict[bytes, Collection[int]] = {}
    names: dict[bytes, str] = {}
    for topic in request.topics:
        topic_id = context.topics.topic_id(topic.topic_name)
        if topic_id is None:
            outcome.failed.append(_not_deleted(topic.topic_name, _UNKNOWN))
        elif topic_id in group.state.initialized:
            partitions[topic_id] = sorted(group.state.initialized[topic_id].partitions)
            names[topic_id] = topic.topic_name
        elif topic_id in group.state.deleting:
            # An earlier deletion was not finished.
            partitions[topic_id] = range(context.topics.partition_count(topic.topic_name))
            names[topic_id] = topic.topic_name
        else:
            outcome.failed.append(_not_deleted(topic.topic_name, "There is no offset information to delete."))
    outcome.partitions, outcome.names = partitions, names
    if names:
        context.decision.records.append(state_record(group.group_id, group.state.to_delete(names)))
    return outcome


def begin_delete_group(group: ShareGroup, context: DecisionContext) -> DeleteState:
    """All state that the group may have anywhere, left-overs of an unfinished deletion included."""
    _check_empty(group)
    shares = group.state.all_shares
    partitions: dict[bytes, Collection[int]] = {t: sorted(share.partitions) for t, share in shares.items()}
    names = {topic_id: share.name for topic_id, share in shares.items()}
    for topic_id in group.state.deleting:
        name = context.topics.name_of(topic_id)
        if name is not None:
            partitions[topic_id] = range(context.topics.partition_count(name))
            names[topic_id] = name
    if names:
        context.decision.records.append(state_record(group.group_id, group.state.to_delete(names)))
    return DeleteState(partitions=partitions, names=names)


def settled_initialization(
    group: ShareGroup, partitions: Mapping[bytes, Iterable[int]], *, succeeded: bool, context: DecisionContext
) -> None:
    """The share coordinator has the state of these partitions, or could not create it."""
    shares = {}
    for topic_id, indexes in partitions.items():
        name = context.topics.name_of(topic_id)
        group.live.initialized(topic_id)
        # Of a topic deleted meanwhile there is nothing to write down.
        if name is not None:
            shares[topic_id] = TopicShare(name, frozenset(indexes))
    state = group.state.done(shares) if succeeded else group.state.given_up(shares)
    if state != group.state:
        context.decision.records.append(state_record(group.group_id, state))


def settled_deletion(group: ShareGroup, topic_ids: Iterable[bytes], context: DecisionContext) -> None:
    state = group.state.deleted(topic_ids)
    if state != group.state:
        context.decision.records.append(state_record(group.group_id, state))


def _check_empty(group: ShareGroup) -> None:
    if not group.is_empty:
        raise KafkaError(ErrorCode.NON_EMPTY_GROUP, _NOT_EMPTY)


def _altered_topic(
    topic: AlterShareGroupOffsetsRequestTopic, topic_id: bytes | None, partition_count: int
) -> AlterShareGroupOffsetsResponseTopic:
    answered = AlterShareGroupOffsetsResponseTopic(topic_name=topic.topic_name)
    if topic_id is not None:
        answered.topic_id = topic_id
    for partition in topic.partitions:
        index = partition.partition_index
        found = AlterShareGroupOffsetsResponsePartition(partition_index=index)
        if not 0 <= index < partition_count:
            found.error_code, found.error_message = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _UNKNOWN
        answered.partitions.append(found)
    return answered


def _not_deleted(name: str, message: str) -> DeleteShareGroupOffsetsResponseTopic:
    return DeleteShareGroupOffsetsResponseTopic(
        topic_name=name, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, error_message=message
    )
