"""SyncGroup, v0-5.

v3: group instance id (KIP-345). v5: the protocol type and name are checked and echoed (KIP-559).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.sync_group_request import SyncGroupRequest


def handle(ctx: RequestContext, request: SyncGroupRequest) -> Any:
    ctx.check_group(AclOperation.READ, request.group_id)
    return ctx.broker.groups.sync(request)
