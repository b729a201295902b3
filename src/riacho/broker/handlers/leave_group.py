"""LeaveGroup, v0-5.

v3: several members, by member id or group instance id (KIP-345). v5: reason (KIP-800), which is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.groups.operations import LEAVE_GROUP
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.leave_group_request import LeaveGroupRequest
    from riacho.wire.messages.leave_group_response import LeaveGroupResponse


def handle(ctx: BrokerRequestContext, request: LeaveGroupRequest) -> Outcome[LeaveGroupResponse]:
    ctx.check_group(AclOperation.READ, request.group_id)
    return ctx.coordinators.groups.ask(LEAVE_GROUP, request, ctx.version)
