"""Who may commit and fetch offsets of a consumer group.

A commit names the epoch in which the member got its partitions. One behind is good for those partitions that the member
has had since then or before: it may have moved on while the commit was under way (KIP-1251). From this on nobody else
can have committed for them.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.member import ConsumerMember
from riacho.groups.topics_view import TopicsView
from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup

_MEMBER_EPOCH_VERSION = 9


def consumer_commit_error(
    group: ConsumerGroup, request: OffsetCommitRequest, version: int, topics: TopicsView
) -> ErrorCode:
    epoch = request.generation_id_or_member_epoch
    if epoch < 0 and not group.members:
        # An administrator, or a consumer that assigns partitions to itself.
        return ErrorCode.NONE
    member = group.members.get(request.member_id)
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if not member.uses_classic_protocol and version < _MEMBER_EPOCH_VERSION:
        return ErrorCode.UNSUPPORTED_VERSION
    named = ((topic.name, partition.partition_index) for topic in request.topics for partition in topic.partitions)
    if all(_may_commit(member, epoch, name, index, topics) for name, index in named):
        return ErrorCode.NONE
    return _stale(member)


def consumer_fetch_error(group: ConsumerGroup, request: OffsetFetchRequestGroup) -> ErrorCode:
    if request.member_id is None and request.member_epoch < 0:
        return ErrorCode.NONE
    member = group.members.get(request.member_id or "")
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if request.member_epoch == member.member_epoch else _stale(member)


def _may_commit(member: ConsumerMember, epoch: int, name: str, index: int, topics: TopicsView) -> bool:
    if epoch == member.member_epoch:
        return True
    topic_id = topics.topic_id(name)
    since = None if topic_id is None else member.assignment_epoch_of(topic_id, index)
    return epoch < member.member_epoch and since is not None and epoch >= since


def _stale(member: ConsumerMember) -> ErrorCode:
    return ErrorCode.ILLEGAL_GENERATION if member.uses_classic_protocol else ErrorCode.STALE_MEMBER_EPOCH
