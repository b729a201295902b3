"""DeleteGroups, v0-2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import settled
from riacho.groups.operations import DELETE_GROUP
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest


async def handle(ctx: BrokerRequestContext, request: DeleteGroupsRequest) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=group_id, error_code=await _delete(ctx, group_id))
            # Each once: asked twice, the second answer would be that there is no such group.
            for group_id in dict.fromkeys(request.groups_names)
        ]
    )


async def _delete(ctx: BrokerRequestContext, group_id: str) -> ErrorCode:
    if not ctx.allows(AclOperation.DELETE, AclResourceType.GROUP, group_id):
        return ErrorCode.GROUP_AUTHORIZATION_FAILED
    code = await ctx.coordinators.share_groups.delete_state_of(group_id)
    if code is not ErrorCode.NONE:
        return code
    return await settled(ctx.coordinators.groups.ask(DELETE_GROUP, group_id))
