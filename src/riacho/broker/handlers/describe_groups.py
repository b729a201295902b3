"""DescribeGroups, v0-6.

v3: authorized operations. v4: group instance id (KIP-345). v6: a missing group is GROUP_ID_NOT_FOUND (KIP-1043).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.access.authorized_operations import authorized_operations
from riacho.broker.requests.later import settled
from riacho.groups.operations import DESCRIBE_GROUP
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.describe_groups_response import DescribedGroup, DescribeGroupsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest


async def handle(ctx: BrokerRequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    groups = [await _describe(ctx, group_id) for group_id in request.groups]
    if request.include_authorized_operations:
        for group in groups:
            if group.error_code == ErrorCode.NONE:
                group.authorized_operations = authorized_operations(ctx, AclResourceType.GROUP, group.group_id)
    return DescribeGroupsResponse(groups=groups)


async def _describe(ctx: BrokerRequestContext, group_id: str) -> DescribedGroup:
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.GROUP, group_id):
        return DESCRIBE_GROUP.refused(group_id, ErrorCode.GROUP_AUTHORIZATION_FAILED)
    return await settled(ctx.coordinators.groups.ask(DESCRIBE_GROUP, group_id, ctx.version))
