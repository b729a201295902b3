"""Heartbeat, v0-4.

v3: group instance id (KIP-345).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.heartbeat_request import HeartbeatRequest


def handle(ctx: RequestContext, request: HeartbeatRequest) -> Any:
    ctx.check_group(AclOperation.READ, request.group_id)
    return ctx.broker.groups.heartbeat(request)
