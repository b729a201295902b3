"""ConsumerGroupDescribe, v0-1 (KIP-848). v1: which protocol each member speaks (KIP-1099).

Groups whose members read a topic that the client may not see are not shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.access.authorized_operations import authorized_operations
from riacho.broker.coordinators.consumer_protocol import is_consumer_protocol_enabled
from riacho.broker.requests.later import settled
from riacho.groups.operations import CONSUMER_GROUP_DESCRIBE
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse, DescribedGroup

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest


async def handle(ctx: BrokerRequestContext, request: ConsumerGroupDescribeRequest) -> ConsumerGroupDescribeResponse:
    return ConsumerGroupDescribeResponse(
        groups=[await _describe(ctx, group_id, request) for group_id in request.group_ids]
    )


async def _describe(ctx: BrokerRequestContext, group_id: str, request: ConsumerGroupDescribeRequest) -> DescribedGroup:
    if not is_consumer_protocol_enabled(ctx.node.config, ctx.metadata.image):
        return DescribedGroup(group_id=group_id, error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.GROUP, group_id):
        return DescribedGroup(group_id=group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    if not group_id:
        return DescribedGroup(group_id="", error_code=ErrorCode.INVALID_GROUP_ID)
    group = await settled(ctx.coordinators.groups.ask(CONSUMER_GROUP_DESCRIBE, group_id))
    if group.error_code == ErrorCode.NONE and request.include_authorized_operations:
        group.authorized_operations = authorized_operations(ctx, AclResourceType.GROUP, group_id)
    topics = {
        topic.topic_name
        for member in group.members
        for assignment in (member.assignment, member.target_assignment)
        for topic in assignment.topic_partitions
    }
    if ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, topics) < topics:
        return DescribedGroup(
            group_id=group_id,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message="The group has described topic(s) that the client is not authorized to describe.",
        )
    return group
