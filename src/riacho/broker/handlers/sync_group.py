"""SyncGroup, v0-5.

v3: group instance id (KIP-345). v5: the protocol type and name are checked and echoed (KIP-559).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.sync_group_request import SyncGroupRequest


def handle(ctx: RequestContext, request: SyncGroupRequest) -> Any:
    return ctx.broker.groups.sync(request)
