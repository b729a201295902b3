"""The answer of each group API when its whole request fails, so that also a parked or half-done one gets an answer."""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import join_error, sync_error
from riacho.groups.offsets.commit import commit_refused
from riacho.groups.offsets.fetch import fetch_refused
from riacho.wire.messages.consumer_group_describe_response import DescribedGroup as DescribedConsumerGroup
from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
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
    "consumer_heartbeat_refused",
    "delete_group_refused",
    "describe_consumer_group_refused",
    "describe_refused",
    "fetch_refused",
    "heartbeat_refused",
    "join_refused",
    "leave_refused",
    "offset_delete_refused",
    "sync_refused",
]


def join_refused(request: JoinGroupRequest, code: ErrorCode) -> JoinGroupResponse:
    return join_error(code)


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


def consumer_heartbeat_refused(request: Any, code: ErrorCode) -> ConsumerGroupHeartbeatResponse:
    return ConsumerGroupHeartbeatResponse(error_code=code)


def describe_consumer_group_refused(group_id: str, code: ErrorCode) -> DescribedConsumerGroup:
    return DescribedConsumerGroup(group_id=group_id, error_code=code)


def delete_group_refused(group_id: str, code: ErrorCode) -> ErrorCode:
    return code
