"""Heartbeat, v0-4.

v3: group instance id (KIP-345).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.heartbeat_request import HeartbeatRequest


def handle(ctx: RequestContext, request: HeartbeatRequest) -> Any:
    return ctx.broker.groups.heartbeat(request)
