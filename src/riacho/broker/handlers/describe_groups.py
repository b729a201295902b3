"""DescribeGroups, v0-6.

v3: authorized operations. v4: group instance id (KIP-345). v6: a missing group is GROUP_ID_NOT_FOUND (KIP-1043).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.wire.messages.describe_groups_response import DescribeGroupsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest

# Read, delete, describe, describe configs, alter configs: a bit each, by Kafka's numbers of operations.
_ALL_GROUP_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11


async def handle(ctx: RequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    groups = [await ctx.broker.groups.describe(group_id, ctx.version) for group_id in request.groups]
    if request.include_authorized_operations:
        for group in groups:
            if group.error_code == ErrorCode.NONE:
                group.authorized_operations = _ALL_GROUP_OPERATIONS
    return DescribeGroupsResponse(groups=groups)
