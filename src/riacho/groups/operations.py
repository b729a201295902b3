"""What clients ask of the groups of a shard: each request with what decides it and how it is refused.

A group is classic or of another kind (`shard.kinds`). Consumer groups take requests of the classic protocol as well,
since some of their members may still speak it (KIP-848). Share groups have theirs in `share_operations.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from riacho.base.coordination import Caller, CoordinatorDecision
from riacho.base.errors import ErrorCode
from riacho.base.operation import Operation, reading
from riacho.groups.classic.answers import join_error, sync_error
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.classic.heartbeat import decide_heartbeat
from riacho.groups.classic.join import decide_join, request_error
from riacho.groups.classic.leave import decide_leave
from riacho.groups.classic.records import group_metadata_record
from riacho.groups.classic.sync import decide_sync
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.regex_watch import MayDescribe
from riacho.groups.decision_context import DecisionContext
from riacho.groups.deletion import decide_delete_group, decide_delete_offsets
from riacho.groups.offsets.commit import commit_refused, decide_commit
from riacho.groups.offsets.fetch import fetch_refused
from riacho.groups.offsets.txn_commit import decide_txn_commit, txn_commit_refused
from riacho.groups.shard import GroupShard
from riacho.wire.messages.consumer_group_describe_response import DescribedGroup as DescribedConsumerGroup
from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from riacho.wire.messages.describe_groups_response import DescribedGroup
from riacho.wire.messages.group_metadata_value import GroupMetadataValue
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.leave_group_request import LeaveGroupRequest
from riacho.wire.messages.leave_group_response import LeaveGroupResponse
from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest
from riacho.wire.messages.offset_delete_response import OffsetDeleteResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest
from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")


class _OfGroup(Protocol):
    @property
    def group_id(self) -> str: ...


def group_id_of(request: _OfGroup) -> str:
    return request.group_id


def itself(group_id: str) -> str:
    return group_id


def group_operation(
    decide: Callable[Concatenate[GroupShard, DecisionContext, int, Q, P], None],
    *,
    key: Callable[[Q], str],
    refused: Callable[[Q, ErrorCode], T],
    writes: bool = True,
) -> Operation[GroupShard, Q, P, T]:
    """`decide` gets the id of the request, which it answers with a `T` or parks."""

    def decide_in(
        shard: GroupShard, request_id: int, now_ms: int, request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> CoordinatorDecision:
        context = shard.new_context(now_ms)
        decide(shard, context, request_id, request, *args, **kwargs)
        return context.decision

    return Operation(key, decide_in, refused, writes)


# Members of classic groups


def _join(
    shard: GroupShard,
    context: DecisionContext,
    request_id: int,
    request: JoinGroupRequest,
    version: int,
    caller: Caller,
) -> None:
    code = request_error(request, context)
    group = shard.groups.get(request.group_id)
    if code is not ErrorCode.NONE:
        context.decision.answer(request_id, join_error(code, request.member_id))
    elif isinstance(group, ClassicGroup):
        decide_join(group, request, version, caller, shard.new_member_suffix(), request_id, context)
    elif isinstance(group, ConsumerGroup) and not group.is_empty:
        shard.consumer.join(group, request, version, caller, request_id, context)
    elif isinstance(group, ConsumerGroup) or group is None:
        _join_new_group(shard, group, request, version, caller, request_id, context)
    else:
        context.decision.answer(request_id, join_error(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))


def _join_new_group(
    shard: GroupShard,
    empty: ConsumerGroup | None,
    request: JoinGroupRequest,
    version: int,
    caller: Caller,
    request_id: int,
    context: DecisionContext,
) -> None:
    """The first classic member, also where the last member of a consumer group left."""
    if request.member_id:
        context.decision.answer(request_id, join_error(ErrorCode.UNKNOWN_MEMBER_ID, request.member_id))
        return
    group = ClassicGroup(request.group_id)
    decide_join(group, request, version, caller, shard.new_member_suffix(), request_id, context)
    if group.members or group.member_list.pending_join:
        shard.arriving[group.group_id] = group
        value = GroupMetadataValue(protocol=None, leader=None, current_state_timestamp=context.now_ms)
        before = [] if empty is None else empty.tombstones()
        context.decision.records += [*before, group_metadata_record(group.group_id, value)]


JOIN_GROUP = group_operation(_join, key=group_id_of, refused=lambda request, code: join_error(code))


def _sync(shard: GroupShard, context: DecisionContext, request_id: int, request: SyncGroupRequest) -> None:
    group = shard.groups.get(request.group_id)
    if isinstance(group, ConsumerGroup):
        shard.consumer.sync(group, request, request_id, context)
    else:
        decide_sync(shard.classic(request.group_id), request, request_id, context)


SYNC_GROUP = group_operation(_sync, key=group_id_of, refused=lambda request, code: sync_error(code))


def _heartbeat(shard: GroupShard, context: DecisionContext, request_id: int, request: HeartbeatRequest) -> None:
    group = shard.groups.get(request.group_id)
    if isinstance(group, ConsumerGroup):
        shard.consumer.classic_heartbeat(group, request, request_id, context)
    else:
        code = decide_heartbeat(shard.classic(request.group_id), request, context)
        context.decision.answer(request_id, HeartbeatResponse(error_code=code))


HEARTBEAT = group_operation(
    _heartbeat, key=group_id_of, refused=lambda request, code: HeartbeatResponse(error_code=code), writes=False
)


def _leave(
    shard: GroupShard, context: DecisionContext, request_id: int, request: LeaveGroupRequest, version: int
) -> None:
    group = shard.groups.get(request.group_id)
    if isinstance(group, ConsumerGroup):
        shard.consumer.leave(group, request, version, request_id, context)
    else:
        decide_leave(shard.classic(request.group_id), request, version, request_id, context)


LEAVE_GROUP = group_operation(
    _leave, key=group_id_of, refused=lambda request, code: LeaveGroupResponse(error_code=code)
)


# Members of consumer groups


def _consumer_heartbeat(
    shard: GroupShard,
    context: DecisionContext,
    request_id: int,
    request: ConsumerGroupHeartbeatRequest,
    version: int,
    caller: Caller,
    may_describe: MayDescribe,
) -> None:
    shard.consumer.heartbeat(request, version, caller, may_describe, request_id, context)


CONSUMER_GROUP_HEARTBEAT = group_operation(
    _consumer_heartbeat,
    key=group_id_of,
    refused=lambda request, code: ConsumerGroupHeartbeatResponse(error_code=code),
)


# Offsets


def _commit(
    shard: GroupShard, context: DecisionContext, request_id: int, request: OffsetCommitRequest, version: int
) -> None:
    """Every topic carries its name, also where the version speaks in topic ids: the caller has resolved them."""
    decide_commit(shard.groups.get(request.group_id), request, version, request_id, context)


OFFSET_COMMIT = group_operation(_commit, key=group_id_of, refused=commit_refused)


def _txn_commit(shard: GroupShard, context: DecisionContext, request_id: int, request: TxnOffsetCommitRequest) -> None:
    """They count when the transaction does: `GroupShard.end_transaction`."""
    decide_txn_commit(shard.groups.get(request.group_id), request, request_id, context)


TXN_OFFSET_COMMIT = group_operation(_txn_commit, key=group_id_of, refused=txn_commit_refused)


def _delete_offsets(shard: GroupShard, context: DecisionContext, request_id: int, request: OffsetDeleteRequest) -> None:
    group = shard.groups.get(request.group_id)
    context.decision.answer(request_id, decide_delete_offsets(group, shard.offsets, request, context))


OFFSET_DELETE = group_operation(
    _delete_offsets, key=group_id_of, refused=lambda request, code: OffsetDeleteResponse(error_code=code)
)

OFFSET_FETCH = reading(GroupShard.fetch_offsets, key=group_id_of, refused=fetch_refused)


# Whole groups


def _delete_group(shard: GroupShard, context: DecisionContext, request_id: int, group_id: str) -> None:
    context.decision.answer(request_id, decide_delete_group(shard.groups.get(group_id), shard.offsets, context))


DELETE_GROUP = group_operation(_delete_group, key=itself, refused=lambda group_id, code: code)

DESCRIBE_GROUP = reading(
    GroupShard.describe,
    key=itself,
    refused=lambda group_id, code: DescribedGroup(group_id=group_id, error_code=code),
)

CONSUMER_GROUP_DESCRIBE = reading(
    GroupShard.describe_consumer_group,
    key=itself,
    refused=lambda group_id, code: DescribedConsumerGroup(group_id=group_id, error_code=code),
)
