"""ShareGroupHeartbeat, v1 (KIP-932): joins, stays in and leaves a share group.

Its answer does not wait until the share coordinator has state for new partitions: those are assigned by a later one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.groups.share_operations import SHARE_GROUP_HEARTBEAT
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

# A uuid as text; longer ones come from no client.
_MEMBER_ID_LENGTH_MAX = 36


def handle(ctx: BrokerRequestContext, request: ShareGroupHeartbeatRequest) -> Outcome[ShareGroupHeartbeatResponse]:
    if not ctx.coordinators.share_groups.is_enabled:
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not 0 < len(request.member_id) <= _MEMBER_ID_LENGTH_MAX:
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.INVALID_REQUEST)
    topics = set(request.subscribed_topic_names or ())
    if ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, topics) < topics:
        return ShareGroupHeartbeatResponse(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    # Java prints an address with a slash before it, and tools have come to expect that.
    caller = Caller(ctx.client_id, f"/{ctx.client_host}")
    return ctx.coordinators.groups.ask(SHARE_GROUP_HEARTBEAT, request, caller)
