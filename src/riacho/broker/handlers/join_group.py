"""JoinGroup, v0-9.

v1: rebalance timeout. v4: MEMBER_ID_REQUIRED (KIP-394). v5: group instance id (KIP-345). v7: protocol type and nullable
protocol name (KIP-559). v8: reason (KIP-800), which is not kept. v9: skip_assignment (KIP-814).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.groups.answers import join_error
from riacho.security.operations import AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.join_group_request import JoinGroupRequest

_NULL_PROTOCOL_VERSION = 7


def handle(ctx: RequestContext, request: JoinGroupRequest) -> Any:
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        refused = join_error(ErrorCode.GROUP_AUTHORIZATION_FAILED, "")
        if ctx.version >= _NULL_PROTOCOL_VERSION:
            refused.protocol_name = None
        return refused
    # Java prints an address with a slash before it, and tools have come to expect that.
    return ctx.broker.groups.join(request, ctx.version, Caller(ctx.client_id, f"/{ctx.client_host}"))
