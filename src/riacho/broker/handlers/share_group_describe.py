"""ShareGroupDescribe, v1 (KIP-932). Groups whose members read a topic that the client may not see are not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.access.authorized_operations import authorized_operations
from riacho.broker.requests.later import settled
from riacho.groups.share_operations import SHARE_GROUP_DESCRIBE
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.share_group_describe_response import DescribedGroup, ShareGroupDescribeResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest


async def handle(ctx: BrokerRequestContext, request: ShareGroupDescribeRequest) -> ShareGroupDescribeResponse:
    return ShareGroupDescribeResponse(
        groups=[await _describe(ctx, group_id, request) for group_id in request.group_ids]
    )


async def _describe(ctx: BrokerRequestContext, group_id: str, request: ShareGroupDescribeRequest) -> DescribedGroup:
    if not ctx.coordinators.share_groups.is_enabled:
        return DescribedGroup(group_id=group_id, error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.GROUP, group_id):
        return DescribedGroup(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not group_id:
        return DescribedGroup(group_id="", error_code=ErrorCode.INVALID_GROUP_ID)
    group = await settled(ctx.coordinators.groups.ask(SHARE_GROUP_DESCRIBE, group_id))
    if group.error_code == ErrorCode.NONE and request.include_authorized_operations:
        group.authorized_operations = authorized_operations(ctx, AclResourceType.GROUP, group_id)
    topics = {topic.topic_name for member in group.members for topic in member.assignment.topic_partitions}
    if ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, topics) < topics:
        return DescribedGroup(
            group_id=group_id,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message="The group has described topic(s) that the client is not authorized to describe.",
        )
    return group
