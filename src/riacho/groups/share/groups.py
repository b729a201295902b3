"""The share groups of a shard: their records, timers and requests (KIP-932).

Requests that concern the state of share-partitions take two steps, since that state is with the share coordinator. The
first decision writes down what is about to be done and says what to ask of the share coordinator; the second writes
down how it went. If the first is all there is, because the broker died in between, whoever comes next does it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.decision_context import DecisionContext
from riacho.groups.group import Group, known_member
from riacho.groups.metadata_hash import TopicHashes
from riacho.groups.share import records
from riacho.groups.share.describe import described_share_group
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.heartbeat import (
    SHARE_SESSION_TIMER,
    check_request,
    decide_heartbeat,
    refresh_share_session,
    remove_member,
)
from riacho.groups.share.member import JOIN_EPOCH, LEAVE_EPOCH, ShareMember
from riacho.groups.share.offsets import (
    AlterOffsets,
    DeleteState,
    begin_alter_offsets,
    begin_delete_group,
    begin_delete_offsets,
    settled_deletion,
    settled_initialization,
)
from riacho.groups.share.state import ShareState
from riacho.groups.timers import TimerKey
from riacho.groups.topics_view import TopicChanges, TopicsView
from riacho.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from riacho.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from riacho.wire.messages.share_group_describe_response import DescribedGroup
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse


class ShareGroups:
    record_types = records.SHARE_RECORD_TYPES
    timer_kinds = frozenset({SHARE_SESSION_TIMER})

    def __init__(self, groups: dict[str, Group]) -> None:
        """`groups` are all groups of the shard, of whatever kind."""
        self._groups = groups
        self._topics: TopicsView | None = None
        self._hashes = TopicHashes()

    # Requests

    def heartbeat(
        self, context: DecisionContext, request: ShareGroupHeartbeatRequest, caller: Caller
    ) -> ShareGroupHeartbeatResponse:
        try:
            check_request(request)
            if request.member_epoch == LEAVE_EPOCH:
                response = self._leave(request, context)
            else:
                if request.group_id not in self._groups and request.member_epoch != JOIN_EPOCH:
                    raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Share group {request.group_id} not found.")
                group = self._group(request.group_id, may_create=True)
                response = decide_heartbeat(group, request, caller, self._hashes, context)
                context.once_applied(lambda: self._adopt(group))
        except KafkaError as error:
            response = ShareGroupHeartbeatResponse(error_code=error.code, error_message=error.detail)
        return response

    def describe(self, context: DecisionContext, group_id: str) -> DescribedGroup:
        try:
            return described_share_group(self._group(group_id), context.topics)
        except KafkaError as error:
            return DescribedGroup(group_id=group_id, error_code=error.code, error_message=error.detail)

    def state_of(self, group_id: str) -> ShareState:
        """Nothing, for a group that is not there."""
        group = self._groups.get(group_id)
        return group.state if isinstance(group, ShareGroup) else ShareState()

    def begin_alter_offsets(self, context: DecisionContext, request: AlterShareGroupOffsetsRequest) -> AlterOffsets:
        """The first offsets of a group bring it about."""
        try:
            group = self._group(request.group_id, may_create=True)
            outcome = begin_alter_offsets(group, request, context)
            context.once_applied(lambda: self._adopt(group))
        except KafkaError as error:
            outcome = AlterOffsets.refused(error)
        return outcome

    def begin_delete_offsets(self, context: DecisionContext, request: DeleteShareGroupOffsetsRequest) -> DeleteState:
        try:
            return begin_delete_offsets(self._group(request.group_id), request, context)
        except KafkaError as error:
            return DeleteState.refused(error)

    def begin_delete_group(self, context: DecisionContext, group_id: str) -> DeleteState:
        """What must go before the group itself may. Nothing, for other kinds."""
        group = self._groups.get(group_id)
        if not isinstance(group, ShareGroup):
            return DeleteState()
        try:
            return begin_delete_group(group, context)
        except KafkaError as error:
            return DeleteState.refused(error)

    # How it went with the share coordinator

    def initialized(
        self, context: DecisionContext, group_id: str, partitions: Mapping[bytes, Iterable[int]], *, succeeded: bool
    ) -> ErrorCode:
        group = self._groups.get(group_id)
        if isinstance(group, ShareGroup):
            settled_initialization(group, partitions, succeeded=succeeded, context=context)
        return ErrorCode.NONE

    def deleted(self, context: DecisionContext, group_id: str, topic_ids: Iterable[bytes]) -> ErrorCode:
        group = self._groups.get(group_id)
        if isinstance(group, ShareGroup):
            settled_deletion(group, topic_ids, context)
        return ErrorCode.NONE

    # As a kind of groups

    def finish_loading(self, context: DecisionContext) -> None:
        """Members get a fresh session each, for who knows how long they were not heard."""
        self._topics = context.topics
        for group in self._mine():
            for member_id in group.members:
                refresh_share_session(group.group_id, member_id, context)

    def expire(self, key: TimerKey, context: DecisionContext) -> None:
        group = self._groups.get(key.group_id)
        if isinstance(group, ShareGroup) and key.member_id in group.members:
            remove_member(group, key.member_id, self._hashes, context)

    def topics_changed(self, changes: TopicChanges, context: DecisionContext) -> None:
        """The share coordinator drops the state of deleted topics by itself; here it is only crossed out."""
        self._hashes.forget(changes.names)
        before = self._topics
        context.once_applied(lambda: self._see(context.topics))
        for group in self._mine():
            group.live.is_stale = True
            # Only of a topic that was seen before is it certain that it has gone.
            gone = {
                topic_id
                for topic_id in group.state.topic_ids
                if context.topics.name_of(topic_id) is None
                and before is not None
                and before.name_of(topic_id) is not None
            }
            if gone:
                context.decision.records.append(records.state_record(group.group_id, group.state.without(gone)))

    def abandon(self, code: ErrorCode, context: DecisionContext) -> None:
        """Nobody is ever parked here."""

    def apply(self, record_type: int, key: bytes, value: bytes | None) -> None:
        where = cast(Any, records.parse_key(record_type, key))
        group = self._groups.get(where.group_id)
        if value is None:
            if isinstance(group, ShareGroup):
                self._apply_tombstone(record_type, group, getattr(where, "member_id", ""))
            return
        if not isinstance(group, ShareGroup):
            # A group of another kind that had this name has gone before this one came.
            group = self._groups[where.group_id] = ShareGroup(where.group_id)
        _apply_value(
            record_type, group, getattr(where, "member_id", ""), cast(Any, records.parse_value(record_type, value))
        )

    # Within

    def _leave(self, request: ShareGroupHeartbeatRequest, context: DecisionContext) -> ShareGroupHeartbeatResponse:
        group = self._group(request.group_id)
        known_member(group.group_id, group.members, request.member_id)
        remove_member(group, request.member_id, self._hashes, context)
        return ShareGroupHeartbeatResponse(member_id=request.member_id, member_epoch=LEAVE_EPOCH)

    def _adopt(self, decided: ShareGroup) -> None:
        """A group that came about by its first records goes on with what was decided on and is not stored."""
        group = self._groups.get(decided.group_id)
        if isinstance(group, ShareGroup):
            group.live = decided.live

    def _see(self, topics: TopicsView) -> None:
        self._topics = topics

    def _group(self, group_id: str, *, may_create: bool = False) -> ShareGroup:
        group = self._groups.get(group_id)
        if isinstance(group, ShareGroup):
            return group
        if group is not None:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a share group.")
        if not may_create:
            raise KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        return ShareGroup(group_id)

    def _mine(self) -> list[ShareGroup]:
        return [group for group in self._groups.values() if isinstance(group, ShareGroup)]

    def _apply_tombstone(self, record_type: int, group: ShareGroup, member_id: str) -> None:
        if record_type == records.GROUP_METADATA:
            del self._groups[group.group_id]
        elif record_type == records.MEMBER_METADATA:
            group.members.pop(member_id, None)
        elif record_type == records.TARGET_ASSIGNMENT_MEMBER:
            group.target.pop(member_id, None)
        elif record_type == records.STATE_PARTITION_METADATA:
            group.state = ShareState()
        elif record_type == records.TARGET_ASSIGNMENT_METADATA:
            group.assignment_epoch = group.assignment_timestamp_ms = 0
        elif member_id in group.members:
            group.members[member_id] = replace(
                group.members[member_id], epoch=JOIN_EPOCH, previous_epoch=-1, assigned={}
            )


def _apply_value(record_type: int, group: ShareGroup, member_id: str, value: Any) -> None:
    if record_type == records.GROUP_METADATA:
        group.epoch, group.metadata_hash = value.epoch, value.metadata_hash
    elif record_type == records.TARGET_ASSIGNMENT_METADATA:
        group.assignment_epoch, group.assignment_timestamp_ms = value.assignment_epoch, value.assignment_timestamp
    elif record_type == records.TARGET_ASSIGNMENT_MEMBER:
        group.target[member_id] = records.assigned_of(value.topic_partitions)
    elif record_type == records.STATE_PARTITION_METADATA:
        group.state = records.state_of(value)
    elif record_type == records.MEMBER_METADATA:
        member = group.members.get(member_id) or ShareMember(member_id)
        group.members[member_id] = member.updated(
            value.rack_id, value.client_id, value.client_host, value.subscribed_topic_names
        )
    else:
        member = group.members.get(member_id) or ShareMember(member_id)
        group.members[member_id] = replace(
            member,
            epoch=value.member_epoch,
            previous_epoch=value.previous_member_epoch,
            assigned=records.assigned_of(value.assigned_partitions),
        )
