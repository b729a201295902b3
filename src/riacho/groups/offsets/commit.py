"""OffsetCommit decided: may this caller commit for the group, and the records that do it."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import COMPLETING_REBALANCE, DEAD, EMPTY, ClassicGroup
from riacho.groups.classic.membership import member_error
from riacho.groups.classic.records import CommittedOffset, offset_commit_key, offset_commit_record
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.offsets import consumer_commit_error
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group
from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
from riacho.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

# From this version on a missing group has an error of its own (KIP-848).
GROUP_ID_NOT_FOUND_VERSION = 9


def commit_error(group: ClassicGroup | None, request: OffsetCommitRequest, version: int) -> ErrorCode:
    generation = request.generation_id_or_member_epoch
    if group is None:
        if generation < 0:
            # An administrator, or a consumer that assigns partitions to itself: it makes a group without members.
            return ErrorCode.NONE
        return ErrorCode.GROUP_ID_NOT_FOUND if version >= GROUP_ID_NOT_FOUND_VERSION else ErrorCode.ILLEGAL_GENERATION
    if group.state is DEAD:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if generation < 0 and group.state is EMPTY:
        return ErrorCode.NONE
    if generation < 0 and not request.member_id and request.group_instance_id is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    code = member_error(group, request.member_id, request.group_instance_id)
    if code is not ErrorCode.NONE:
        return code
    if generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    # The member is in the new generation, but its partitions may already be somebody else's.
    return ErrorCode.REBALANCE_IN_PROGRESS if group.state is COMPLETING_REBALANCE else ErrorCode.NONE


def decide_commit(
    group: Group | None, request: OffsetCommitRequest, version: int, request_id: int, context: DecisionContext
) -> None:
    if group is None or isinstance(group, ClassicGroup):
        code = commit_error(group, request, version)
    elif isinstance(group, ConsumerGroup):
        code = consumer_commit_error(group, request, version, context.topics)
    else:
        code = ErrorCode.GROUP_ID_NOT_FOUND
    if code is not ErrorCode.NONE:
        context.decision.answer(request_id, commit_refused(request, code))
        return
    if isinstance(group, ClassicGroup) and group.state is not EMPTY:
        # A commit proves life as well as a heartbeat does.
        refresh_session(group, group.members[request.member_id], context)
    context.decision.answer(request_id, _commit(request, context))


def commit_refused(request: OffsetCommitRequest, code: ErrorCode) -> OffsetCommitResponse:
    """The response has no error for the whole, so every partition carries it."""
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=code)
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _commit(request: OffsetCommitRequest, context: DecisionContext) -> OffsetCommitResponse:
    now_ms, group_id = context.now_ms, request.group_id
    metadata_size_max = context.config.offset_metadata_size_max
    expire_timestamp_ms = -1 if request.retention_time_ms == -1 else now_ms + request.retention_time_ms
    records = context.decision.records
    topics = []
    for topic in request.topics:
        partitions = []
        for partition in topic.partitions:
            index, metadata = partition.partition_index, partition.committed_metadata or ""
            code = ErrorCode.NONE
            if len(metadata) > metadata_size_max:
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                committed = CommittedOffset(
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    metadata,
                    now_ms,
                    expire_timestamp_ms,
                    topic.topic_id,
                )
                records.append(offset_commit_record(offset_commit_key(group_id, topic.name, index), committed))
            partitions.append(OffsetCommitResponsePartition(partition_index=index, error_code=code))
        topics.append(OffsetCommitResponseTopic(name=topic.name, topic_id=topic.topic_id, partitions=partitions))
    return OffsetCommitResponse(topics=topics)
