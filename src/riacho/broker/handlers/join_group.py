"""JoinGroup, v0-9.

v1: rebalance timeout. v4: MEMBER_ID_REQUIRED (KIP-394). v5: group instance id (KIP-345). v7: protocol type and nullable
protocol name (KIP-559). v8: reason (KIP-800), which is not kept. v9: skip_assignment (KIP-814).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Outcome, mapped
from riacho.groups.operations import JOIN_GROUP
from riacho.security.operations import AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.join_group_request import JoinGroupRequest
    from riacho.wire.messages.join_group_response import JoinGroupResponse

_NULL_PROTOCOL_VERSION = 7


def handle(ctx: BrokerRequestContext, request: JoinGroupRequest) -> Outcome[JoinGroupResponse]:
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return _to_response(JOIN_GROUP.refused(request, ErrorCode.GROUP_AUTHORIZATION_FAILED), ctx.version)
    # Java prints an address with a slash before it, and tools have come to expect that.
    caller = Caller(ctx.client_id, f"/{ctx.client_host}")
    version = ctx.version
    outcome = ctx.coordinators.groups.ask(JOIN_GROUP, request, version, caller)
    return mapped(outcome, lambda response: _to_response(response, version))


def _to_response(response: JoinGroupResponse, version: int) -> JoinGroupResponse:
    """A refusal chose no protocol, which is an empty name until there is a null for it."""
    if response.error_code and version >= _NULL_PROTOCOL_VERSION:
        response.protocol_name = None
    return response
