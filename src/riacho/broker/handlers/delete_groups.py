"""DeleteGroups, v0-2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest


async def handle(ctx: RequestContext, request: DeleteGroupsRequest) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id=group_id, error_code=await ctx.broker.groups.delete_group(group_id))
            # Each once: asked twice, the second answer would be that there is no such group.
            for group_id in dict.fromkeys(request.groups_names)
        ]
    )
