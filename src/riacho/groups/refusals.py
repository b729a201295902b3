"""The answer of each group API when its whole request fails, so that also a parked or half-done one gets an answer."""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.groups.answers import join_error, sync_error
from riacho.groups.offset_commit import commit_refused
from riacho.groups.offset_fetch import fetch_refused
from riacho.wire.messages.describe_groups_response import DescribedGroup
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.join_group_response import JoinGroupResponse
from riacho.wire.messages.leave_group_response import LeaveGroupResponse
from riacho.wire.messages.offset_delete_response import OffsetDeleteResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest
from riacho.wire.messages.sync_group_response import SyncGroupResponse

__all__ = [
    "commit_refused",
    "coordinator_error",
    "delete_group_refused",
    "describe_refused",
    "fetch_refused",
    "heartbeat_refused",
    "join_refused",
    "leave_refused",
    "offset_delete_refused",
    "sync_refused",
]

_AS_COORDINATOR = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.LEADER_NOT_AVAILABLE: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.FENCED_LEADER_EPOCH: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
}


def coordinator_error(code: ErrorCode) -> ErrorCode:
    """What went wrong with the offsets topic, in words that clients of a coordinator understand."""
    return _AS_COORDINATOR.get(code, code)


def join_refused(request: JoinGroupRequest, code: ErrorCode) -> JoinGroupResponse:
    return join_error(code, request.member_id)


def sync_refused(request: SyncGroupRequest, code: ErrorCode) -> SyncGroupResponse:
    return sync_error(code)


def heartbeat_refused(request: HeartbeatRequest, code: ErrorCode) -> HeartbeatResponse:
    return HeartbeatResponse(error_code=code)


def leave_refused(request: Any, code: ErrorCode) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=code)


def offset_delete_refused(request: Any, code: ErrorCode) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=code)


def describe_refused(group_id: str, code: ErrorCode) -> DescribedGroup:
    return DescribedGroup(group_id=group_id, error_code=code)


def delete_group_refused(group_id: str, code: ErrorCode) -> ErrorCode:
    return code
