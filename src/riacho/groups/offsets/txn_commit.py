"""TxnOffsetCommit decided: offsets that count once their producer's transaction is committed (KIP-98, KIP-447).

The checks are those of a plain commit, with two liberties of Kafka's: who names no member, no instance and no
generation is let in whatever the group's state is (producers older than KIP-447 cannot name them), and so is a member
whose group is about to get its assignment.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.groups.classic.group import DEAD, EMPTY, ClassicGroup
from riacho.groups.classic.membership import member_error
from riacho.groups.classic.records import CommittedOffset, offset_commit_key, offset_commit_record
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group
from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest
from riacho.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

_NO_EXPIRY_MS = -1


@runtime_checkable
class TransactionalGroup(Protocol):
    """A group of another kind that takes offsets within transactions."""

    def txn_commit_error(self, member_id: str, member_epoch: int) -> ErrorCode: ...


def txn_commit_error(group: Group | None, request: TxnOffsetCommitRequest) -> ErrorCode:
    if group is None:
        return ErrorCode.NONE if request.generation_id < 0 else ErrorCode.ILLEGAL_GENERATION
    is_anonymous = request.generation_id < 0 and not request.member_id and request.group_instance_id is None
    if not isinstance(group, ClassicGroup):
        if not isinstance(group, TransactionalGroup):
            return ErrorCode.GROUP_ID_NOT_FOUND
        return ErrorCode.NONE if is_anonymous else group.txn_commit_error(request.member_id, request.generation_id)
    if group.state is DEAD:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if is_anonymous or (request.generation_id < 0 and group.state is EMPTY):
        return ErrorCode.NONE
    code = member_error(group, request.member_id, request.group_instance_id)
    if code is ErrorCode.NONE and request.generation_id != group.generation:
        code = ErrorCode.ILLEGAL_GENERATION
    return code


def decide_txn_commit(
    group: Group | None, request: TxnOffsetCommitRequest, request_id: int, context: DecisionContext
) -> None:
    code = txn_commit_error(group, request)
    if code is not ErrorCode.NONE:
        context.decision.answer(request_id, txn_commit_refused(request, code))
        return
    if isinstance(group, ClassicGroup) and request.member_id in group.members:
        refresh_session(group, group.members[request.member_id], context)
    context.decision.producer_id = request.producer_id
    context.decision.producer_epoch = request.producer_epoch
    context.decision.answer(request_id, _commit(request, context))


def txn_commit_refused(request: TxnOffsetCommitRequest, code: ErrorCode) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    TxnOffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=code)
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _commit(request: TxnOffsetCommitRequest, context: DecisionContext) -> TxnOffsetCommitResponse:
    topics = []
    for topic in request.topics:
        partitions = []
        for partition in topic.partitions:
            metadata = partition.committed_metadata or ""
            code = ErrorCode.NONE
            if len(metadata) > context.config.offset_metadata_size_max:
                code = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                committed = CommittedOffset(
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    metadata,
                    context.now_ms,
                    _NO_EXPIRY_MS,
                    ZERO_UUID,
                )
                key = offset_commit_key(request.group_id, topic.name, partition.partition_index)
                context.decision.records.append(offset_commit_record(key, committed))
            partitions.append(
                TxnOffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=code)
            )
        topics.append(TxnOffsetCommitResponseTopic(name=topic.name, partitions=partitions))
    return TxnOffsetCommitResponse(topics=topics)
