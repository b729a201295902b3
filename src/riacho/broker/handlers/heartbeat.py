"""Heartbeat, v0-4.

v3: group instance id (KIP-345).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.groups.operations import HEARTBEAT
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.heartbeat_request import HeartbeatRequest
    from riacho.wire.messages.heartbeat_response import HeartbeatResponse


def handle(ctx: BrokerRequestContext, request: HeartbeatRequest) -> Outcome[HeartbeatResponse]:
    ctx.check_group(AclOperation.READ, request.group_id)
    return ctx.coordinators.groups.ask(HEARTBEAT, request)
